"""Rules, readers, status schemes and search methods that other packages add, through the command."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.audit import plugins

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "data" / "example_package"

RELEASE = """
tableseal: 1
kind: magnitude
unit: 1
variables: {region: {total: T, codes: [N, S]}, size: {total: T, codes: [a, b, c]}}
tables:
  - {name: turnover, file: turnover.jsonl, truth: exact, status: {column: flag, scheme: example-office}}
policy:
  primary: [{small_value: 100, protection_percent: 10}]
  reasons: {small_value: S, secondary: D}
"""
VALUES = {"N": (90, 400, 500), "S": (300, 600, 700)}


def rows() -> list[dict[str, Any]]:
    """Two regions by three sizes with their margins; a value below 100 is published in N."""
    lines = {region: {"T": sum(values), **dict(zip("abc", values, strict=True))} for region, values in VALUES.items()}
    lines["T"] = {size: lines["N"][size] + lines["S"][size] for size in "Tabc"}
    return [
        {"region": region, "size": size, "value": value, "exact": value, "flag": "g"}
        for region, line in lines.items()
        for size, value in line.items()
    ]


def installed(
    place: Path, points: Mapping[str, Mapping[str, str]], package: str = "tableseal-example", **files: str
) -> Path:
    """A folder for the path of modules in which a package with these entry points is installed, without a network."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / f"{name}.py").write_text(text, "utf-8")
    info = place / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    return place


@pytest.fixture
def example(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE / "tableseal_example", tmp_path / "packages" / "tableseal_example")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    return installed(tmp_path / "packages", project["entry-points"], project["name"])


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "turnover.jsonl").write_text("\n".join(map(json.dumps, rows())) + "\n", "utf-8")
    (folder / "release.yaml").write_text(RELEASE, "utf-8")
    return folder / "release.yaml"


def run(release: Path, *words: str, packages: Path | None = None) -> tuple[int, str, str]:
    """Exit code, output and messages of the command, where packages are installed."""
    path = os.pathsep.join(map(str, [ROOT, *([] if packages is None else [packages])]))
    command = [sys.executable, "-c", "from tableseal.api.cli import main; main()", *words]
    environment = os.environ | {"PYTHONPATH": path}
    found = subprocess.run(command, cwd=release.parent, env=environment, capture_output=True, text=True, check=False)
    return found.returncode, found.stdout, " ".join(found.stderr.split())


def test_rule_reader_and_scheme_in_an_audit(example: Path, release: Path) -> None:
    # CONVENTION 655
    code, output, said = run(release, "audit", "release.yaml", "--json", "-", packages=example)
    assert code == 1, said
    report = json.loads(output)
    assert report["rules"] == ["small value 100"]
    [cell] = [cell for cell in report["cells"] if cell["verdict"] == "exposed"]
    assert (cell["cell"], cell["rule"], cell["reason"]) == (
        {"region": "N", "size": "a"},
        "small value 100",
        "sensitive_published",
    )


def test_search_method_in_a_suppression_and_what_it_writes_reads_back(example: Path, release: Path) -> None:
    # CONVENTION 655
    words = ("suppress", "release.yaml", "--method", "give-back", "--json", "-", "-o", "out.yaml")
    more = ("--confidential", "kept.json", "--tell-statuses")
    code, output, said = run(release, *words, *more, packages=example)
    assert code == 0, said
    found = json.loads(output)
    # Optimal by the bound that every method states.
    assert (found["method"], found["status"], found["audit"]["verdict"]) == ("give-back", "optimal", "safe")
    assert {cell["cell"]["region"] + cell["cell"]["size"] for cell in found["cells"]} == {"Nb", "Sa", "Sb"}
    kept = json.loads((release.parent / "kept.json").read_text("utf-8"))
    assert kept["policy"]["primary"] == [{"small_value": 100, "protection_percent": 10}]
    assert run(release, "audit", "kept.json", packages=example)[0] == 0
    table = next(release.parent.glob("out*.csv")).read_text("utf-8")
    assert {"S", "D"} <= {line.rpartition(",")[2] for line in table.splitlines()}, table
    words = ("compare", "release.yaml", "--methods", "heuristic,give-back", "--json", "-")
    compared = json.loads(run(release, *words, packages=example)[1])
    assert [one["method"] for one in compared["methods"]] == ["heuristic", "give-back"]


def test_a_bare_file_of_a_format_that_a_package_reads(example: Path, release: Path) -> None:
    # CONVENTION 655
    plain = [{k: row[k] for k in ("region", "size", "value")} for row in rows()]
    (release.parent / "plain.jsonl").write_text("\n".join(map(json.dumps, plain)), "utf-8")
    code, output, said = run(release, "audit", "plain.jsonl", "--threshold", "100", packages=example)
    assert code == 1, said
    assert "1 sensitive cell exposed" in output
    assert run(release, "audit", "plain.jsonl", "--threshold", "100")[0] == 2


