"""What is confidential is in the result and nowhere else: no log, no address, no error, no figure, no audit log."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, archive, asked, path_of

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.schema import audit_log, events, jobs

SECRETS = [8_675_309, 11_324_691, 14_324_691, 8_675_309]
"""True values of withheld cells; no sum of published values is one of them."""


def release(**table: Any) -> dict[str, Any]:
    cells = dict(EXAMPLE["tables"][0]["cells"])
    a, b, c, d = SECRETS
    cells["value"] = [None, None, a + b, None, None, c + d, a + c, b + d, a + b + c + d]
    cells["truth"] = [a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d]
    cells |= table.pop("cells", {})
    return {**EXAMPLE, "tables": [{**EXAMPLE["tables"][0], "truth": "truth", **table, "cells": cells}]}


def wrong() -> list[dict[str, Any]]:
    """Releases with errors in or beside withheld values."""
    a, b, c, d = SECRETS
    published = release()["tables"][0]["cells"]["value"]
    return [
        release(cells={"truth": [f"{a}x", b, a + b, c, d, c + d, a + c, b + d, a + b + c + d]}),
        release(cells={"truth": [-a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d]}),
        release(cells={"value": [f"{a},{a}", None, *published[2:]]}),
        release(cells={"value": [*published[:7], published[7] + 1, published[8]]}),
        release(cells={"region": ["N", "N", "N", "X", "S", "S", "T", "T", "T"]}),
        release(frequency="truth", contributors=["truth", "value"]),
        {**release(), "policy": {"primary": [{"p_percent": 10}]}},
    ]


def test_values_of_withheld_cells_are_nowhere_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    with asked(tmp_path) as client:
        answer = client.post("/v1/audits?proof=true", json=release(), headers=WAIT)
        assert answer.status_code == 200, answer.text
        assert str(SECRETS[0]) in answer.text  # the report is for the agency
        public = client.post("/v1/audits?public=true&html=true", json=release(), headers=WAIT)
        page = client.get(f"{path_of(public)}/report.html")
        assert (public.status_code, page.status_code) == (200, 200)
        said += [public.text, page.text]
        refused = 0
        for body in wrong():
            at_once = client.post("/v1/audits", json=body, headers=WAIT)
            if at_once.status_code == 200:  # a report is for the agency
                continue
            refused += 1
            later = client.post("/v1/audits", json=body)
            job = client.get(path_of(later), headers=WAIT)
            said += [at_once.text, job.text, client.get(f"{path_of(later)}/result").text]
        assert refused >= 4
        packed = archive(*((f"{k}.json", json.dumps(body).encode()) for k, body in enumerate(wrong())))
        batch = client.post("/v1/batches", content=packed, headers={**WAIT, "Content-Type": "application/zip"})
        said += [batch.text, client.get("/v1/jobs").text, client.get("/metrics").text]
        said += [str(response.headers) for response in (answer, public, batch)]
    store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    with store.reading() as connection:
        for table in (audit_log, events, jobs):
            rows = connection.execute(table.select()).all()
            assert rows
            said.append(str(rows))
    store.close()
    said += [record.getMessage() + str(record.exc_info) for record in caplog.records]
    assert any("attempt" in line for line in said)
    for text in said:
        for secret in SECRETS:
            for form in (f"{secret}", f"{secret:,}"):
                assert form not in text
