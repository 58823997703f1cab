"""Plans over HTTP: what hangs together, and everything of it made safe as the command does it, going on where it was
stopped."""

import fcntl
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, archive, asked, path_of
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from cases.service.running import patiently
from tableseal.api.cli.verbs import command
from tableseal.api.http.plans import EXAMPLE
from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.folder import lasting_folder
from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.settings import Settings, load_settings
from tableseal.audit.errors import InputError
from tableseal.audit.execution import processes
from tableseal.audit.execution.executor import HERE

FILES: dict[str, Any] = {
    **EXAMPLE,
    "measures": {"firms": {"kind": "count"}, "turnover": {"kind": "magnitude"}},
    "tables": [*EXAMPLE["tables"], {"name": "turnover", "measure": "turnover", "by": ["region"]}],
    "microdata": {"file": "firms.csv", "values": {"turnover": "turnover"}},
}
"""A plan of two clusters."""


def records() -> str:
    cells = EXAMPLE["microdata"]["cells"]
    rows = zip(cells["region"], cells["size"], strict=True)
    return "region,size,turnover\n" + "".join(f"{r},{s},{10 + k}\n" for k, (r, s) in enumerate(rows))


def unzipped(client: TestClient, job: str, part: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(client.get(f"{job}/{part}.zip").content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def files(folder: Path) -> dict[str, bytes]:
    """All but the mark of the folder."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".")}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plan.json").write_text(json.dumps(FILES), "utf-8")
    (tmp_path / "firms.csv").write_text(records(), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_plan_is_that_of_the_command(client: TestClient, home: Path) -> None:
    packed = archive(("plan.json", json.dumps(FILES).encode()), ("firms.csv", records().encode()))
    response = client.post("/v1/plans", content=packed, headers={**WAIT, "Content-Type": "application/zip"})
    assert response.status_code == 200, response.text
    assert CliRunner().invoke(command(), ["plan", "plan.json", "--json", "out.json"]).exit_code == 0
    assert response.content == Path("out.json").read_bytes().rstrip()
    lines = client.get(f"{path_of(response)}/result?format=jsonl").text.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["firms", "turnover"]
    bare = "table_name,indicator,spanning_1\na,firms,region\nb,firms,size\n"
    listed = client.post("/v1/plans", content=bare, headers={**WAIT, "Content-Type": "text/csv"})
    assert (listed.status_code, listed.json().get("tables")) == (200, 2), listed.text


def test_what_is_published_is_what_the_command_writes(client: TestClient, home: Path) -> None:
    """CONVENTION 930, 991: and it can be verified offline."""
    form = {"plan": ("plan.json", json.dumps(FILES)), "file": ("firms.csv", records())}
    response = client.post("/v1/published", files=form, headers=WAIT)
    assert response.status_code == 200, response.text
    job = path_of(response)
    done = CliRunner().invoke(command(), ["publish", "plan.json", "-o", "out"])
    assert done.exit_code == 0, done.output
    assert response.content == Path("out/summary.json").read_bytes().rstrip()
    parts = {part: unzipped(client, job, part) for part in ("public", "agency")}
    assert {name for name in parts["public"] if not name.startswith("public/")} == set()
    assert parts["public"] | parts["agency"] == files(home / "out")
    assert client.get(f"{job}/certificate").content == Path("out/certificate.json").read_bytes()
    for found in parts.values():
        for name, content in found.items():
            (home / "unpacked" / name).parent.mkdir(parents=True, exist_ok=True)
            (home / "unpacked" / name).write_bytes(content)
    checked = CliRunner().invoke(command(), ["verify", "unpacked/certificate.json", "unpacked", "--inputs", "."])
    assert checked.exit_code == 0, checked.output
    progress = client.get(job).json()["progress"]  # not told of every step
    assert progress is None or (progress["stage"], progress["total"]) == ("clusters", 2)
    assert client.get(f"{job}/protected").status_code == 404


def test_certificates_are_signed_with_the_key_of_the_service(tmp_path: Path) -> None:
    """CONVENTION 1001"""
    key = Ed25519PrivateKey.generate()
    (tmp_path / "own.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "public.pem").write_bytes(public)
    with asked(tmp_path / "data", signing_key=tmp_path / "own.pem") as signing:
        response = signing.post("/v1/published", json=EXAMPLE, headers=WAIT)
        assert response.status_code == 200, response.text
        for part in ("public", "agency"):
            for name, content in unzipped(signing, path_of(response), part).items():
                (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / "out" / name).write_bytes(content)
    verify = ["verify", f"{tmp_path}/out/certificate.json", f"{tmp_path}/out", "--key", f"{tmp_path}/public.pem"]
    checked = CliRunner().invoke(command(), verify)
    assert checked.exit_code == 0, checked.output
    assert "The signature is by this key." in checked.output


def test_a_key_that_is_lost_is_not_the_fault_of_who_asks(tmp_path: Path) -> None:
    """CONVENTION 1001"""
    with asked(tmp_path / "data", signing_key=tmp_path / "lost.pem") as signing:
        response = signing.post("/v1/published", json=EXAMPLE, headers=WAIT)
    assert response.status_code == 500, response.text
    assert "lost.pem" not in response.text


def test_a_key_that_cannot_sign_ends_the_service_at_its_start(tmp_path: Path) -> None:
    """CONVENTION 1001"""
    (tmp_path / "no.pem").write_text("nothing")
    with pytest.raises(InputError, match="a private key of Ed25519 in PEM form"):
        load_settings(data=tmp_path, signing_key=tmp_path / "no.pem")
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(data=tmp_path, signing_key=tmp_path / "gone.pem")


def test_what_cannot_be_used_is_said_with_its_place(client: TestClient) -> None:
    wrong = {**EXAMPLE, "tables": [{"name": "x", "measure": "y", "by": ["region"]}]}
    for path in ("/v1/plans", "/v1/published"):
        response = client.post(path, json=wrong, headers=WAIT)
        assert (response.status_code, response.json()["pointer"]) == (422, "/tables/0"), response.text
        assert client.post(path, content="{", headers={"Content-Type": "application/json"}).status_code == 422
    assert client.post("/v1/published?time_limit=1e9", json=EXAMPLE).json()["parameter"] == "time_limit"
    assert client.post("/v1/plans?method=x", json=EXAMPLE).status_code == 422


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters are worked on in this process, which has all loaded."""
    monkeypatch.setattr(processes, "Processes", lambda _: nullcontext(HERE))


def work(home: Path, lasting: Path | None, *, cells: int = 1000, stop_after: int | None = None) -> Any:
    """An attempt that is cut short when so many clusters are done."""

    def progress(_: str, done: int, total: int) -> None:
        if done == stop_after:
            raise KeyboardInterrupt

    kind = all_kinds()["published"]
    return attempt(kind, kind.request(plan="plan.json").model_dump_json(), home, Limits(None, cells), progress,
                   lasting=lasting)  # fmt: skip


@pytest.mark.usefixtures("here")
def test_an_attempt_goes_on_where_the_one_before_was_lost(home: Path) -> None:
    """CONVENTION 931"""
    lasting = lasting_folder(home, "0" * 32)
    with pytest.raises(KeyboardInterrupt):
        work(home, lasting, stop_after=1)
    (first,) = (lasting / "records").iterdir()
    report = lasting / "agency" / f"{first.stem}.report.json"
    before = report.stat().st_mtime_ns
    found = work(home, lasting)
    assert report.stat().st_mtime_ns == before, "what is done is not done again"
    afresh = work(home, None)
    assert isinstance(found, Result)
    assert isinstance(afresh, Result)
    assert [d.read() for d in found.documents] == [d.read() for d in afresh.documents]


@pytest.mark.usefixtures("here")
def test_an_attempt_does_not_wait_for_one_that_was_given_up(home: Path) -> None:
    lasting = lasting_folder(home, "0" * 32)
    with open(lasting / ".tableseal-publication", "w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        found = work(home, lasting)
    assert isinstance(found, Result)
    assert found.outcome == "safe"


@pytest.mark.usefixtures("here")
def test_a_cluster_that_is_too_large_is_its_entry(home: Path) -> None:
    found = work(home, None, cells=5)
    assert isinstance(found, Result)
    assert found.outcome == "undecided"
    clusters = json.loads(found.documents[0].read())["clusters"]
    assert [(c["verdict"], (c["failure"] or {}).get("kind")) for c in clusters] == [("failed", "limit"), ("safe", None)]


def test_nothing_is_left_of_jobs_that_are_gone(tmp_path: Path) -> None:
    """CONVENTION 931"""
    lost = lasting_folder(Settings(data=tmp_path).working_folder, "f" * 32)
    with asked(tmp_path) as client:
        assert client.post("/v1/published", json=EXAMPLE, headers=WAIT).status_code == 200
        for _ in patiently("folders of jobs that have ended are there"):
            if not list(lost.parent.glob("job-*")):
                break
