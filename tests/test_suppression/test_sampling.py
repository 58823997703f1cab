"""Samples of records: what is said of them is counted over all samples."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from tableseal.audit.errors import InputError
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.records import Records
from tableseal.suppression.protections.sampling import Sampling, sampled
from tableseal.suppression.protections.subject import subject_of
from tests.support.surveyed import surveyed, values

VARIABLES = {"place": {"codes": ["n", "s"]}, "sex": {"codes": ["F", "M"]}}
ROWS = [
    {"place": p, "sex": s} for p, s, n in (("n", "F", 1), ("n", "M", 3), ("s", "F", 2), ("s", "M", 2)) for _ in range(n)
]


def test_estimates_have_no_bias_over_all_samples() -> None:
    """CONVENTION 762."""
    records = Records.of(subject_of(surveyed(VARIABLES, ROWS)), "sampling")
    samples = [sampled(records, np.array(drawn)) for drawn in combinations(range(8), 3)]
    mean = sum(samples)
    assert [Fraction(8 * int(m), 3 * len(samples)) for m in mean] == records.subject.value.tolist()


def test_every_set_of_records_is_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all numbers that can be drawn for 2 of 4 records: 4 * 3."""
    from tableseal.suppression.protections import sampling

    rows = [{"place": p, "sex": s} for p in "ns" for s in "FM"]
    release = surveyed(VARIABLES, rows)
    found = []
    for first in range(4):
        for second in range(3):
            numbers = iter((first, second))
            monkeypatch.setattr(sampling, "below", lambda random: lambda bound: next(numbers))  # noqa: B023
            found.append(tuple(values(protect(release, Sampling(Fraction(1, 2))), "value").values()))
    assert {found.count(one) for one in found} == {2}
    assert len(set(found)) == 6


def test_what_may_stand_behind_a_sample() -> None:
    """CONVENTION 762: over all true tables of 8 people and all samples of 3 with the same picture."""
    found = protect(surveyed(VARIABLES, ROWS), Sampling(Fraction(3, 8)), seed=3)
    shown = values(found, "value")
    drawn = {cell: value * 3 // 8 + (value * 3 % 8 > 3) for cell, value in shown.items()}
    kinds = [(p, s) for p in "ns" for s in "FM"]
    more = [(a, b, c, 5 - a - b - c) for a in range(6) for b in range(6 - a) for c in range(6 - a - b)]
    tables = [{kind: drawn[kind] + n for kind, n in zip(kinds, one, strict=True)} for one in more]
    for cell in found.report.cells:
        place, sex = (code for _, code in cell.cell)
        counts = [sum(n for (p, s), n in table.items() if place in (p, "T") and sex in (s, "T")) for table in tables]
        assert (cell.lower, cell.upper) == (min(counts), max(counts))
    assert shown["T", "T"] == 8


@pytest.mark.parametrize("share", ["0", "1", "1.5", "0.01", "0.99"])
def test_shares_that_are_none(share: str) -> None:
    with pytest.raises(InputError, match="share"):
        protect(surveyed(VARIABLES, ROWS), Sampling(Fraction(share)))
