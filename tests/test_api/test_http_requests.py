"""The requests of the documentation, sent by curl to a server as it says."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from serving import address, started

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "docs" / "developer" / "service.md", ROOT / "docs" / "reference" / "http.md"]
BLOCK = re.compile(r"^```\w+ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_request_gives_what_the_pages_say(tmp_path: Path) -> None:
    blocks = BLOCK.findall("\n".join(page.read_text("utf-8") for page in PAGES))
    for information, body in blocks:
        if information.startswith("file="):
            (tmp_path / information.removeprefix("file=")).write_text(body, "utf-8")
    lines = [line for information, body in blocks if information == "curl" for line in body.splitlines()]
    assert len(lines) > 10
    log = tmp_path / "log"
    with started("serve", "--port", "0", "--workers", "1", "--data", str(tmp_path / "data"), log=log) as process:
        at, job = address(process, log).removeprefix("http://"), ""
        for line in lines:
            command, _, status = line.rpartition("#")
            words = shlex.split(command.replace("localhost:8000", at).replace("/JOB", f"/{job}"))
            assert words[0] == "curl"
            target = [] if "-o" in words else ["-o", "answer"]
            said = subprocess.run(
                [*words, *target, "-s", "-S", "-D", "headers", "-w", "%{http_code}", "--max-time", "120"],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            assert said == status.strip(), f"{line}\n{(tmp_path / 'answer').read_text('utf-8')}"
            found = re.search(r"/v1/jobs/([0-9a-f]{32})", (tmp_path / "headers").read_text("utf-8"))
            job = found.group(1) if found else job
    assert json.loads((tmp_path / "proof.json").read_text("utf-8"))["schema"].startswith("tableseal/proof")
    assert (tmp_path / "cells.csv").read_text("utf-8").startswith("table,")
    assert "<html" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_service_of_the_readme(tmp_path: Path) -> None:
    blocks = BLOCK.findall(README)
    (release,) = (body for information, body in blocks if information == "file=release.yaml")
    (tmp_path / "release.yaml").write_text(release, "utf-8")
    commands, program = (body for information, body in blocks if information == "service")
    log = tmp_path / "log"
    with started("serve", "--port", "0", "--data", str(tmp_path / "data"), log=log) as process:
        at = address(process, log).removeprefix("http://")

        def run(*command: str) -> str:
            environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
            return subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=120
            ).stdout

        lines = [line.partition("#")[0].replace("localhost:8000", at) for line in commands.splitlines()]
        said = [run(*shlex.split(line)) for line in lines]
        assert [json.loads(text)["verdict"] for text in said if text] == ["unsafe", "unsafe"]
        assert run(sys.executable, "-c", program.replace("localhost:8000", at)) == "unsafe\n"
