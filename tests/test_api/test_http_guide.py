"""The requests of the guide, sent by curl to a server as it says."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from serving import address, started

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "guide.md").read_text("utf-8").partition("## 20. Service")[2].partition("\n## ")[0]
BLOCK = re.compile(r"^```\w+ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_request_gives_what_the_guide_says(tmp_path: Path) -> None:
    blocks = BLOCK.findall(SECTION)
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
