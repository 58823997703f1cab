"""Work that was cut short or crashed goes on where it was; the answer is that of one undisturbed run."""

import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_releases import Maker
from scipy.sparse import csr_array
from small import many_blocks

from tableseal.audit.bounds import engine
from tableseal.audit.bounds.component import Answer, Component, End, Limits, TargetBounds
from tableseal.audit.bounds.knowledge import know_nothing
from tableseal.audit.bounds.networks import side_by_side as together
from tableseal.audit.bounds.recorded_answers import from_text, to_text
from tableseal.audit.errors import InputError
from tableseal.audit.execution.state import State
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import report_json


@pytest.fixture(autouse=True)
def one_component_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WORTH_SENDING", 1)
    monkeypatch.setattr(together, "COLUMNS", 1)


class Crashing:
    """Breaks down after so many batches."""

    def __init__(self, after: int) -> None:
        self.left = after

    def map(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        for item in items:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            yield work(item)


class Counting:
    """Counts the components that are really worked on."""

    def __init__(self) -> None:
        self.worked = 0

    def map(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        for item in items:
            self.worked += sum(begun is None or not begun.complete for _, begun in getattr(item, "components", ()))
            yield work(item)


def test_a_crash_loses_only_what_was_under_way(tmp_path: Path) -> None:
    release = release_from_document(many_blocks(6))
    alone = report_json(audit(release).report)
    with State(tmp_path / "state") as state, pytest.raises(KeyboardInterrupt):
        audit(release, executor=Crashing(4), state=state)
    with State(tmp_path / "state") as state:
        counting = Counting()
        assert report_json(audit(release, executor=counting, state=state).report) == alone
        assert counting.worked == 2
        again = Counting()
        assert report_json(audit(release, executor=again, state=state).report) == alone
        assert again.worked == 0


def test_what_a_time_limit_has_cut_short_goes_on(tmp_path: Path) -> None:
    release = release_from_document(many_blocks(3))
    alone = report_json(audit(release).report)
    with State(tmp_path / "state") as state:
        assert audit(release, time_limit=0.0, state=state).report.verdict == "undecided"
        assert report_json(audit(release, state=state).report) == alone


def test_another_release_is_another_question(tmp_path: Path) -> None:
    first, second = (release_from_document(many_blocks(years)) for years in (2, 3))
    with State(tmp_path / "state") as state:
        audit(first, state=state)
        assert report_json(audit(second, state=state).report) == report_json(audit(second).report)
        assert report_json(audit(first, bounds="lp", state=state).report) == report_json(
            audit(first, bounds="lp").report
        )


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    with State(tmp_path / "state"):
        assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o600


def test_another_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("not a database, but long enough to look like one" * 10)
    with pytest.raises(InputError, match=r"^state "):
        State(tmp_path / "notes")
    assert (tmp_path / "notes").read_text().startswith("not a database")
    with pytest.raises(InputError, match=r"^state "):
        State(tmp_path / "missing" / "state")


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    release = release_from_document(many_blocks(2))
    with State(tmp_path / "state") as state:
        audit(release, state=state)
        state._database.execute("UPDATE found SET text = '{\"targets\": 3}'")
        with pytest.raises(InputError, match="damaged"):
            audit(release, state=state)


def test_a_file_that_fails_later_is_a_clear_error(tmp_path: Path) -> None:
    """Locked by another audit, a full disk, a file overwritten meanwhile: told by name, never a traceback."""
    import sqlite3

    release = release_from_document(many_blocks(2))
    with State(tmp_path / "state") as state:
        state._database.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(tmp_path / "state", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match=r"^state .*state: cannot be used \(.*locked"):
            audit(release, state=state)
        other.close()
        state._database.execute("DROP TABLE found")
        with pytest.raises(InputError, match=r"^state .*state: cannot be used"):
            state.get("key")


def test_points_of_an_earlier_run_are_kept() -> None:
    """A real solution that closed an end does so again, and is there for the proof."""
    one = np.array([1], dtype=np.int64)
    ends = np.array([0], dtype=np.int64), np.array([5], dtype=np.int64)
    eye = csr_array(np.eye(1, dtype=np.int64))
    component = Component(csr_array(2 * np.eye(1, dtype=np.int64)), one, one, *ends, eye)
    point = (one, 2)
    lower, upper = (End(Fraction(1, 2), value, None, Fraction(1, 2), point=point) for value in (1, 0))
    known = know_nothing(component, Limits(prove=True))
    known.go_on_from(Answer((TargetBounds(lower, upper, convex=False, seen=0),), (), (), complete=False))
    assert known.met.tolist() == [True, True]
    assert known.points == {0: point, 1: point}
    assert [(b.lower.point, b.upper.point) for b in known.bounds()] == [(point, point)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**40))
def test_answers_survive_as_text(seed: int) -> None:
    kept: list[Answer] = []

    class Keeping(Counting):
        def map(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            for item in items:
                answers = work(item)
                kept.extend(answer for answer in answers or () if isinstance(answer, Answer))
                yield answers

    with suppress(InputError):
        audit(release_from_document(Maker(Random(seed)).document()), executor=Keeping())
    for answer in kept:
        again = from_text(to_text(answer))
        assert again.targets == answer.targets
        assert again.complete == answer.complete
