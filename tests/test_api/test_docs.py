"""The documentation is true: every verb and option is described, every example works."""

import doctest
import importlib
import importlib.util
import inspect
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

import tableseal
from tableseal.api.cli.app import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES_OF = re.compile(r"^<!-- files: (.*) -->$", re.MULTILINE)
"""Pages whose files a page goes on with."""

PAGES = {str(path.relative_to(ROOT)): path for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]}
TEXTS = {name: path.read_text("utf-8") for name, path in PAGES.items()}
RUN = [name for name, text in TEXTS.items() if re.search(r"^```(sh|python run)$", text, re.MULTILINE)]


def words(text: str) -> str:
    """The text on one line, as it was before it was broken to fit the page."""
    return " ".join(text.split())


def taken_over(page: Path) -> Iterator[tuple[str, str]]:
    """Name and content of the files of the pages that a page goes on with."""
    for others in FILES_OF.findall(page.read_text("utf-8")):
        for other in others.split():
            yield from taken_over(page.parent / other)
            for _, information, body in BLOCK.findall((page.parent / other).read_text("utf-8")):
                if information.startswith("file="):
                    yield information.removeprefix("file="), body


@pytest.mark.parametrize("name", RUN)
def test_every_example_works(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each page in a folder of its own: blocks with file=NAME are written, commands of sh blocks run (`# exit N` for
    their exit code), Python blocks marked `run` too; lines of blocks marked `output` stand in what was said last.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases").symlink_to(ROOT / "cases")
    for file, content in taken_over(PAGES[name]):
        Path(file).write_text(content, "utf-8")
    said, names = "", dict[str, Any]()
    for language, information, body in BLOCK.findall(TEXTS[name]):
        if information.startswith("file="):
            Path(information.removeprefix("file=")).write_text(body, "utf-8")
        if information == "run":
            exec(body, names)
            said = capsys.readouterr().out
        if information == "output":
            for line in body.splitlines():
                assert words(line) in words(said), line
        for line in body.splitlines() if (language, information) == ("sh", "") else ():
            command, _, comment = line.partition(" #")
            program, *arguments = shlex.split(command)
            if program == "cd":
                monkeypatch.chdir(arguments[0])
            elif program == "tableseal":
                result = CliRunner().invoke(app, arguments)
                code = int(comment.split()[-1]) if "exit" in comment else 0
                assert result.exit_code == code, f"{line}\n{result.output}"
                said = result.output
            else:
                assert name == "README.md", f"not run: {line}"


def test_examples_are_found_on_the_pages() -> None:
    assert "docs/tutorial.md" in RUN
    assert len(RUN) > 20


def load(name: str) -> ModuleType:
    """A module of the folder of documents."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = load("generated")
COMMANDS = GENERATED.expanded(TEXTS["docs/reference/commands.md"])


@pytest.mark.parametrize(("name", "verb"), [pytest.param(name, verb, id=name) for name, verb in GENERATED.verbs()])
def test_every_verb_and_option_is_in_the_reference(name: str, verb: Any) -> None:
    section = COMMANDS.partition(f"## tableseal {name}\n")[2].partition("\n## ")[0]
    assert f"Example: `tableseal {name}" in section
    for parameter in verb.params:
        assert parameter.help
        assert words(parameter.help).replace("|", "\\|") in section
        for option in parameter.opts:
            assert f"`{option}`" in section or not option.startswith("-")


def test_every_public_name_is_in_the_reference() -> None:
    page = GENERATED.expanded(TEXTS["docs/reference/python.md"])
    for door in GENERATED.DOORS:
        for name in getattr(importlib.import_module(door), "__all__", ()):
            described = page.partition(f"### {name}\n")[2].partition("\n### ")[0]
            assert described.strip(), name


def test_docstrings_become_markdown() -> None:
    docstring = """What it does.

Parameters
----------
data: a path, or
    a frame: of any kind.
seed: of what is drawn.

Examples
--------
>>> 1 + 1
2

And so on."""
    assert GENERATED.described(docstring).split("\n\n") == [
        "What it does.",
        "**Parameters**",
        "- `data`: a path, or\n    a frame: of any kind.\n- `seed`: of what is drawn.",
        "**Examples**",
        "```pycon\n>>> 1 + 1\n2\n```",
        "And so on.",
    ]


def test_every_public_name_has_an_example_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = {name: getattr(tableseal, name) for name in tableseal.__all__}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for name, thing in names.items():
        text = inspect.getdoc(thing) or ""
        parsed = doctest.DocTestParser().get_doctest(text, {**names, "ts": tableseal}, name, None, None)
        if not name.startswith("__"):
            assert parsed.examples, f"{name} has no example"
        assert runner.run(parsed).failed == 0, name


def test_every_route_and_its_parameters_are_in_the_reference() -> None:
    page = GENERATED.expanded(TEXTS["docs/reference/http.md"])
    for route in (
        "/v1/audits",
        "/v1/suppressions",
        "/v1/comparisons",
        "/v1/batches",
        "/v1/risk",
        "/v1/sap",
        "/v1/attacks",
    ):
        assert f"### POST {route}\n" in page
    assert "`withhold_primaries`" in page


def test_every_request_for_work_and_every_verb_is_on_the_pages(tmp_path: Path) -> None:
    """Tables and lists that are written by hand name each POST route, each verb of the client and of the door."""
    from tableseal.api.client import Client
    from tableseal.api.http.app import create_app
    from tableseal.api.settings import Settings

    paths = create_app(Settings(data=tmp_path)).openapi()["paths"]
    page = " ".join(re.findall(r"`([^`]*)`", TEXTS["docs/reference/http.md"]))
    posts = [path for path, operations in paths.items() if path.startswith("/v1/") and "post" in operations]
    assert len(posts) > 10
    for path in posts:
        assert re.sub(r"\{\w+\}", "NAME", path, count=1).split("{")[0] in page, path
    service = TEXTS["docs/developer/service.md"]
    (said,) = re.findall(r"^Verbs are (.*?)\. ", service, re.MULTILINE | re.DOTALL)
    verbs = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    assert verbs - {"close"} == set(re.findall(r"`(\w+)`", said))
    for name in (
        "audit",
        "suppress",
        "protect",
        "compare",
        "risk",
        "sap",
        "attack",
        "verify",
        "read",
        "plan",
        "publish",
    ):
        assert callable(getattr(tableseal, name))
        assert f"`ts.{name}" in TEXTS["docs/developer/python.md"], name


def test_generated_parts_are_known() -> None:
    """A part that nobody makes, or that no page shows, is a mistake."""
    asked = [
        part for text in TEXTS.values() for part in re.findall(r"<!-- generated: (.*?) -->", text) if part != "NAME"
    ]
    assert sorted(asked) == sorted(GENERATED.PARTS)


def test_every_yaml_part_is_valid() -> None:
    """Parts of release and policy files that are shown without their tables have known keys and shapes."""
    from tableseal.audit.io.document import ReleaseDocument
    from tableseal.audit.io.policy_document import PolicyDocument
    from tableseal.audit.io.yaml_text import parse_document
    from tableseal.audit.plans.document import VERSION_KEY, PlanDocument

    frame = {"tableseal": "1", "variables": {"a": {"codes": ["x"]}}, "tables": [{"name": "t", "file": "t.csv"}]}
    parts = [body for text in TEXTS.values() for _, information, body in BLOCK.findall(text) if information == "part"]
    assert len(parts) > 1
    for part in parts:
        document = parse_document(part, "page")
        assert isinstance(document, dict)
        if "primary" in document:
            PolicyDocument.model_validate(document)
        elif document.pop(VERSION_KEY, None):
            PlanDocument.model_validate(document)
        else:
            ReleaseDocument.model_validate(frame | document)


def test_the_two_commands_of_the_readme_are_verbs() -> None:
    assert "python3 do.py demo" in README
    assert "python3 do.py test" in README


def test_the_real_result_of_the_readme_is_true(tmp_path: Path) -> None:
    """The demo says what the README shows, and the numbers in its text are those of the report."""
    report = tmp_path / "report.json"
    release = ROOT / "cases" / "french_business" / "turnover.yaml"
    result = CliRunner().invoke(app, ["audit", str(release), "--withhold-primaries", "--json", str(report)])
    shown = [
        line for _, information, body in BLOCK.findall(README) if information == "demo" for line in body.splitlines()
    ]
    assert len(shown) == 3
    for line in shown:
        assert words(line) in words(result.output), line
    found = json.loads(report.read_text("utf-8"))
    summary = found["summary"]
    assert f"{summary['cells']:,} cells" in README
    assert f"make {summary['withheld']} of them sensitive" in words(README)
    assert f"**{summary['exposed']} of the {summary['withheld']}**" in README
    coefficients = [[c for c, _ in cell["reveals"]["terms"]] for cell in found["cells"] if cell["reveals"]]
    assert sum(c.count(1) == 1 and c.count(-1) == len(c) - 1 for c in coefficients) > 200


def anchors(text: str) -> set[str]:
    """What headings can be linked to by."""
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}


def test_documents_do_not_link_to_what_is_not_there() -> None:
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", path.read_text("utf-8")):
            file, _, anchor = target.partition("#")
            to = path.parent / file if file else path
            assert to.exists(), f"{path.name}: {target}"
            if anchor:
                assert anchor in anchors(GENERATED.expanded(to.read_text("utf-8"))), f"{path.name}: {target}"


def test_every_page_is_in_a_menu_and_asks_for_a_reader() -> None:
    index = TEXTS["docs/index.md"]
    listed = {page for menu in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for page in menu.split("\n")}
    for path in DOCS.rglob("*.md"):
        page = str(path.relative_to(DOCS).with_suffix(""))
        assert page in listed or page == "index", page


CODE = [
    path
    for folder in ("audit", "suppression", "api", "cases", "tests", "docs")
    for path in (ROOT / folder).rglob("*.py")
]


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "README.md"])
def test_files_and_folders_that_are_named_are_there(name: str) -> None:
    """A page that tells where something is found is read by those who look for it."""
    for named in re.findall(r"`([\w/]+\.py)[`:]", TEXTS[name]):
        assert any(f"/{path.relative_to(ROOT)}".endswith(f"/{named}") for path in CODE), named
    for named in re.findall(r"`((?:audit|suppression|api|cases|deploy|docs)/[\w/]+)`", TEXTS[name]):
        assert (ROOT / named).exists(), named


def test_python_has_the_options_of_the_command_but_those_that_the_page_names() -> None:
    page = TEXTS["docs/developer/python.md"]
    left_out = page.partition("Python has no use for")[2].partition("\n\n")[0]
    keywords: dict[str, set[str]] = {}
    for name, verb in GENERATED.verbs():
        if name in ("audit", "suppress", "compare", "risk", "sap", "attack"):
            keywords[name] = set(inspect.signature(getattr(tableseal, name)).parameters)
            options = {parameter.name for parameter in verb.params if parameter.param_type_name == "option"}
            for missing in options - keywords[name]:
                assert f"`{missing}`" in left_out, (name, missing)
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert len(rows) > 5
    for keyword in re.findall(r"`(\w+)`", " ".join(rows)):
        assert keyword in keywords["audit"], keyword
    assert {name for name, found in keywords.items() if "solver" in found} == {"suppress", "compare"}
    assert {name for name, found in keywords.items() if "state" in found} == {"audit"}
