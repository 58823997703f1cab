"""Whatever comes in, the answer is a problem document: never a fault of the service, never its memory or its time."""

import asyncio
import gzip
import io
import json
import logging
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, archive, asked, path_of
from databases import BACKENDS, new_database
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.body_limit import BodyLimit
from tableseal.api.http.errors import ProblemError, problem_response
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role, create_token

JSON = {**WAIT, "Content-Type": "application/json"}
ZIP = {**WAIT, "Content-Type": "application/zip"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(
        tmp_path_factory.mktemp("service"), worker=False, max_unpacked=2_000_000, max_files=20, inline_bytes=20_000_000
    ) as opened:
        yield opened


def problem(response: Any, status: int, slug: str) -> dict[str, Any]:
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["type"] == f"urn:tableseal:problem:{slug}"
    assert found["status"] == status
    return found


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.binary(min_size=1, max_size=200)
    | st.text(min_size=1, max_size=200).map(lambda t: t.encode("utf-8", "ignore"))
)
@pytest.mark.parametrize(
    "media_type",
    ["application/json", "application/yaml", "text/csv", "application/zip", "multipart/form-data; boundary=x"],
)
def test_noise(client: TestClient, media_type: str, content: bytes) -> None:
    response = client.post("/v1/audits", content=content, headers={**WAIT, "Content-Type": media_type})
    assert response.status_code in (200, 422), response.text
    if response.status_code == 422:
        assert response.json()["detail"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_release_with_a_part_of_another(client: TestClient, data: st.DataObject) -> None:
    """Parts of a good release, exchanged."""
    text = json.dumps(EXAMPLE)
    cut, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 30))
    put = data.draw(st.sampled_from(["", "null", "[]", "{}", "-1", "1e400", '"\\ud800"', "NaN", '"', "[[[[", "1" * 30]))
    response = client.post("/v1/audits", content=text[:cut] + put + text[cut + length :], headers=JSON)
    assert response.status_code in (200, 422), response.text


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"tableseal": 1, "tableseal": 1}',
        b'{"tableseal": NaN}',
        b'{"tableseal": -Infinity}',
        b'{"tableseal": 1e999999999}',
        b"\xff\xfe\x00",
        b'"\xed\xa0\x80"',
        b"1" * 100_000,
    ],
)
def test_documents_that_are_none(client: TestClient, content: bytes) -> None:
    problem(client.post("/v1/audits", content=content, headers=JSON), 422, "invalid-release")


def test_documents_that_grow(client: TestClient) -> None:
    """Aliases that stand for aliases, and nesting, in YAML."""
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    for text in (bomb, "[" * 50_000, "!!python/object/apply:os.system [ls]"):
        headers = {**WAIT, "Content-Type": "application/yaml"}
        problem(client.post("/v1/audits", content=text, headers=headers), 422, "invalid-release")


def test_a_million_columns(client: TestClient) -> None:
    names = [f"c{k}" for k in range(1_000_000)]
    release = json.dumps({**EXAMPLE, "tables": [{"name": "t", "cells": {name: [1] for name in names[:50_000]}}]})
    table = ",".join(names) + "\n"
    for content, media_type, count in ((table, "text/csv", 1_000_000), (release, "application/json", 50_000)):
        response = client.post("/v1/audits", content=content, headers={**WAIT, "Content-Type": media_type})
        found = problem(response, 422, "limit")
        assert f"{count:,} columns" in found["detail"]


@pytest.mark.parametrize(
    "name",
    [
        "../up.csv",
        "/etc/passwd",
        "a/../../b.csv",
        "C:\\x.csv",
        "\\\\host\\x.csv",
        "a\nb.csv",
        "x" * 300,
    ],
)
def test_names_that_lead_elsewhere(client: TestClient, name: str) -> None:
    packed = archive(("release.json", json.dumps(EXAMPLE).encode()), (name, b"x"))
    problem(client.post("/v1/audits", content=packed, headers=ZIP), 422, "invalid-file-name")
    form = {"release": ("release.json", json.dumps(EXAMPLE)), "file": ("more.zip", packed)}
    problem(client.post("/v1/audits", files=form, headers=WAIT), 422, "invalid-file-name")


