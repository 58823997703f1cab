"""What readers are told, against all true tables that give what is published: every method that changes counts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

from tableseal.audit.model import Release
from tableseal.audit.model.rounding import rounding_interval
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.methods import METHODS, settings_of
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.subject import subject_of
from tableseal.suppression.protections.text import protection_text
from tests.support.surveyed import surveyed
from tests.support.tabulated import tabulated

Truth = tuple[int, ...]
VARIABLES: Mapping[str, Any] = {"a": {"codes": ["a0", "a1"]}, "b": {"codes": ["b0", "b1"]}}


def row_of(truth: Truth) -> Release:
    return tabulated(np.array(truth))


def square_of(truth: Truth) -> Release:
    return tabulated(np.array(truth).reshape(2, 2))


def records_of(truth: Truth) -> Release:
    codes = [{"a": a, "b": b} for a, b in product(("a0", "a1"), ("b0", "b1"))]
    rows = [dict(one, hold=f"{k}") for one, n in zip(codes, truth, strict=True) for k in range(n)]
    rows = [dict(row, hold=str(k)) for k, row in enumerate(rows)]
    return surveyed(VARIABLES, rows, holding="hold")


PAIRS = list(product(range(4), repeat=2))
WITH_MARGINS = [(k, 4 - k, 4 - k, k) for k in range(5)]
UNEVEN = [(k, 5 - k, 2 - k, 1 + k) for k in range(3)]
FEW = [t for t in product(range(3), repeat=4) if sum(t[:2]) == 2 == sum(t[2:])]


@dataclass(frozen=True)
class Case:
    """exact: what is told, with all that adds up, leaves of no cell a value beyond those of tables that can be the true
    one; else values may be left that only somebody rules out who uses what rules 768, 825, 911 and others name."""

    method: str
    said: Mapping[str, Any]
    truths: Iterable[Truth]
    seeds: int
    exact: bool
    release: Callable[[Truth], Release] = row_of


INDEPENDENT = {"stay": "0.5", "draws": "independent"}
FIRM = {"stay": "0.5", "invariant": False, "draws": "independent"}
CASES = [
    Case("conventional-rounding", {"base": "3"}, PAIRS, 1, exact=True),
    Case("random-rounding", {"base": "2"}, PAIRS, 60, exact=True),
    Case("controlled-rounding", {"base": "3"}, PAIRS, 1, exact=False),
    Case("random-controlled-rounding", {"base": "3"}, PAIRS, 8, exact=True),
    Case("semi-controlled-rounding", {"base": "3"}, PAIRS, 12, exact=False),
    Case("small-count-rounding", {"base": "3"}, PAIRS, 1, exact=False),
    Case("perturbation", {**FIRM, "reach": 1}, PAIRS, 30, exact=True),
    Case("perturbation", {**FIRM, "reach": 1, "margins": "apart"}, PAIRS, 60, exact=False),
    Case("perturbation", {"stay": "0.5", "reach": 1}, PAIRS, 12, exact=True),
    # Exact, too, over counts of any size: test_perturbation_sums goes through them.
    Case("perturbation", {"stay": "0.5", "reach": 1, "draws": "independent"}, PAIRS, 4, exact=False),
    Case("perturbation", {**FIRM, "reach": 2, "margins": "restored"}, WITH_MARGINS, 30, True, square_of),
    Case("perturbation", {"stay": "0.5", "reach": 2, "margins": "restored"}, WITH_MARGINS, 40, True, square_of),
    Case("perturbation", {**INDEPENDENT, "reach": 1, "margins": "restored"}, WITH_MARGINS, 40, True, square_of),
    Case("perturbation", {"stay": "0.2", "reach": 3, "margins": "restored"}, UNEVEN, 40, True, square_of),
    Case("synthetic", {}, WITH_MARGINS[:2], 2, False, square_of),
    Case("post-randomisation", {"variable": "a", "stay": "0.5"}, FEW, 4, False, records_of),
    Case("record-swapping", {"variable": "a", "rate": ("0.5",)}, FEW, 4, False, records_of),
    Case("sampling", {"share": "0.5"}, FEW, 4, False, records_of),
]
OWN_TESTS = {"noise", "tabular-adjustment", "cell-key", "cell-key-magnitudes", "redesign"}


def test_every_method_has_a_case() -> None:
    assert {case.method for case in CASES} | OWN_TESTS == set(METHODS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join([case.method, *map(str, case.said.values())]))
def test_against_all_true_tables(case: Case) -> None:
    """CONVENTION 911; restored margins: CONVENTION 821."""
    settings = settings_of(case.method, case.said)
    behind: dict[Truth, set[Truth]] = defaultdict(set)
    told: dict[Truth, tuple[np.ndarray, np.ndarray]] = {}
    every = set()
    for truth in case.truths:
        subject = subject_of(case.release(truth))
        cells = tuple(subject.value.tolist())
        every.add(cells)
        for seed in range(case.seeds):
            found = METHODS[case.method].run(subject, settings, Tools(seed=seed))
            assert isinstance(found, Changed)
            shown = found.shown.units
            low, high = rounding_interval(shown, found.rounding(subject.release.tables[0]), True)
            if found.lower is not None and found.upper is not None:
                low, high = np.maximum(low, found.lower.units), np.minimum(high, found.upper.units)
            behind[tuple(shown.tolist())].add(cells)
            told[tuple(shown.tolist())] = low, high
    for picture, truths in behind.items():
        low, high = told[picture]
        left = {t for t in every if (low <= t).all() and (t <= high).all()}
        assert truths <= left, picture
        if case.exact:
            ends = [
                (np.min(list(some), axis=0).tolist(), np.max(list(some), axis=0).tolist()) for some in (truths, left)
            ]
            assert ends[0] == ends[1], picture


def test_ranges_that_are_wider_show_no_cell_to_be_protected() -> None:
    """CONVENTION 912: restored margins are safe where what is told is all that may stand behind; else, as of tables too
    large to try, undecided, also in later audits of the agency's copy and of what is public."""
    from tableseal.audit.io import canonical_document, release_from_document
    from tableseal.audit.pipeline import audit
    from tableseal.audit.report.wider import WIDER
    from tableseal.suppression.protections.public import public_release

    policy = {"primary": [{"threshold": 3}], "require": {"protection": False}}
    release = tabulated(np.array([[2, 5, 3, 7], [1, 4, 6, 9], [3, 8, 2, 5]]), policy=policy)
    said = {"stay": "0.5", "reach": 2, "margins": "restored"}
    firm = protect(release, settings_of("perturbation", {**said, **FIRM}), seed=3)
    assert firm.verdict == "safe"
    open_one = protect(release, settings_of("perturbation", said), seed=3)
    assert open_one.verdict == "undecided"
    assert "write it" not in protection_text(open_one)
    again = release_from_document(canonical_document(open_one.release))
    for copy in (again, release_from_document(canonical_document(public_release(again)))):
        assert all(table.rounding is not None and table.rounding.wider for table in copy.tables)
    report = audit(again).report
    assert report.verdict == "undecided"
    assert WIDER in {note.code for note in report.notes}
