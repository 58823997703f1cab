"""The R package: installed, and its own tests run against the command and against a service that wants a key."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.serving import address, started

PACKAGE = Path(__file__).parents[2] / "api" / "r"
PAGE = Path(__file__).parents[2] / "docs" / "developer" / "r.md"
NEEDED = ("curl", "jsonlite")


def r(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script or an expression of R."""
    command = ["Rscript", "--vanilla", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the package."""
    if shutil.which("Rscript") is None:
        pytest.skip("there is no R: apt install r-base-core r-cran-curl r-cran-jsonlite")
    if r("-e", f"stopifnot(sapply(c({', '.join(map(repr, NEEDED))}), requireNamespace))").returncode:
        pytest.skip(f"R has no {' and '.join(NEEDED)}: apt install r-cran-curl r-cran-jsonlite")
    found = tmp_path_factory.mktemp("library")
    installed = subprocess.run(
        ["R", "CMD", "INSTALL", f"--library={found}", str(PACKAGE)], capture_output=True, text=True, timeout=300
    )
    assert installed.returncode == 0, installed.stderr
    assert "Warning" not in installed.stderr
    return found


def ours(folder: Path) -> str:
    """The command as a program of its own."""
    program = folder / "tableseal"
    start = "from tableseal.api.cli import main; main()"
    root, python = shlex.quote(str(Path(__file__).parents[2])), shlex.quote(sys.executable)
    program.write_text(f"#!/bin/sh\nPYTHONPATH={root} exec {python} -c '{start}' \"$@\"\n", "utf-8")
    program.chmod(0o700)
    return str(program)


def test_by_the_command(library: Path, tmp_path: Path) -> None:
    # CONVENTION 856
    ran = r(str(PACKAGE / "tests" / "command.R"), R_LIBS=str(library), TABLESEAL_COMMAND=ours(tmp_path))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_by_a_service(library: Path, tmp_path: Path) -> None:
    # CONVENTION 856
    log = tmp_path / "log"
    with started("serve", "--port", "0", "--data", str(tmp_path / "data"), "--workers", "1", log=log) as process:
        found = {"R_LIBS": str(library), "TABLESEAL_COMMAND": ours(tmp_path), "TABLESEAL_URL": address(process, log)}
        ran = r(str(PACKAGE / "tests" / "service.R"), **found)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_page(library: Path, tmp_path: Path) -> None:
    # CONVENTION 856
    blocks = re.findall(r"^```(r|text output)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    script = tmp_path / "page.R"
    script.write_text("options(width = 150)\n" + "".join(body for kind, body in blocks if kind == "r"), "utf-8")
    ran = r(str(script), R_LIBS=str(library), TABLESEAL_COMMAND=ours(tmp_path))
    assert ran.returncode == 0, ran.stderr
    for kind, body in blocks:
        for line in body.splitlines() if kind == "text output" else ():
            assert " ".join(line.split()) in " ".join(ran.stdout.split()), ran.stdout


def test_every_name_is_described(library: Path) -> None:
    exported = [line.split("(")[1][:-1] for line in (PACKAGE / "NAMESPACE").read_text("utf-8").splitlines()]
    pages = "".join(page.read_text("utf-8") for page in (PACKAGE / "man").glob("*.Rd"))
    for name in exported:
        assert f"\\alias{{{name}}}" in pages or "," in name, name
    pages_checked = f'for (f in list.files("{PACKAGE}/man", full.names = TRUE)) print(tools::checkRd(f))'
    names_checked = f'for (f in c(tools::codoc, tools::undoc)) print(f("tableseal", lib.loc = "{library}"))'
    checked = r("-e", pages_checked, "-e", names_checked)
    assert checked.returncode == 0, checked.stderr
    assert "checkRd" not in checked.stdout, checked.stdout
    assert "Codoc mismatches" not in checked.stdout, checked.stdout
    assert "Undocumented" not in checked.stdout, checked.stdout
