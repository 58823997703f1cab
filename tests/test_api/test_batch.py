"""Many releases: each gets its verdict whatever happens to the others, and nothing that was done is done again."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import document, many_blocks, table
from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app
from tableseal.audit.batch import (
    Batch,
    Settings,
    find_releases,
    opened,
    run_batch,
    source_of,
)
from tableseal.audit.batch.sources import FolderSource
from tableseal.audit.batch.work import Task
from tableseal.audit.codec.documents import json_of, schema_of
from tableseal.audit.errors import InputError
from tableseal.audit.execution.executor import HERE, Lost
from tableseal.audit.execution.processes import Processes

ROOT = Path(__file__).parents[2]

SAFE = document(table(["T", "k", "l", "m"], [9, None, None, 4], status=["", "primary", "secondary", ""]), title="safe")
UNSAFE = document(table(["T", "k", "l", "m"], [9, None, 2, 4], status=["", "primary", "", ""]), title="=1+1")

BROKEN = '{"tableseal": 1,'


def put(folder: Path, releases: dict[str, Any]) -> Path:
    for name, content in releases.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


def batch(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["batch", *map(str, arguments)])


def here(path: Path, output: Path, **options: Any) -> Batch:
    """Without processes of its own."""
    source, listed = source_of(path, output=output)
    with opened(output) as results:
        return run_batch(source, listed, Settings(**options), results)


def content(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """One of every kind."""
    bad = document(table(["T", "k"], [9, 4]), kind="counts")
    releases = {"a.json": SAFE, "b/unsafe.json": UNSAFE, "b/bad.json": bad, "c.yaml": "tableseal: 1\n  oops: ["}
    return put(tmp_path / "in", releases)


def test_every_release_gets_its_verdict_and_failures_stop_nothing(mixed: Path, tmp_path: Path) -> None:
    # CONVENTION 466
    result = batch(mixed, "-o", tmp_path / "out", "--html", "--json", tmp_path / "copy.json")
    assert result.exit_code == 1, result.output
    assert "4 releases: 1 safe, 1 unsafe, 0 undecided, 2 failed" in result.output
    found = json.loads((tmp_path / "out/summary.json").read_text())
    assert json.loads((tmp_path / "copy.json").read_text()) == found
    jsonschema.validate(found, schema_of(Batch))
    verdicts = {entry["name"]: entry["verdict"] for entry in found["releases"]}
    assert verdicts == {"a.json": "safe", "b/unsafe.json": "unsafe", "b/bad.json": "failed", "c.yaml": "failed"}
    said = {entry["name"]: entry["failure"] for entry in found["releases"]}
    assert said["b/bad.json"]["kind"] == "input"
    assert said["b/bad.json"]["message"].startswith('b/bad.json: kind: found "counts", expected count, magnitude')
    assert "c.yaml line 2" in said["c.yaml"]["message"]


def test_reports_are_those_of_audit(mixed: Path, tmp_path: Path) -> None:
    batch(mixed, "-o", tmp_path / "out", "--html")
    for name in ("a.json", "b/unsafe.json"):
        alone = [tmp_path / "alone.json", tmp_path / "alone.html"]
        CliRunner().invoke(app, ["audit", str(mixed / name), "--json", str(alone[0]), "--html", str(alone[1])])
        for file, suffix in zip(alone, (".json", ".html"), strict=True):
            assert (tmp_path / f"out/reports/{name}{suffix}").read_bytes() == file.read_bytes()


def test_what_is_taken_for_a_release(tmp_path: Path) -> None:
    # CONVENTION 460
    files = {
        "r.yaml": "# mine\ntitle: x\ntableseal: 1\n",
        "flow.yml": "{title: x, tableseal: 1}",
        "deep/er/r.JSON": '{"title": "x", "tableseal": 1}',
        "broken.json": '{"tableseal": 1',
        "policy.yaml": "primary: [{threshold: 3}]\n",
        "report.json": '{"schema": "tableseal/report/1"}',
        "nested.json": '{"release": {"tableseal": 1}}',
        "table.csv": "tableseal: 1\n",
        ".hidden.yaml": "tableseal: 1\n",
        ".git/r.yaml": "tableseal: 1\n",
        "empty.yaml": "",
        "out/r.yaml": "tableseal: 1\n",
    }
    source = FolderSource(put(tmp_path, files), skip=tmp_path / "out")
    assert find_releases(source) == ["broken.json", "deep/er/r.JSON", "empty.yaml", "flow.yml", "r.yaml"]


def test_a_zip_archive_is_the_folder(mixed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        for name, data in content(mixed).items():
            archive.writestr(name, data)
    folder, zipped = here(mixed, tmp_path / "folder"), here(tmp_path / "set.zip", tmp_path / "zipped")
    assert zipped == folder
    assert content(tmp_path / "zipped") == content(tmp_path / "folder")


def test_a_manifest_says_which_and_how(mixed: Path, tmp_path: Path) -> None:
    put(mixed, {"strict.yaml": "require: {protection: false}\n", "list.csv": (
        "file,policy,bounds\na.json,strict.yaml,shuttle\nb/unsafe.json,,\n"
    )})  # fmt: skip
    found = {entry.name: entry for entry in here(mixed / "list.csv", tmp_path / "out").entries}
    assert set(found) == {"a.json", "b/unsafe.json"}
    assert found["a.json"].bounds == "shuttle"
    assert found["a.json"].policy_sha256 is not None
    assert found["b/unsafe.json"].bounds == "integer"
    put(
        mixed,
        {"list.yaml": "releases:\n- {file: a.json, policy: strict.yaml, bounds: shuttle}\n- {file: b/unsafe.json}\n"},
    )
    assert {entry.name: entry for entry in here(mixed / "list.yaml", tmp_path / "again").entries} == found


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("file\n../secret.json\n", "leads out of the release's folder"),
        ("file\n/etc/passwd\n", "leads out of the release's folder"),
        ("file\na.json\n./a.json\n", 'releases[1].file: "a.json" is listed twice'),
        ("file,bound\na.json,lp\n", 'unknown key "bound" (did you mean "bounds"?)'),
        ("file,bounds\na.json,exact\n", 'found "exact", expected shuttle, lp, integer'),
        ("file,time_limit\na.json,soon\n", 'found "soon"'),
    ],
)
def test_bad_manifests(mixed: Path, tmp_path: Path, manifest: str, said: str) -> None:
    put(tmp_path, {"secret.json": SAFE, "out/keep.json": "{}"})
    put(mixed, {"list.csv": manifest})
    result = batch(mixed / "list.csv", "-o", tmp_path / "results")
    assert result.exit_code == 2
    assert said in result.output
    assert (tmp_path / "secret.json").exists()


def test_a_release_is_no_manifest_and_an_empty_folder_no_batch(mixed: Path, tmp_path: Path) -> None:
    assert "is a release, expected a folder" in batch(mixed / "a.json", "-o", tmp_path / "out").output
    (tmp_path / "empty").mkdir()
    assert "there is no release in it" in batch(tmp_path / "empty", "-o", tmp_path / "out").output


def test_results_go_to_a_folder_of_their_own(mixed: Path, tmp_path: Path) -> None:
    assert "holds files that are no results of a batch" in batch(mixed, "-o", mixed / "b").output
    assert "this folder is the input" in batch(mixed, "-o", mixed).output
    with opened(tmp_path / "out"):
        assert "another batch is at work there" in batch(mixed, "-o", tmp_path / "out").output


def test_nothing_is_done_again_but_what_has_changed(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CONVENTION 465
    out = tmp_path / "out"
    here(mixed, out)
    before = content(out)
    audited: list[str] = []

    def told(work: Callable[[Task], Any], items: Iterable[Task]) -> Iterator[tuple[int, Any]]:
        for position, task in enumerate(items):
            audited.append(task.release.title)
            yield position, work(task)

    monkeypatch.setattr(HERE, "as_completed", told)
    here(mixed, out)
    assert audited == []
    assert content(out) == before
    put(mixed, {"a.json": SAFE | {"title": "changed"}})
    here(mixed, out)
    assert audited == ["changed"]
    here(mixed, out, bounds="lp")
    assert sorted(audited[1:]) == ["=1+1", "changed"]
    here(mixed, out, bounds="lp", html=True)
    assert len(audited) == 5, "pages are made for reports that have none"


def test_a_release_that_now_fails_keeps_no_old_report(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    here(mixed, out)
    assert (out / "reports/a.json.json").exists()
    put(mixed, {"a.json": BROKEN})
    assert here(mixed, out).counts.failed == 3
    assert not list(out.rglob("a.json*"))


@settings(max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(tmp_path_factory: pytest.TempPathFactory, random: Random) -> None:
    folder = tmp_path_factory.mktemp("order")
    put(folder / "in", {"a.json": SAFE, "b.json": UNSAFE, "c.json": BROKEN, "d.json": SAFE})
    source, listed = source_of(folder / "in")
    outcomes = []
    for number in range(2):
        with opened(folder / str(number)) as results:
            outcomes.append(run_batch(source, listed, Settings(), results))
        random.shuffle(listed)
    assert outcomes[0] == outcomes[1]
    assert content(folder / "0") == content(folder / "1")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    releases: dict[str, Any] = {f"r{n:02}.json": many_blocks(2 + n % 3) | {"title": f"number {n}"} for n in range(14)}
    return put(tmp_path / "many", releases | {"bad.json": BROKEN})


def test_the_summary_is_the_same_wherever_the_work_is_done(many: Path, tmp_path: Path) -> None:
    """In this process, in one and two worker processes, on a Dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    here(many, tmp_path / "here", html=True)
    wanted = content(tmp_path / "here")
    assert batch(many, "-o", tmp_path / "jobs", "--jobs", 2, "--html").exit_code == 1
    assert content(tmp_path / "jobs") == wanted
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        result = batch(many, "-o", tmp_path / "dask", "--scheduler", cluster.scheduler_address, "--html")
        assert result.exit_code == 1, result.output
    assert content(tmp_path / "dask") == wanted


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """A real process, killed with -9 in the middle; at most what was in work is lost."""
    out, count = tmp_path / "out", 40  # so many that no machine is through with them before it is killed
    many = put(
        tmp_path / "many", {f"{n}.json": many_blocks(1 + n % 3) | {"title": f"number {n}"} for n in range(count)}
    )
    command = [
        sys.executable,
        "-c",
        "from tableseal.api.cli import main; main()",
        "batch",
        str(many),
        "-o",
        str(out),
        "--jobs",
        "2",
    ]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(list(out.glob("records/[!.]*"))) < 3:
        assert running.poll() is None
        assert time.monotonic() < until
        time.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = {path: path.stat().st_mtime_ns for path in out.glob("records/[!.]*")}
    assert 3 <= len(done) < count
    assert not (out / "summary.json").exists()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    assert all(path.stat().st_mtime_ns == written for path, written in done.items()), "what was done is not done again"
    here(many, tmp_path / "in_one_go")
    assert content(out) == content(tmp_path / "in_one_go")


