"""The documentation is true: every verb and option is described, every example works."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from api.cli.app import app

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


@pytest.mark.parametrize(("name", "text"), [("guide", GUIDE), ("README", README)])
def test_every_example_works(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks with file=NAME are written, lines of sh blocks that call tableseal run; `# exit N` is the exit code."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, information, body in BLOCK.findall(text):
        if information.startswith("file="):
            (tmp_path / information.removeprefix("file=")).write_text(body, "utf-8")
        for line in body.splitlines() if language == "sh" else ():
            command, _, comment = line.partition("#")
            if command.startswith("tableseal "):
                code = int(comment.split()[-1]) if "exit" in comment else 0
                result = CliRunner().invoke(app, shlex.split(command)[1:])
                assert result.exit_code == code, f"{line}\n{result.output}"
                ran += 1
    assert ran > 0


def test_every_yaml_part_of_the_guide_is_valid() -> None:
    """Parts of release and policy files that are shown without their tables have known keys and shapes."""
    from audit.io.document import ReleaseDocument
    from audit.io.policy_document import PolicyDocument
    from audit.io.yaml_text import parse_document

    frame = {"tableseal": "1", "variables": {}, "tables": [{"name": "t", "file": "t.csv"}]}
    parts = [body for _, information, body in BLOCK.findall(GUIDE) if information == "part"]
    assert len(parts) > 4
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


def test_documents_do_not_link_to_files_that_are_not_there() -> None:
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
