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
SAS = ROOT / "docs" / "developer" / "sas.md"
PAGES = [ROOT / "docs" / "developer" / "service.md", ROOT / "docs" / "reference" / "http.md", SAS]
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
    what_sas_reads(tmp_path)


def what_sas_reads(folder: Path) -> None:
    """The members of the answers that become data sets of SAS, and the address of a job in its fourth word."""
    # CONVENTION 857
    pattern = json.loads((folder / "suppressed.json").read_text("utf-8"))
    assert pattern["verdict"] == "safe"
    assert [set(cell["cell"]) for cell in pattern["cells"]] == [{"region", "size"}] * 3
    protected = json.loads((folder / "protected.json").read_text("utf-8"))
    assert protected["tables"][0]["cells"]["status"].count("withheld") == 4
    assert (folder / "audited.csv").read_text("utf-8").startswith("table,")
    headers = {"content-location: /v1/jobs/JOB/result", "Location: /v1/jobs/JOB"}
    assert {[word for word in header.split("/") if word][3] for header in headers} == {"JOB"}


def test_the_requests_of_sas_are_those_of_curl() -> None:
    # CONVENTION 857
    blocks = re.findall(r"^```(sas|sh curl)\n(.*?)^```$", SAS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    sas = "".join(body for language, body in blocks if language == "sas")
    curl = [line for language, body in blocks if language != "sas" for line in body.splitlines()]
    requests = re.findall(r"proc http(.*?)run;", sas, re.DOTALL)
    assert len(requests) == len(curl) == 3
    for request, line in zip(requests, curl, strict=True):
        words = shlex.split(line)
        (url,) = re.findall(r'url="&host(/[^"]*)"', request)
        assert f"localhost:8000{url.replace('&job', 'JOB')}" in words
        sent = dict(re.findall(r'"([\w-]+)"="([^"]*)"', request))
        sent |= dict(re.findall(r'(ct)="([^"]*)"', request))
        said = dict(word.split(": ") for word in words if re.match(r"[A-Z][\w-]+: ", word))
        assert sent == {name.replace("Content-Type", "ct"): value for name, value in said.items()}
        assert ('method="POST"' in request) == ("--data-binary" in words)
    assert sas.count("proc http") == sas.count("oauth_bearer")


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
