"""The verbs of the command line: CONVENTION 60 to 67."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import typer
from typer.testing import CliRunner, Result

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app
from tableseal.api.cli.verbs import GROUPS, VERBS, command

TABLE_1 = str(cases_folder() / "o03_table1" / "release.yaml")
ROUNDED = str(cases_folder() / "s07_rounding" / "with_margins.yaml")
ATTRIBUTE = str(cases_folder() / "s07_attribute" / "release.yaml")


def tableseal(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def process(*arguments: str) -> "subprocess.CompletedProcess[str]":
    start = "from tableseal.api.cli import main; main()"
    return subprocess.run([sys.executable, "-c", start, *arguments], capture_output=True, text=True, check=False)


def test_a_safe_release(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = tableseal("audit", TABLE_1, "--html", str(page), "--explain")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "[1131, 1537]" in result.stdout
    assert "How it was computed\n" in result.stdout
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_an_unsafe_release() -> None:
    result = tableseal("audit", ROUNDED)
    assert result.exit_code == 1
    assert result.stdout.lower().count("exposed") > 2


def test_json_is_alone_on_standard_output_and_the_same_twice() -> None:
    first, second = tableseal("audit", TABLE_1, "--json", "-"), tableseal("audit", TABLE_1, "--json", "-")
    assert first.stdout == second.stdout
    assert "[1131, 1537]" in first.stderr
    jsonschema.validate(json.loads(first.stdout), json.loads(tableseal("schema", "report").stdout))


def test_a_public_report_says_so() -> None:
    confidential = json.loads(tableseal("audit", ROUNDED, "--json", "-").stdout)
    public = json.loads(tableseal("audit", ROUNDED, "--json", "-", "--public").stdout)
    assert (confidential["confidential"], public["confidential"]) == (True, False)
    assert all(cell["truth"] is None and cell["reveals"] is None for cell in public["cells"])


def test_undecided_is_exit_3() -> None:
    result = tableseal("audit", TABLE_1, "--bounds", "shuttle", "--json", "-")
    assert json.loads(result.stdout)["verdict"] == "undecided"
    assert result.exit_code == 3


def test_a_policy_file_overrides(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("primary: []\n")
    assert tableseal("audit", ATTRIBUTE).exit_code == 1
    assert tableseal("audit", ATTRIBUTE, "--policy", str(policy)).exit_code == 3


def test_a_release_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 61: files are looked up in the current folder."""
    monkeypatch.chdir(Path(TABLE_1).parent)
    piped = tableseal("audit", "-", "--json", "-", stdin=Path(TABLE_1).read_text("utf-8"))
    assert piped.exit_code == 0
    assert piped.stdout == tableseal("audit", TABLE_1, "--json", "-").stdout