@pytest.mark.parametrize("name", [".DS_Store", "__MACOSX/._release.json", "a/.hidden/release.json"])
def test_what_is_hidden_in_an_archive_is_passed_over(client: TestClient, name: str) -> None:
    packed = archive(("release.json", json.dumps(EXAMPLE).encode()), (name, b"x"))
    assert client.post("/v1/audits", content=packed, headers=ZIP).status_code == 200


def test_doubled_names_are_refused(client: TestClient) -> None:
    packed = archive(("release.json", json.dumps(EXAMPLE).encode()), ("./release.json", b"{}"))
    found = problem(client.post("/v1/audits", content=packed, headers=ZIP), 422, "invalid-upload")
    assert "there twice" in found["detail"]


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "a/../../secret.csv"])
def test_a_release_cannot_name_files_outside(client: TestClient, name: str) -> None:
    release = {**EXAMPLE, "tables": [{"name": "t", "file": name}]}
    found = problem(client.post("/v1/audits", json=release, headers=WAIT), 422, "invalid-release")
    assert found["pointer"].startswith("/tables/0")
    assert "root:" not in found["detail"]


def test_links_in_archives_are_refused(client: TestClient) -> None:
    import zipfile

    target = io.BytesIO(archive(("release.json", json.dumps(EXAMPLE).encode())))
    with zipfile.ZipFile(target, "a") as opened:
        entry = zipfile.ZipInfo("link.csv")
        entry.external_attr = 0o120777 << 16
        opened.writestr(entry, "/etc/passwd")
    found = problem(client.post("/v1/audits", content=target.getvalue(), headers=ZIP), 422, "invalid-upload")
    assert "a link or a device" in found["detail"]


def test_archives_that_explode(client: TestClient) -> None:
    zeros = archive(("release.csv", b"0" * 30_000_000))
    problem(client.post("/v1/audits", content=zeros, headers=ZIP), 413, "archive-too-large")
    problem(client.post("/v1/audits", files={"file": ("a.zip", zeros)}, headers=WAIT), 413, "archive-too-large")
    for sent in ({"content": zeros, "headers": ZIP}, {"files": {"releases": ("a.zip", zeros)}, "headers": WAIT}):
        problem(client.post("/v1/batches", **sent), 413, "archive-too-large")
    assert client.post("/batches", files={"files": ("a.zip", zeros)}).status_code == 413
    many = archive(*((f"{k}.csv", b"") for k in range(21)))
    problem(client.post("/v1/audits", content=many, headers=ZIP), 413, "too-many-files")
    crowd = archive(*((f"{k:0>150}", b"") for k in range(500)))
    problem(client.post("/v1/audits", content=crowd, headers=ZIP), 413, "too-many-files")


@pytest.mark.parametrize(
    "media_type", ["text/html", "application/octet-stream", "application/x-www-form-urlencoded", "", "a" * 500]
)
def test_other_media_types(client: TestClient, media_type: str) -> None:
    for path in ("/v1/audits", "/v1/risk", "/v1/sap"):
        response = client.post(path, content=b"x=1", headers={**WAIT, "Content-Type": media_type})
        problem(response, 415, "unsupported-media-type")
        assert "application/json" in response.headers["accept"]


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "gzip, identity", "x" * 500])
def test_packed_bodies(client: TestClient, coding: str) -> None:
    content = gzip.compress(json.dumps(EXAMPLE).encode())
    for path in ("/v1/audits", "/v1/batches", "/v1/risk", "/v1/suppressions"):
        response = client.post(path, content=content, headers={**JSON, "Content-Encoding": coding})
        found = problem(response, 415, "unsupported-media-type")
        assert found["parameter"] == "Content-Encoding"
        assert response.headers["accept-encoding"] == "identity"
    assert client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, "Content-Encoding": "Identity"}).status_code == 200


def test_half_of_a_surrogate_pair(client: TestClient) -> None:
    text = json.dumps(EXAMPLE)
    for word in (EXAMPLE["title"], "region", "Total", "primary"):
        answer = client.post("/v1/audits", content=text.replace(f'"{word}"', f'"{word}\\ud800"'), headers=JSON)
        problem(answer, 422, "invalid-release")


