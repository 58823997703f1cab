"""The list of jobs: titles, who, times, filters, pages; and how far a job is."""

import itertools
import re
from pathlib import Path

import pytest
from asking import asked
from databases import KEYS
from hypothesis import given, settings
from hypothesis import strategies as st
from paging import BROWSER
from sqlalchemy import event

from tableseal.api.store import listing
from tableseal.api.store.engine import Store
from tableseal.api.store.job import TITLE, Document, Event
from tableseal.api.store.jobs import jobs_of, record, submit
from tableseal.api.store.listing import PAGE, STATES, Wanted, listed
from tableseal.api.store.migrate import migrate
from tableseal.api.web.progress import phases

DONE = (Document("a.json", "application/json", b"{}"),)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Jobs of every kind, state and person, and those of somebody else."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('jobs')}/db", KEYS)
    migrate(store)
    with store.writing() as connection:
        kinds, people, outcomes = ("audit", "suppression", "draft"), ("ann", "bo"), ("safe", "unsafe", None)
        for n, (kind, who, outcome) in enumerate(itertools.product(kinds, people, outcomes)):
            record(connection, "office", kind, "{}", DONE, outcome=outcome, seconds=1, title=f"Set 100%_{n}", who=who)
            submit(connection, "office", kind, "{}", title=f"Waiting {n}", who=who)
        for n in range(2 * PAGE):
            record(connection, "other", "audit", "{}", DONE, outcome="safe", seconds=1, title=f"Other {n}", who="cy")
    return store


choices = {
    "kind": st.sampled_from(["", "audit", "suppression", "draft", "no such"]),
    "state": st.sampled_from(["", *STATES, "no such"]),
    "who": st.sampled_from(["", "ann", "bo", "cy"]),
    "words": st.sampled_from(["", "set", "WAITING 1", "%", "_", "100%_1", "Other"]),
}


@settings(max_examples=60, deadline=None)
@given(wanted=st.builds(Wanted, **choices))
def test_filters_give_what_fits_and_counts_are_true(store: Store, wanted: Wanted) -> None:
    """CONVENTION 882, against a loop over all jobs of the owner."""
    with store.reading() as connection:
        everything, page = [], 1
        while True:
            whole = listed(connection, "office", Wanted(page=page))
            everything += whole.jobs
            if page == whole.pages:
                break
            page += 1
        found = listed(connection, "office", wanted)
    assert {job.owner for job in everything} == {"office"}
    assert whole.people == ("ann", "bo")

    def fits(job: object) -> bool:
        states = {"": True, "queued": job.state == "queued", "running": job.state == "running"}
        states |= {word: job.outcome == word for word in ("safe", "unsafe", "undecided")}
        states |= {"failed": job.state == "failed" or job.outcome == "failed", "cancelled": job.state == "cancelled"}
        return (
            wanted.kind in ("", job.kind)
            and states.get(wanted.state, True)
            and wanted.who in ("", job.who)
            and wanted.words.lower() in job.title.lower()
        )

    expected = [job for job in everything if fits(job)]
    assert found.found == len(expected)
    assert list(found.jobs) == expected[:PAGE]


def test_pages_hold_each_job_once(store: Store) -> None:
    with store.reading() as connection:
        pages = [listed(connection, "other", Wanted(page=n)) for n in (1, 2, 3)]
    assert [page.page for page in pages] == [1, 2, 2]
    ids = [job.id for page in pages[:2] for job in page.jobs]
    assert len(set(ids)) == len(ids) == 2 * PAGE


def test_words_are_looked_for_in_the_newest_titles(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 882: how many there are is true of those, and that there are more is said."""
    wanted = Wanted(words="oTHER", page=2)
    with store.reading() as connection:
        whole = listed(connection, "other", wanted)
        monkeypatch.setattr(listing, "LOOKED", PAGE + 3)
        cut = listed(connection, "other", wanted)
        monkeypatch.setattr(listing, "LOOKED", 2 * PAGE)
        just = listed(connection, "other", wanted)
    assert (whole.found, whole.pages, whole.looked) == (2 * PAGE, 2, None)
    assert (cut.found, cut.pages, cut.looked) == (PAGE + 3, 2, PAGE + 3)
    assert cut.jobs == whole.jobs[:3]
    assert just == whole


def test_one_statement_opens_a_page_of_titles(store: Store) -> None:
    """However many jobs are on it."""
    seen: list[str] = []

    def count(connection: object, cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    with store.reading() as connection:
        event.listen(connection, "before_cursor_execute", count)
        listed(connection, "other", Wanted())
        assert len(jobs_of(connection, "other", limit=PAGE) or ()) == PAGE
    assert sum("job_keys" in statement for statement in seen) == 2
    assert len(seen) == 5, "how many, the page, kinds and people of the one; the page of the other"


def test_long_titles_are_shortened(store: Store) -> None:
    with store.writing() as connection:
        job = submit(connection, "third", "audit", "{}", title="long\n" * 200)
    assert len(job.title) == TITLE
    assert job.title.endswith("…")
    assert "\n" not in job.title


def test_the_page_lists_titles_and_who_and_keeps_what_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CONVENTION 882
    with asked(tmp_path, worker=False) as client:
        store = client.app.state.service.store
        with store.writing() as connection:
            for n in range(PAGE + 3):
                record(
                    connection, "local", "audit", "{}", DONE, outcome="safe", seconds=2, title=f"Set <{n}>", who="ann"
                )
        page = client.get("/jobs?words=set&state=safe", headers=BROWSER).text
        assert f"1 to {PAGE} of {PAGE + 3} jobs" in page
        assert "Set &lt;52&gt;" in page
        assert "ann" in page
        assert "2.0 s" in page
        assert page.count('<option value="safe" selected>') == 1
        following = re.search(r'href="(/jobs\?[^"]*page=2)"', page)
        assert following is not None
        rest = client.get(following[1].replace("&amp;", "&"), headers=BROWSER).text
        assert f"{PAGE + 1} to {PAGE + 3} of {PAGE + 3} jobs" in rest
        assert "No job fits." in client.get("/jobs?words=nothing", headers=BROWSER).text
        assert "looked through" not in page
        monkeypatch.setattr(listing, "LOOKED", PAGE)
        page = client.get("/jobs?words=set", headers=BROWSER).text
        assert f"1 to {PAGE} of {PAGE} jobs" in page
        assert f"Only the newest {PAGE} titles were looked through." in page
        assert client.get("/jobs?page=0", headers=BROWSER).status_code == 422


def test_phases_are_those_of_the_last_attempt() -> None:
    """CONVENTION 883."""
    told = [
        Event(1, 10.0, "state", {"state": "running"}),
        Event(2, 11.0, "progress", {"stage": "reading", "done": 0, "total": 0}),
        Event(3, 12.0, "state", {"state": "running"}),
        Event(4, 13.0, "progress", {"stage": "intervals", "done": 0, "total": 9}),
        Event(5, 15.0, "progress", {"stage": "intervals", "done": 9, "total": 9}),
        Event(6, 18.0, "progress", {"stage": "search", "done": 1, "total": 0}),
        Event(7, 19.0, "progress", {"stage": "intervals", "done": 1, "total": 3}),
    ]
    found = [(phase.name, phase.began, phase.last) for phase in phases(told)]
    assert found == [("intervals", 13.0, 18.0), ("search", 18.0, 19.0), ("intervals", 19.0, 19.0)]