def test_a_release_that_kills_its_worker_is_one_entry(mixed: Path, tmp_path: Path) -> None:
    class Killing:
        """As Processes does for an item that ends every worker."""

        def as_completed(self, work: Callable[[Task], Any], items: Iterable[Task]) -> Iterator[tuple[int, Any]]:
            for position, task in enumerate(items):
                yield position, Lost("It ended.") if task.release.title == "safe" else work(task)

    source, listed = source_of(mixed)
    with opened(tmp_path / "out") as results:
        found = run_batch(source, listed, Settings(), results, executor=Killing())  # type: ignore[arg-type]
    entries = {entry.name: entry for entry in found.entries}
    assert entries["a.json"].failure is not None
    assert (entries["a.json"].failure.kind, entries["a.json"].failure.message) == ("limit", "It ended.")
    assert entries["b/unsafe.json"].verdict == "unsafe"


def test_an_unexpected_error_is_one_entry_without_values(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(release: Any, **_: Any) -> None:
        raise ZeroDivisionError("the secret is 3")

    monkeypatch.setattr("tableseal.audit.batch.work.audit", broken)
    found = here(mixed, tmp_path / "out")
    assert found.counts.failed == 4
    assert "ZeroDivisionError" in found.entries[0].failure.message  # type: ignore[union-attr]
    assert "secret" not in json_of(found)


def test_limits_are_of_each_release(tmp_path: Path) -> None:
    # CONVENTION 466
    put(tmp_path / "in", {"large.json": many_blocks(60), "z.json": BROKEN})
    result = batch(tmp_path / "in", "-o", tmp_path / "out", "--memory-limit", 1)
    assert result.exit_code == 3, result.output
    assert "large.json: failed: not enough memory" in result.output
    put(tmp_path / "in", {"large.json": SAFE, "z.json": SAFE})
    assert batch(tmp_path / "in", "-o", tmp_path / "out").exit_code == 0, "failures are tried again"
    put(tmp_path / "in", {"z.json": BROKEN})
    assert batch(tmp_path / "in", "-o", tmp_path / "out").exit_code == 2
    put(tmp_path / "in", {"y.json": many_blocks()})
    result = batch(tmp_path / "in", "-o", tmp_path / "late", "--time-limit", 0, "--bounds", "shuttle")
    assert result.exit_code in (1, 3)
    assert (
        "--scheduler: the workers of the cluster"
        in batch(tmp_path / "in", "-o", tmp_path / "no", "--scheduler", "tcp://127.0.0.1:9", "--jobs", 2).output
    )


def test_names_and_titles_from_anybody_do_no_harm(tmp_path: Path) -> None:
    # CONVENTION 467
    put(tmp_path / "in", {"=cmd.json": UNSAFE, "<b>&.json": SAFE | {"title": "<script>alert(1)</script>"}})
    here(tmp_path / "in", tmp_path / "out", html=True)
    lines = (tmp_path / "out/summary.csv").read_text().splitlines()
    assert any(line.startswith("'=cmd.json,'=1+1,unsafe,") for line in lines)
    page = (tmp_path / "out/summary.html").read_text()
    assert "<script>" not in page
    assert "<b>&" not in page
    links = re.findall(r'href="([^"]*)"', page)
    assert links == ["reports/%3Dcmd.json.html", "reports/%3Cb%3E%26.json.html"]


def test_cells_that_no_row_lists_are_counted(tmp_path: Path) -> None:
    # CONVENTION 468
    left_out = table(["T", "k", "l"], [9, 3, 4], absent={"leaves": "not_released"})
    rules = {"policy": {"primary": [{"threshold": 3}]}}
    put(
        tmp_path / "in",
        {
            "all.json": document(table(["T", "k", "l", "m"], [12, 3, 4, 5])) | rules,
            "left_out.json": document(left_out) | rules,
        },
    )
    result = batch(tmp_path / "in", "-o", tmp_path / "out", "--html")
    assert result.exit_code == 1
    assert "left_out.json: unsafe: This release must not go out" in result.output
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    jsonschema.validate(summary, schema_of(Batch))
    assert [(r["name"], r["counts"]["implied"]) for r in summary["releases"]] == [("all.json", 0), ("left_out.json", 1)]
    with (tmp_path / "out/summary.csv").open(newline="") as file:
        assert {row["release"]: row["implied"] for row in csv.DictReader(file)} == {
            "all.json": "0",
            "left_out.json": "1",
        }
    assert "given away, in no row" in (tmp_path / "out/summary.html").read_text()


def test_together_what_each_hides_the_other_shows(tmp_path: Path) -> None:
    # CONVENTION 461
    one = document(table(["T", "k", "l", "m"], [9, None, None, 4], status=["", "primary", "secondary", ""]))
    other = document(table(["T", "l"], [9, 3], absent={"leaves": "not_released"}))
    put(tmp_path / "in", {"one.json": one, "sub/other.json": other})
    assert batch(tmp_path / "in", "-o", tmp_path / "alone").exit_code == 3, "nothing says what the other has to hide"
    result = batch(tmp_path / "in", "--together", "-o", tmp_path / "both", "--html")
    assert result.exit_code == 1
    assert "2 releases together: unsafe" in result.output
    report = json.loads((tmp_path / "both/reports/together.json").read_text())
    (cell,) = [c for c in report["cells"] if c["status"] == "primary"]
    assert cell["verdict"] == "exposed"
    assert {term["table"] for _, term in cell["reveals"]["terms"]} <= {"one.json: t", "sub/other.json: t"}
    summary = json.loads((tmp_path / "both/summary.json").read_text())
    jsonschema.validate(summary, schema_of(Batch))
    assert summary["together"] == ["one.json", "sub/other.json"]
    put(tmp_path / "in", {"sub/other.json": other | {"variables": {"a": {"total": "T", "codes": ["k", "l"]}}}})
    result = batch(tmp_path / "in", "--together", "-o", tmp_path / "both")
    assert result.exit_code == 2
    assert "one.json and sub/other.json" in result.output or "sub/other.json and one.json" in result.output
    put(tmp_path / "in", {"sub/other.json": BROKEN})
    assert "Error: sub/other.json line 1" in batch(tmp_path / "in", "--together", "-o", tmp_path / "both").output


def test_every_audit_of_a_batch_has_a_process_of_its_own(mixed: Path, tmp_path: Path) -> None:
    """(So that one which is killed takes nothing with it.) And the pool is usable from the library."""
    source, listed = source_of(mixed)
    with Processes(1) as pool, opened(tmp_path / "out") as results:
        found = run_batch(source, listed, Settings(), results, executor=pool)
    assert found.verdict == "unsafe"
    with pytest.raises(InputError, match="cannot be used for results"), opened(mixed / "a.json"):
        pass


@pytest.mark.parametrize("archived", [False, True])
def test_a_folder_of_bare_tables(archived: bool, tmp_path: Path) -> None:
    # CONVENTION 649: without release files every table is one; beside one they are its data
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_text("region,n\nN,5\nS,2\nT,7\n")
    (folder / "deep" / "b.tsv").write_text("region\tn\nN\t5\nS\t4\nT\t9\n")
    stat: dict[str, Any] = {"class": "dataset", "version": "2.0", "id": ["r"], "size": [3], "value": [5, 4, 9]}
    stat["dimension"] = {"r": {"category": {"index": ["N", "S", "T"]}}}
    (folder / "c.json").write_text(json.dumps(stat))
    (folder / "other.json").write_text('{"answer": 42}')
    (folder / "readme.txt").write_text("about these files\n")
    path = folder
    if archived:
        path = tmp_path / "in.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(folder.rglob("*.*")):
                archive.write(file, file.relative_to(folder).as_posix())
    source, listed = source_of(path)
    assert [one.name for one in listed] == ["a.csv", "c.json", "deep/b.tsv"]
    for one in listed:
        assert len(source.release(one.name, None).tables[0].codes) == 3
    if not archived:
        release: dict[str, Any] = {
            "tableseal": 1,
            "kind": "count",
            "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
        }
        release["tables"] = [{"name": "t", "file": "a.csv", "value": "n"}]
        (folder / "r.json").write_text(json.dumps(release))
        assert [one.name for one in source_of(path)[1]] == ["r.json"]
