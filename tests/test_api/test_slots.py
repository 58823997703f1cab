"""Who may use the processes that answer at once (CONVENTION 728), how long clients wait, and the limits of requests."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked, path_of
from hypothesis import given
from hypothesis import strategies as st

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.inline import Inline
from tableseal.api.http.slots import Slots
from tableseal.api.settings import Settings


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30), st.integers(1, 4), st.integers(1, 4))
def test_owners_take_turns(owners: list[str], number: int, each: int) -> None:
    """Nobody has more than his share, no slot stays free that somebody may have, and all get theirs in the end."""

    async def run() -> None:
        slots, held, order = Slots(number, each), list[str](), list[str]()

        async def want(owner: str) -> None:
            assert await slots.take(owner, 60)
            held.append(owner)
            order.append(owner)

        tasks = [asyncio.create_task(want(owner)) for owner in owners]
        for _ in range(3):
            await asyncio.sleep(0)
        while held:
            for owner in held:
                assert held.count(owner) <= each
            left = [owner for owner in "abc" if owners.count(owner) > order.count(owner)]
            assert len(held) <= number
            assert len(held) == number or all(held.count(owner) == each for owner in left)
            slots.give_back(held.pop(0))
            for _ in range(3):
                await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        assert sorted(order) == sorted(owners)

    asyncio.run(run())


def test_one_comes_before_the_crowd() -> None:
    async def run() -> list[str]:
        slots, order = Slots(2, 1), list[str]()

        async def want(owner: str) -> None:
            if await slots.take(owner, 60):
                order.append(owner)

        crowd = [asyncio.create_task(want("crowd")) for _ in range(20)]
        await asyncio.sleep(0.01)
        await want("other")
        slots.give_back("other")
        await want("other")
        found = list(order)
        for task in crowd:
            task.cancel()
        return found

    assert asyncio.run(run()) == ["crowd", "other", "other"]


def test_a_wait_has_an_end_and_leaves_nothing_behind() -> None:
    async def run() -> None:
        slots = Slots(1, 1)
        assert await slots.take("a", 0)
        begun = time.monotonic()
        assert not await slots.take("a", 0.05)
        assert not await slots.take("b", 0)
        assert time.monotonic() - begun < 5
        gone = asyncio.create_task(slots.take("b", 60))
        await asyncio.sleep(0.01)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        slots.give_back("a")
        assert await slots.take("b", 0)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("access", "workers", "given", "each"),
    [("local", 3, None, 3), ("keys", 3, None, 2), ("keys", 1, None, 1), ("keys", 3, 1, 1), ("local", 0, None, 1)],
)
def test_how_many_processes_an_owner_may_have(
    tmp_path: Path, access: Any, workers: int, given: int | None, each: int
) -> None:
    assert Settings(data=tmp_path, access=access, inline_workers=workers, owner_inline=given).inline_each == each


def test_where_no_process_is_free_it_becomes_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits a second is answered after a second, whoever holds the process."""

    async def busy(*_: object, **__: object) -> None:
        await asyncio.sleep(0.5)

    monkeypatch.setattr(Inline, "answer", busy)
    with asked(tmp_path, worker=False, owner_queued=2) as client:
        begun = time.monotonic()
        response = client.post("/v1/audits", json=EXAMPLE, headers={"Prefer": "wait=1"})
        assert 0.9 < time.monotonic() - begun < 1.45, "counted from when the request came"
        assert response.status_code == 202
        assert response.json()["state"] == "queued"
        assert response.json()["place"] == 1
        assert client.post("/v1/audits", json=EXAMPLE).json()["place"] == 2
        kept = client.get("/v1/jobs").json()
        assert [job["place"] for job in kept] == [2, 1]
        refused = client.post("/v1/audits", json=EXAMPLE, headers={"Idempotency-Key": "k"})
        assert refused.status_code == 429
        assert refused.json()["type"].endswith(":queue-full")
        assert "2 jobs of yours wait already" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) > 0
        assert len(client.get("/v1/jobs").json()) == 2, "nothing is kept of what was refused"
        client.delete(path_of(response))
        assert client.post("/v1/audits", json=EXAMPLE, headers={"Idempotency-Key": "k"}).status_code == 202


def test_the_place_in_the_queue_is_on_the_page(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        places = [path_of(client.post("/v1/audits", json=EXAMPLE)).rpartition("/")[2] for _ in range(2)]
        assert "Waiting for a worker: place 2 in the queue" in client.get(f"/jobs/{places[1]}").text
        assert "queued: place 2" in client.get("/jobs").text


def test_more_time_than_the_service_has_is_refused(tmp_path: Path) -> None:
    """CONVENTION 727: it was cut in silence before."""
    with asked(tmp_path, worker=False, job_seconds=100) as client:
        for path in ("audits", "suppressions", "comparisons", "publications/x/releases"):
            refused = client.post(f"/v1/{path}?time_limit=101", json=EXAMPLE, headers=WAIT)
            assert refused.status_code == 422, path
            problem = refused.json()
            assert problem["parameter"] == "time_limit"
            assert (
                problem["detail"] == "time_limit: found 101 seconds, expected at most 100, the limit of this service."
            )
        assert client.get("/v1/jobs").json() == []
        assert client.post("/v1/audits?time_limit=100", json=EXAMPLE).status_code == 202
        files = {"files": ("a.json", json.dumps(EXAMPLE).encode())}
        page = client.post("/batches", files=files, data={"time_limit": "101"})
        assert page.status_code == 422
        assert "found 101 seconds, expected at most 100" in page.text
        assert client.post("/batches", files=files, data={"time_limit": "100"}).status_code == 200


def test_what_is_said_twice_is_refused(tmp_path: Path) -> None:
    """`proof=true&proof=false` counted as either; what may be repeated still may."""
    with asked(tmp_path, worker=False) as client:
        for query, name in (("proof=true&proof=false", "proof"), ("bounds=lp&bounds=lp", "bounds")):
            refused = client.post(f"/v1/audits?{query}", json=EXAMPLE, headers=WAIT)
            assert refused.status_code == 422, query
            assert refused.json()["parameter"] == name
            assert refused.json()["detail"] == f"{name}: is given 2 times; expected once."
        assert client.get("/v1/jobs").json() == []
        assert client.post("/v1/audits?threshold=3&threshold=4", json=EXAMPLE, headers=WAIT).status_code == 422
        twice = "dominance=1,80&dominance=2,90"
        assert "is given" not in client.post(f"/v1/audits?{twice}", json=EXAMPLE, headers=WAIT).text