def test_who_goes_away_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    app = create_app(Settings(data=tmp_path))
    headers = [(b"host", b"localhost"), (b"content-length", b"100")]
    for path, media_type in (
        ("/v1/audits", b"application/json"),
        ("/v1/batches", b"application/zip"),
        ("/v1/risk", b"multipart/form-data; boundary=x"),
        ("/releases", b"multipart/form-data; boundary=x"),
        ("/account", b"application/x-www-form-urlencoded"),
    ):
        messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"--x\r\n", "more_body": True}]

        async def receive(messages: list[Any] = messages) -> Any:
            return messages.pop()

        async def send(_: Any) -> None:
            pass

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [*headers, (b"content-type", media_type)],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
        }
        asyncio.run(app(scope, receive, send))
    assert len(caplog.records) >= 5
    assert {record.levelname for record in caplog.records} == {"INFO"}


def test_forms_that_cannot_be_used(client: TestClient) -> None:
    release = json.dumps(EXAMPLE).encode()
    for files, data in (
        ([("file", ("a.txt2", b"x"))], {}),
        ([("release", ("a.json", release)), ("release", ("b.json", release))], {}),
        ([("file", ("a.csv", b"x")), ("file", ("a.csv", b"x"))], {}),
        ([("release", ("a.json", release))], {"bounds": "lp"}),
        ([("file", ("a.csv", b"x")), ("file", ("b.csv", b"x"))], {}),
    ):
        problem(client.post("/v1/audits", files=files, data=data, headers=WAIT), 422, "invalid-upload")
    broken = {**WAIT, "Content-Type": "multipart/form-data"}
    problem(client.post("/v1/audits", content=b"--x\r\n", headers=broken), 422, "invalid-upload")


def test_large_bodies_need_no_memory(tmp_path: Path) -> None:
    """A body of 60 MB, an archive and a form of that size: the server's memory grows by a fraction of it."""

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    async def drained(folder: Path) -> None:
        from starlette.requests import Request

        from tableseal.api.http.spool import Spool
        from tableseal.api.http.uploads import read_upload

        chosen = Settings(data=folder)
        piece = b"1,2,3\n" * 10_000
        for head, tail, media_type in (
            (b"", b"", "text/csv"),
            (b'--x\r\nContent-Disposition: form-data; name="release"; filename="a.csv"\r\n\r\n', b"\r\n--x--\r\n",
             "multipart/form-data; boundary=x"),
        ):  # fmt: skip
            left = iter([head, *[piece] * 1000, tail])

            async def receive() -> Any:
                part = next(left, None)  # noqa: B023
                return {"type": "http.request", "body": part or b"", "more_body": part is not None}

            scope = {"type": "http", "method": "POST", "headers": [(b"content-type", media_type.encode())]}
            with Spool(chosen.working_folder) as spool:
                upload = await read_upload(Request(scope, receive), chosen, spool)
                (file,) = upload.files
                assert file.size == 60_000_000
                assert isinstance(file.content, Path)
                assert file.content.stat().st_mode & 0o077 == 0 or file.content.parent.stat().st_mode & 0o077 == 0
            assert not file.content.exists()

    before = peak()
    asyncio.run(drained(tmp_path))
    assert peak() - before < 25


def test_bodies_that_drip(tmp_path: Path) -> None:
    """A client that sends a byte now and then is sent away when its time is over, whatever it still wants to say."""
    sent = 0

    async def drip() -> Any:
        nonlocal sent
        sent += 1
        assert sent < 1000, "each byte starts its time again"
        await asyncio.sleep(0.02 if sent > 1 else 0)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass

    async def nothing(message: Any) -> None:
        raise AssertionError(message)

    with pytest.raises(ProblemError) as caught:
        asyncio.run(BodyLimit(app, 1000, 0.2, problem_response)({"type": "http", "headers": []}, drip, nothing))
    assert (caught.value.problem.status, caught.value.problem.slug) == (408, "upload-too-slow")
    assert sent > 1, "it was let begin"


