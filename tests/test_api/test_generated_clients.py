"""Clients that programs make from `/openapi.json` run an audit: openapi-python-client, and openapi-typescript.

The second needs Node.js and packages of npm: `python3 do.py clients` brings both. TABLESEAL_TEST_NODE names the folder
with `node_modules`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from urllib.request import urlopen

import pytest
from asking import asked
from serving import address, started

from tableseal.api.http.audits import EXAMPLE

EXPLAINED = {
    "Unsupported content type": "tables and archives as they are: the client sends releases as JSON or as files",
    "Proof.argument": "a proof may consist of proofs, which this generator does not know of unions",
    "Proof.end": "holds such a proof",
    "/components/schemas/Proof": "holds such a proof",
    "WARNING parsing GET /v1/jobs/{job}/proof": "answers with one",
    "WARNING parsing GET /v1/jobs/{job}/public.zip": "answers with an archive",
    "WARNING parsing GET /v1/jobs/{job}/agency.zip": "answers with an archive",
}
"""What openapi-python-client warns of -> why it is left so."""

NODE = Path(os.environ.get("TABLESEAL_TEST_NODE", "."))

PYTHON = """
    import json, sys
    from generated import Client
    from generated.api.audits import post_audit
    from generated.api.jobs import get_result, list_jobs
    from generated.models import AuditReport, Problem, Release

    client = Client(base_url=sys.argv[1])
    release = json.load(open("release.json"))
    report = post_audit.sync(client=client, body=Release.from_dict(release), prefer="wait=60")
    assert isinstance(report, AuditReport), report
    (job,) = list_jobs.sync(client=client)
    assert get_result.sync_detailed(client=client, job=job.id).status_code == 200
    problem = post_audit.sync(client=client, body=Release.from_dict({**release, "tables": []}), prefer="wait=60")
    assert isinstance(problem, Problem), problem
    print(report.verdict.value if hasattr(report.verdict, "value") else report.verdict)
"""

TYPESCRIPT = """
    import createClient from "openapi-fetch";
    import { readFileSync } from "node:fs";
    import type { components, paths } from "./schema.js";

    const client = createClient<paths>({ baseUrl: process.argv[2] });
    const body = JSON.parse(readFileSync("release.json", "utf-8")) as components["schemas"]["Release"];
    const params = { header: { prefer: "wait=60" } };
    const { data, error } = await client.POST("/v1/audits", { body, params });
    if (typeof data !== "object" || !("verdict" in data)) throw new Error(JSON.stringify(error));
    const jobs = await client.GET("/v1/jobs");
    const [job] = jobs.data!;
    const result = await client.GET("/v1/jobs/{job}/result", { params: { path: { job: job.id } } });
    if (!result.response.ok) throw new Error(JSON.stringify(result.error));
    const wrong = await client.POST("/v1/audits", { body: { ...body, tables: [] }, params });
    if (!wrong.error?.detail) throw new Error("no problem");
    console.log(data.verdict);
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with the document and a release, and where a service of its own listens."""
    log = tmp_path / "log"
    with started("serve", "--port", "0", "--data", str(tmp_path / "data"), log=log) as server:
        at = address(server, log)
        with urlopen(f"{at}/openapi.json") as answer:
            (tmp_path / "openapi.json").write_bytes(answer.read())
        (tmp_path / "release.json").write_text(json.dumps(EXAMPLE), "utf-8")
        yield tmp_path, at


def run(folder: Path, *command: str, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=240, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(find_spec("openapi_python_client") is None, reason="openapi-python-client is not installed")
def test_the_client_of_openapi_python_client_runs_an_audit(place: tuple[Path, str]) -> None:
    """CONVENTION 872"""
    folder, at = place
    generate = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    said = run(folder, *generate, "--path", "openapi.json", "--output-path", "generated")
    heads = re.findall(r"^(?:Unable to .*|Unsupported .*|/components/schemas/\S+|WARNING parsing GET .*)", said, re.M)
    told = [head for head in heads if not head.startswith("Unable to parse this part")]
    assert [head for head in told if not any(word in head for word in EXPLAINED)] == []
    (folder / "program.py").write_text(dedent(PYTHON), "utf-8")
    assert run(folder, sys.executable, "program.py", at, PYTHONPATH=str(folder)).split() == ["safe"]


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("node") is None or not (NODE / "node_modules" / "openapi-typescript").is_dir(),
    reason="Node.js with openapi-typescript and openapi-fetch is not there (TABLESEAL_TEST_NODE)",
)
def test_the_client_of_openapi_typescript_runs_an_audit(place: tuple[Path, str]) -> None:
    """CONVENTION 872"""
    folder, at = place
    (folder / "node_modules").symlink_to((NODE / "node_modules").absolute())
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    tools = folder / "node_modules" / ".bin"
    run(folder, str(tools / "openapi-typescript"), "openapi.json", "-o", "schema.ts")
    (folder / "program.ts").write_text(dedent(TYPESCRIPT), "utf-8")
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--types", "node"]
    run(folder, str(tools / "tsc"), *options, "program.ts")
    assert run(folder, "node", "program.js", at).split() == ["safe"]


def test_the_document_is_valid_as_the_version_that_it_names(tmp_path: Path) -> None:
    """CONVENTION 872"""
    validators = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator is not installed")
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1.")
    assert [str(error) for error in validators.OpenAPIV31SpecValidator(document).iter_errors()] == []
    text = json.dumps(document)
    assert '"items": false' not in text
    assert "itemSchema" not in text
    names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(names)) == len(names)


def test_every_parameter_of_work_says_what_its_option_says(tmp_path: Path) -> None:
    """CONVENTION 872: examples and parameters come from the one declaration of options."""
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        document = client.get("/openapi.json").json()
        for path, methods in document["paths"].items():
            for parameter in methods.get("post", {}).get("parameters", ()):
                if parameter["in"] == "query":
                    assert parameter["description"], (path, parameter["name"])
        assert client.post("/v1/audits", json=EXAMPLE).status_code in (200, 202)