def test_a_status_letter_can_be_explained(tmp_path: Path) -> None:
    data = (Path(TABLE_1).parent / "table1.csv").read_text("utf-8")
    (tmp_path / "table1.csv").write_text(data.replace("primary", "c").replace("secondary", "c"))
    (tmp_path / "release.yaml").write_text(Path(TABLE_1).read_text("utf-8"))
    unexplained = tableseal("audit", str(tmp_path / "release.yaml"))
    assert unexplained.exit_code == 2
    assert "table1.csv" in unexplained.stderr
    assert tableseal("audit", str(tmp_path / "release.yaml"), "--status-map", "c=withheld").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "nowhere.yaml"], "nowhere.yaml"),
        (["audit", TABLE_1, "--html", "no/such/folder/report.html"], "create it first"),
        (["audit", TABLE_1, "--policy", "nowhere.yaml"], "nowhere.yaml"),
        (["audit", TABLE_1, "--bounds", "tight"], "shuttle"),
        (["audit", TABLE_1, "--prove"], "No such option"),
        (["schema", "reports"], "report"),
        (["cases", "o03_tabel1"], "o03_table1"),
        (["init", "nowhere.csv"], "nowhere.csv"),
        (["convert", "nowhere.yaml", "-"], "nowhere.yaml"),
    ],
)
def test_wrong_use_is_one_clear_message_and_exit_2(arguments: list[str], said: str) -> None:
    result = tableseal(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_an_interruption_is_exit_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tableseal.api.cli.audit_verb.release_of", interrupt)
    result = tableseal("audit", TABLE_1)
    assert result.exit_code == 130
    assert result.stderr == "Interrupted; nothing was written.\n"


def test_an_unexpected_error_shows_no_traceback_and_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("value 310")

    monkeypatch.setattr("tableseal.api.cli.audit_verb.release_of", fail)
    result = tableseal("audit", TABLE_1)
    assert result.exit_code == 2
    assert "please report it" in result.stderr
    assert "310" not in result.output
    monkeypatch.setenv("TABLESEAL_DEBUG", "1")
    assert isinstance(tableseal("audit", TABLE_1).exception, ZeroDivisionError)


def test_too_little_memory_is_exit_3() -> None:
    for megabytes in (1, 20, 40):
        result = process("audit", TABLE_1, "--memory-limit", str(megabytes))
        assert (result.returncode, result.stdout) == (3, ""), result.stderr
        assert f"not enough memory: {megabytes} MB were allowed" in result.stderr


@pytest.mark.parametrize("number", ["SIGABRT", "SIGSEGV", "SIGKILL"])
def test_a_library_that_ends_the_process_for_lack_of_memory_is_exit_3(number: str) -> None:
    # CONVENTION 640
    ended = f"import os, signal; os.kill(os.getpid(), signal.{number})"
    start = (
        f"import tableseal.api.cli.audit_verb as verb; verb.release_of = lambda *_, **__: exec({ended!r})\n"
        "from tableseal.api.cli import main; main()"
    )
    words = ["audit", TABLE_1, "--memory-limit", "2000"]
    result = subprocess.run([sys.executable, "-c", start, *words], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (3, "")
    assert "not enough memory" in result.stderr


@pytest.mark.parametrize("piped", [False, True])
def test_a_small_release_needs_little_memory(piped: bool, tmp_path: Path) -> None:
    """Whatever the largest file is that would be read."""
    release = tmp_path / "release.json"
    assert tableseal("convert", TABLE_1, str(release)).exit_code == 0
    start = "from tableseal.api.cli import main; main()"
    words = ["audit", "-" if piped else str(release), "--memory-limit", "500"]
    result = subprocess.run(
        [sys.executable, "-c", start, *words], input=release.read_bytes(), capture_output=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", ["out.csv", "out.YAML", "out.yml"])
def test_json_is_written_under_no_name_of_another_format(name: str, tmp_path: Path) -> None:
    result = tableseal("convert", TABLE_1, str(tmp_path / name))
    assert result.exit_code == 2
    assert "expected .json" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_converted_release_gives_the_same_report(tmp_path: Path) -> None:
    target = tmp_path / "release.json"
    said = tableseal("convert", TABLE_1, str(target), "--json", "-")
    digest = json.loads(said.stdout)["sha256"]
    reports = [json.loads(tableseal("audit", name, "--json", "-").stdout) for name in (TABLE_1, str(target))]
    assert reports[0] == reports[1]
    assert reports[0]["release"]["sha256"] == digest
    assert tableseal("convert", str(target), "-").stdout == target.read_text("utf-8")


def test_init_writes_what_audit_reads(tmp_path: Path) -> None:
    data, release = tmp_path / "table.csv", tmp_path / "release.yaml"
    data.write_text("area,sex,count\nA,F,3\nA,M,4\nA,T,7\nB,F,5\nB,M,6\nB,T,11\nT,F,8\nT,M,10\nT,T,18\n")
    result = tableseal("init", str(data), "-o", str(release))
    assert result.exit_code == 0
    assert "Assumed: " in result.stderr
    assert tableseal("audit", str(release)).exit_code == 3
    assert tableseal("audit", str(data)).exit_code == 3
    again = tableseal("init", str(data), "-o", str(release))
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    (tmp_path / "other").mkdir()
    elsewhere = tableseal("init", str(data), "-o", str(tmp_path / "other" / "release.yaml"))
    assert elsewhere.exit_code == 2
    assert "own folder only" in elsewhere.stderr
    assert json.loads(tableseal("init", str(data), "--json", "-").stdout)["release"]["tables"]


@pytest.mark.parametrize(
    "subject",
    ["release", "policy", "report", "risk", "sap", "attack", "proof", "batch", "publication", "publication-audit"],
)
def test_schemas_are_schemas(subject: str, tmp_path: Path) -> None:
    printed = tableseal("schema", subject).stdout
    jsonschema.Draft202012Validator.check_schema(json.loads(printed))
    tableseal("schema", subject, "--json", str(tmp_path / "schema.json"))
    assert (tmp_path / "schema.json").read_text("utf-8") == printed


def test_cases_are_listed_and_run(tmp_path: Path) -> None:
    assert "Oganian & Domingo-Ferrer 2003" in tableseal("cases").stdout
    result = tableseal("cases", "o03_table1", "--run", "--json", str(tmp_path / "cases.json"))
    assert result.exit_code == 0
    assert "[1131, 1537]" in result.stdout
    assert "all agree" in result.stdout
    document = json.loads((tmp_path / "cases.json").read_text("utf-8"))
    assert document["agree"] is True
    assert document["cases"][0]["values"][0]["computed"] == [0, 406]


def test_a_deviating_case_is_exit_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file in (cases_folder() / "s07_attribute").iterdir():
        (tmp_path / "changed").mkdir(exist_ok=True)
        text = file.read_text("utf-8").replace('"expected": 2', '"expected": 3')
        (tmp_path / "changed" / file.name).write_text(text, "utf-8")
    monkeypatch.setattr("tableseal.api.cases.case.cases_folder", lambda: tmp_path)
    result = tableseal("cases", "--run")
    assert result.exit_code == 1
    assert "SOME DEVIATE" in result.stdout


def test_help_is_quick_and_explains_itself() -> None:
    heavy = ("sympy", "polars", "jinja2", "pydantic", "rich")
    loaded = f"import tableseal.api.cli.app, sys; print([m for m in {heavy} if m in sys.modules])"
    started = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert started.stdout == "[]\n"
    result = tableseal("audit", "--help")
    assert result.exit_code == 0
    assert "Example: tableseal audit release.yaml" in result.stdout
    assert tableseal("--version").stdout.startswith("tableseal ")


@pytest.mark.parametrize("verb", [*VERBS, *GROUPS])
def test_a_verb_that_is_loaded_alone_is_that_of_the_whole_command(verb: str) -> None:
    whole, alone = (CliRunner().invoke(a, [verb, "--help"], prog_name="tableseal") for a in (app, command(verb)))
    assert alone.stdout == whole.stdout
    assert alone.exit_code == 0
    assert [name for name in [*VERBS, *GROUPS] if typer.main.get_command(command(verb)).get_command(None, name)] == [
        verb
    ]


def test_a_reader_that_leaves_is_no_error() -> None:
    """CONVENTION 65."""
    start = f"{sys.executable} -c 'from tableseal.api.cli import main; main()' cases"
    result = subprocess.run(
        ["bash", "-c", f"{start} | head -n 1; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=True
    )
    assert result.stderr == ""
    assert result.stdout.endswith("\n0\n")


@pytest.mark.parametrize(
    "arguments", [["audit", "r.yaml", "--html"], ["audit", "r.yaml", "--json"], ["convert", "r.yaml"]]
)
def test_an_output_never_replaces_a_file_that_the_release_reads(
    tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # CONVENTION 63
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "t.csv"
    data.write_text("d,value\nA,3\nB,4\nT,7\n")
    (tmp_path / "r.yaml").write_text(
        "tableseal: 1\nkind: count\nvariables: {d: {total: T, codes: [A, B]}}\ntables: [{name: t, file: t.csv}]\n"
    )
    result = tableseal(*arguments, "t.csv")
    assert result.exit_code == 2
    assert "input" in result.stderr
    assert data.read_text().startswith("d,value")


def test_a_case_is_copied_to_work_with(tmp_path: Path) -> None:
    target = str(tmp_path / "survey")
    assert "policy_4.yaml" in tableseal("cases", "norwegian_benefits", "--copy", target).stdout
    assert tableseal("audit", f"{target}/release.yaml", "--withhold-primaries").exit_code == 0
    assert "is there already" in tableseal("cases", "norwegian_benefits", "--copy", target).stderr
    assert "--copy copies one case" in tableseal("cases", "--copy", target).stderr
    assert "folder: " in tableseal("cases", "o03_table1").stdout


def test_what_is_refused_says_what_it_is(tmp_path: Path) -> None:
    table, document = tmp_path / "t.csv", tmp_path / "t.yaml"
    table.write_text("a,v\nx,1\ny,2\nT,3\n")
    document.write_text("tableseal: 1\n")
    for words, said in (
        (["verify", table, table], "t.csv: found no JSON, expected a proof"),
        (["init", document], "found a document, expected a table as CSV"),
        (["audit", ""], "RELEASE: found an empty name"),
        (["audit", table, "--entropy", "nix"], "Invalid value for '--entropy': 'nix' is not one of"),
        (["cases", "nix"], 'named "nix". Cases:'),
    ):
        done = tableseal(*map(str, words))
        assert done.exit_code == 2
        assert said in done.stderr, done.stderr


def test_publications_are_listed(tmp_path: Path) -> None:
    table, data = tmp_path / "t.csv", str(tmp_path / "store")
    table.write_text("a,v\nx,10\ny,20\nT,30\n")
    assert tableseal("publication", "list", "--data", data).stdout == "Nothing was published yet.\n"
    words = ("publication", "audit", "prices", str(table), "--threshold", "3", "--publish", "--data", data)
    assert tableseal(*words).exit_code == 0
    assert tableseal("publication", "list", "--data", data).stdout == "prices (1 entry)\n"
    listed = json.loads(tableseal("publication", "list", "--json", "-", "--data", data).stdout)
    assert listed["publications"] == [{"name": "prices", "entries": 1}]