def test_without_the_package_nothing_has_these_names(release: Path) -> None:
    lines = "\n".join(",".join(map(str, row.values())) for row in rows())
    (release.parent / "turnover.jsonl").write_text(f"region,size,value,exact,flag\n{lines}\n", "utf-8")
    code, _, said = run(release, "audit", "release.yaml")
    assert (code, "found small_value, protection_percent, expected one of threshold, dominance" in said) == (2, True)
    release.write_text(RELEASE.replace("small_value: 100", "threshold: 3").replace("small_value", "threshold"), "utf-8")
    code, _, said = run(release, "audit", "release.yaml")
    assert (code, 'there is no status scheme "example-office"' in said) == (2, True), said
    release.write_text(release.read_text("utf-8").replace("{column: flag, scheme: example-office}", "none"), "utf-8")
    code, _, said = run(release, "suppress", "release.yaml", "--method", "give-back")
    assert (code, "--method give-back: there is no such method; methods are optimal" in said) == (2, True), said


Here = Callable[..., str]


@pytest.fixture
def here(example: Path, release: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    """What a verb that refuses the release says, in this process."""
    monkeypatch.chdir(release.parent)
    monkeypatch.syspath_prepend(str(example))
    before = set(sys.modules)

    def refused(verb: str, *words: str) -> str:
        found = CliRunner().invoke(app, [verb, "release.yaml", *words])
        assert found.exit_code == 2, found.output
        return " ".join(found.output.split())

    plugins._points.cache_clear()
    yield refused
    plugins._points.cache_clear()
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("tableseal_example", *BROKEN):
            del sys.modules[name]


BROKEN = {
    "unwell": "raise ValueError('a library is too old')",
    "fine": "def read(content, source): raise ValueError('5 is secret')\n"
    "def several(content, source): return [1]\n"
    "def search(problem, tools): return 5\n"
    "LETTERS = {'g': 'publish'}\nNUMBER = 5\n"
    "from tableseal.audit.rules import Rule\nclass Odd(Rule):\n    key = 'odd'\n",
}


@pytest.mark.parametrize(
    ("group", "points", "message"),
    [
        ("rules", {"small_value": "unwell:Rule"}, "cannot be loaded (ValueError: a library is too old)"),
        ("rules", {"small_value": "fine:Nothing"}, "cannot be loaded (AttributeError"),
        ("rules", {"small_value": "fine:NUMBER"}, "is no subclass of tableseal.audit.rules.Rule with the key"),
        ("rules", {"small_value": "fine:Odd"}, "is no subclass of tableseal.audit.rules.Rule with the key"),
        ("rules", {"threshold": "fine:Odd"}, '"threshold" (tableseal.rules) of the package odd has a name'),
        ("readers", {"jsonl": "fine:read"}, '"jsonl" (tableseal.readers) of the package odd fails (ValueError)'),
        ("readers", {"jsonl": "fine:several"}, "turnover.jsonl: expected columns"),
        ("readers", {"csv": "fine:read"}, "has a name of tableseal"),
        ("status_schemes", {"example-office": "fine:LETTERS"}, "is no mapping of letters to status words"),
        ("status_schemes", {"example-office": "fine:NUMBER"}, "is no mapping of letters to status words"),
        ("status_schemes", {"words": "fine:LETTERS"}, "has a name of tableseal"),
        ("search_methods", {"give-back": "fine:NUMBER"}, "fails (TypeError)"),
        ("search_methods", {"give-back": "fine:search"}, "gives no tableseal.suppression.search.result.Found"),
        ("search_methods", {"optimal": "fine:search"}, "has a name of tableseal"),
    ],
)
def test_what_is_wrong_with_a_package_is_said(
    example: Path, release: Path, here: Here, group: str, points: dict[str, str], message: str
) -> None:
    """The example package lacks the group in question, another package has it."""
    file = example / "tableseal_example-1.0.dist-info" / "entry_points.txt"
    file.write_text(file.read_text("utf-8").replace(f"[tableseal.{group}]", "[nothing]"), "utf-8")
    installed(example, {f"tableseal.{group}": points}, "odd", **BROKEN)
    said = here("suppress", "--method", "give-back", "-o", "out.json")
    assert message in said, said
    assert "secret" not in said


def test_a_name_that_two_packages_give_is_refused(example: Path, here: Here) -> None:
    installed(example, {"tableseal.readers": {"jsonl": "fine:read"}}, "odd", **BROKEN)
    assert "of the package odd and tableseal-example is there twice" in here("audit")


def test_who_uses_our_names_looks_for_no_packages(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("region,value\nN,5\nS,6\nT,11\n", "utf-8")
    installed(tmp_path / "packages", {"tableseal.rules": {"threshold": "unwell:X"}}, **BROKEN)
    code, _, said = run(tmp_path / "t.csv", "audit", "t.csv", "--threshold", "3", packages=tmp_path / "packages")
    assert code == 0, said