def test_a_body_that_never_ends_is_cut(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, max_body=1_000_000) as client:
        taken = 0

        def pieces() -> Iterator[bytes]:
            nonlocal taken
            for _ in range(1000):
                taken += 1
                yield b" " * 100_000

        problem(client.post("/v1/audits", content=pieces(), headers=JSON), 413, "body-too-large")


def test_keys_that_do_not_hold(tmp_path: Path) -> None:
    """Expired, unknown and malformed keys, and what belongs to others."""
    chosen = Settings(data=tmp_path, access="keys", inline_seconds=30.0)
    with TestClient(create_app(chosen)) as client:
        store = Store(chosen.database_url, chosen.keys)
        with store.writing() as connection:
            expired = create_token(connection, "ann", Role.OFFICER, days=-1)
            ann, eve = (create_token(connection, name, Role.OFFICER) for name in ("ann", "eve"))
        store.close()
        for key in (expired, "tsk_unknown", "", "x" * 5000, "tsk_\xe9"):
            headers = {"Authorization": b"Bearer " + key.encode("latin-1")}
            for path in ("/v1/jobs", "/v1/jobs/1", "/v1/jobs/1/result"):
                found = client.get(path, headers=headers)  # type: ignore[arg-type]
                assert not key or key not in problem(found, 401, "not-authenticated")["detail"]
        mine = {"Authorization": f"Bearer {ann}"}
        job = path_of(client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, **mine}))
        assert client.get(job, headers=mine).status_code == 200
        others = {"Authorization": f"Bearer {eve}"}
        for path in (job, f"{job}/result", f"{job}/events", f"{job}/report.html", f"{job}/proof", "/v1/jobs/none"):
            problem(client.get(path, headers=others), 404, "no-such-job")
        problem(client.delete(job, headers=others), 404, "no-such-job")
        problem(client.get(f"/v1/jobs?after={job.rpartition('/')[2]}", headers=others), 422, "invalid-parameter")


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_text_with_nul_reaches_a_database(tmp_path: Path, backend: str) -> None:
    """CONVENTION 953: PostgreSQL keeps none; addresses, parameters and fields with it were faults there."""
    with new_database(backend, tmp_path) as url, asked(tmp_path, worker=False, database=url) as client:
        for path in ("/v1/jobs/%00", "/v1/jobs/a%00/result", "/v1/publications/%00", "/jobs/%00", "/releases/%00"):
            assert client.get(path).status_code == 404, path
        for path in ("/v1/jobs?kind=%00", "/v1/jobs?after=%00", "/jobs?who=%00", "/jobs?words=a%00b"):
            refused = client.get(path)
            assert refused.status_code == 422, path
            assert refused.json()["parameter"] in path
        assert client.post("/v1/suppressions?prefer=%00", json=EXAMPLE).json()["parameter"] == "prefer"
        for field in ("a\0b", "\ud800"):
            sent = json.dumps({"job": field}), {"Content-Type": "application/json"}
            entry = client.post("/v1/publications/p/entries", content=sent[0], headers=sent[1])
            assert entry.status_code in (404, 422), entry.text
        form = client.post("/publications", data={"name": "p", "draft": "a\0b"})
        assert form.status_code in (404, 422), form.text


def test_a_file_that_is_the_folder_of_another_is_refused(client: TestClient) -> None:
    """CONVENTION 954: it was a fault, and as a job tried again and again."""
    release = json.dumps(EXAMPLE).encode()
    inside = [("release.json", release), ("release.json/deeper/x.csv", b"a,value\n1,2\n")]
    packed = archive(*inside)
    files = [("file", entry) for entry in inside]
    for headers in (WAIT, {}):
        for sent in (
            client.post("/v1/audits", files=files, headers=headers),
            client.post("/v1/audits", content=packed, headers={**ZIP, **headers}),
        ):
            assert "release.json is a file and the folder of" in problem(sent, 422, "invalid-upload")["detail"]
    for files in ([("files", entry) for entry in inside], [("files", ("x.zip", packed))]):
        page = client.post("/releases", files=files)
        assert (page.status_code, "release.json is a file and the folder of" in page.text) == (422, True)
