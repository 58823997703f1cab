"""The unit and the container file say nothing that the program does not know."""

import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
import typer

from tableseal.api.cli.app import app
from tableseal.api.settings import SECRETS, Settings, load_settings

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "tableseal.service"
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
ADMINISTRATION = (ROOT / "docs" / "administration.md").read_text("utf-8")
VARIABLE = re.compile(r"\b(TABLESEAL_[A-Z_]+)\b")


def options(verb: str) -> set[str]:
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    return {option for parameter in command.params for option in parameter.opts}


def section(name: str) -> dict[str, str]:
    unit = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT, "utf-8")
    return dict(unit[name])


def test_the_unit_starts_what_there_is() -> None:
    program, verb, *rest = shlex.split(section("Service")["ExecStart"])
    assert Path(program).name == "tableseal"
    given = {name for name in rest if name.startswith("--")}
    assert given <= options(verb)
    assert dict(zip(rest[::2], rest[1::2], strict=True))["--access"] == "keys"


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not there")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/tableseal/bin/tableseal", sys.executable), "utf-8")
    verified = subprocess.run([analyze, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False)
    said = [line for line in verified.stderr.splitlines() if UNIT.name in line]
    assert said == []
    secure = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=30", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert secure.returncode == 0, secure.stdout[-400:]


def test_the_container_file_copies_and_sets_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINER, re.MULTILINE):
        *sources, _ = line.split()
        assert all((ROOT / source).exists() for source in sources), line
    extras = re.search(r"\.\[([a-z,]+)\]", CONTAINER)
    assert extras is not None
    declared = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras[1].split(","))
    for name, value in re.findall(r"\b(TABLESEAL_[A-Z_]+)=(\S+)", CONTAINER):
        if name != SECRETS:
            monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.host, settings.access, settings.data) == ("0.0.0.0", "keys", Path("/data"))
    assert "USER tableseal" in CONTAINER


@pytest.mark.parametrize(
    "text", [CONTAINER, UNIT.read_text("utf-8"), ADMINISTRATION], ids=["container", "unit", "page"]
)
def test_every_setting_that_is_named_exists(text: str) -> None:
    known = {f"TABLESEAL_{name.upper()}" for name in Settings.model_fields} | {SECRETS}
    named = set(VARIABLE.findall(text))
    assert named
    assert named <= known


def test_the_page_for_administrators_explains_every_setting() -> None:
    for name, field in Settings.model_fields.items():
        assert f"`{name}`" in ADMINISTRATION, name
        if isinstance(field.default, int | str | float) and name not in ("host", "port", "access"):
            row = next(line for line in ADMINISTRATION.splitlines() if line.startswith(f"| `{name}`"))
            assert str(field.default).removesuffix(".0").lower() in row.replace(",", "").lower(), row
