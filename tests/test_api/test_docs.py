"""The documentation is true: every verb and option is described, every example works."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tableseal.api.cli.app import app

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guide.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_verb_and_option_is_in_the_guide() -> None:
    command = typer.main.get_command(app)
    for name, verb in command.commands.items():  # type: ignore[attr-defined]
        assert f"tableseal {name}" in GUIDE
        assert "Example: tableseal" in verb.help
        for parameter in verb.params:
            for option in parameter.opts:
                assert not option.startswith("-") or f"{option}" in GUIDE, f"{name} {option}"


def words(text: str) -> str:
    """The text on one line, as it was before it was broken to fit the page."""
    return " ".join(text.split())


@pytest.mark.parametrize(("name", "text"), [("guide", GUIDE), ("README", README)])
def test_every_example_works(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks with file=NAME are written, lines of sh blocks that call tableseal run; `# exit N` is the exit code.

    Python blocks marked `run` are run. Each line of a block marked `output` stands in what the last command said.
    """
    monkeypatch.chdir(tmp_path)
    ran = 0
    said = ""
    for language, information, body in BLOCK.findall(text):
        if information == "run":
            exec(body, {})
            said = capsys.readouterr().out
        if information == "output":
            for line in body.splitlines():
                assert words(line) in words(said), line
        if information.startswith("file="):
            (tmp_path / information.removeprefix("file=")).write_text(body, "utf-8")
        for line in body.splitlines() if language == "sh" else ():
            command, _, comment = line.partition("#")
            if command.startswith("tableseal "):
                code = int(comment.split()[-1]) if "exit" in comment else 0
                result = CliRunner().invoke(app, shlex.split(command)[1:])
                assert result.exit_code == code, f"{line}\n{result.output}"
                said = result.output
                ran += 1
    assert ran > 0


def test_every_yaml_part_of_the_guide_is_valid() -> None:
    """Parts of release and policy files that are shown without their tables have known keys and shapes."""
    from tableseal.audit.io.document import ReleaseDocument
    from tableseal.audit.io.policy_document import PolicyDocument
    from tableseal.audit.io.yaml_text import parse_document

    frame = {"tableseal": "1", "variables": {"a": {"codes": ["x"]}}, "tables": [{"name": "t", "file": "t.csv"}]}
    parts = [body for _, information, body in BLOCK.findall(GUIDE) if information == "part"]
    assert parts
    for part in parts:
        document = parse_document(part, "guide")
        assert isinstance(document, dict)
        if "primary" in document:
            PolicyDocument.model_validate(document)
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


def test_documents_do_not_link_to_files_that_are_not_there() -> None:
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        text = path.read_text("utf-8")
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", text):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
        headings = [
            re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)
        ]
        for anchor in re.findall(r"\]\(#([^)]+)\)", text):
            assert anchor in headings, f"{path.name}: #{anchor}"
