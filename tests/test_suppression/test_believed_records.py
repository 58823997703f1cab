"""How far small counts of changed records may be believed: exactly, against everything that can be drawn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest

from tableseal.audit.attacks.confidence import judge_confidence
from tableseal.audit.io.policy_file import policy_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import UNSTATED, Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.report.text import verdict_line
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.protections.perturbation.chain import invariant
from tableseal.suppression.protections.perturbation.draws import quotas
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.sampling import confidence_of_sample, estimate
from tests.support.every_way import every_way
from tests.support.surveyed import surveyed
from tests.support.tabulated import tabulated

JOBS = ["j", "k", "l"]
VARIABLES: Mapping[str, Any] = {"job": {"tree": {"jk": ["j", "k"], "l": []}}, "region": {"codes": ["N", "S"]}}
INSIDE = {"T": {0, 1, 2}, "jk": {0, 1}, "j": {0}, "k": {1}, "l": {2}}
WHERE = {"T": "NS", "N": "N", "S": "S"}

Jobs = tuple[int, ...]


def policy(threshold: int, **require: Any) -> Policy:
    return policy_from_document({"primary": [{"threshold": threshold}], "require": {"protection": False, **require}})


def share(chances: Iterable[Fraction]) -> Fraction:
    return prod(chances, start=Fraction(1))


def drawn(true: Jobs, draws: str) -> Iterator[tuple[Fraction, Jobs]]:
    """Everything that the jobs of one stratum can become, with its probability."""
    states = sorted(set(true))
    number = [true.count(s) for s in states]
    rows = [{k: Fraction(1, 2) if k == s else Fraction(1, 4) for k in range(3)} for s in states]
    chain = invariant(rows, states, number)
    if draws == "independent":
        row = dict(zip(states, chain, strict=True))
        for become in product(states, repeat=len(true)):
            yield share(row[s].get(k, Fraction(0)) for s, k in zip(true, become, strict=True)), become
        return
    for chance, way in every_way(lambda chance: quotas(chain, number, chance)):
        orders = [Counter(permutations([k for k, n in given.items() for _ in range(n)])) for given in way]
        for choice in product(*(order.items() for order in orders)):
            left = {s: list(become) for s, (become, _) in zip(states, choice, strict=True)}
            likely = share(Fraction(n, order.total()) for order, (_, n) in zip(orders, choice, strict=True))
            yield chance * likely, tuple(left[s].pop(0) for s in true)


def confidence(true: Jobs, places: str, draws: str, below: int, by: str | None) -> Fraction | None:
    """By all that can be drawn."""
    strata = [[at for at, p in enumerate(places) if by is None or p == place] for place in ("NS" if by else "N")]
    ways = [list(drawn(tuple(true[at] for at in own), draws)) for own in strata]
    shown = right = Fraction(0)
    for choice in product(*ways):
        become = list(true)
        for own, (_, some) in zip(strata, choice, strict=True):
            for at, k in zip(own, some, strict=True):
                become[at] = k
        probability = share(p for p, _ in choice)
        for job, place in product(INSIDE, WHERE):
            was, now = (
                sum(k in INSIDE[job] and p in WHERE[place] for k, p in zip(jobs, places, strict=True))
                for jobs in (true, become)
            )
            if 1 <= now < below:
                shown += probability
                right += probability * (was == now)
    return right / shown if shown else None


@pytest.mark.parametrize("draws", ["quotas", "independent"])
@pytest.mark.parametrize("by", [None, "region"])
@pytest.mark.parametrize(("true", "below"), [((0, 0, 1, 2, 2), 3), ((0, 1, 1, 1, 2), 2), ((0, 0, 0, 1, 1, 2), 4)])
def test_records_that_were_changed_by_a_matrix(true: Jobs, below: int, by: str | None, draws: str) -> None:
    """CONVENTION 864: by the exact distribution of each cell."""
    places = "NNSSSN"[: len(true)]
    records = [{"job": JOBS[j], "region": r} for j, r in zip(true, places, strict=True)]
    said = {"variable": "job", "stay": "0.5", "draws": draws, "by": by}
    settings = settings_of("post-randomisation", said)
    found = protect(surveyed(VARIABLES, records), settings, seed=1, policy=policy(below))
    expected = confidence(true, places, draws, below, by)
    assert expected is not None
    assert found.statement.confidence == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize(
    ("counts", "size", "below"), [([1, 2, 3], 3, 3), ([0, 1, 6], 2, 5), ([4, 4], 6, 4), ([2, 3], 4, 6)]
)
def test_samples(counts: list[int], size: int, below: int) -> None:
    """CONVENTION 864: over every set of records that can be drawn."""
    everybody = sum(counts)
    owner = np.repeat(np.arange(len(counts)), counts)
    shown: Counter[bool] = Counter()
    for some in combinations(range(everybody), size):
        number = np.bincount(owner[list(some)], minlength=len(counts)).tolist()
        for count, n in zip([*counts, everybody], [*number, size], strict=True):
            estimated = estimate(n, everybody, size)
            if 1 <= estimated < below:
                shown[estimated == count] += 1
    found = confidence_of_sample(np.array([*counts, everybody]), everybody, size, below)
    assert found == (None if not shown else pytest.approx(shown[True] / shown.total(), rel=1e-14))


def test_a_large_sample_takes_no_time() -> None:
    found = confidence_of_sample(np.array([0, 1, 2, 5, 1_000, 400_000, 600_000]), 1_000_000, 500_000, 3)
    assert found is not None
    assert 0 < found < 1


@pytest.mark.parametrize("method", ["conventional-rounding", "controlled-rounding", "small-count-rounding"])
def test_what_true_values_decide_is_counted(method: str) -> None:
    """CONVENTION 864: nothing is drawn, so the probability is the share of this release."""
    counts = np.random.default_rng(2).integers(0, 12, (6, 6))
    settings = settings_of(method, {"base": "3"})
    found = protect(tabulated(counts), settings, policy=policy(9))
    cells, _ = merge_cells(found.release)
    told = judge_confidence(found.release, cells, policy(9))
    assert told.shown > 5
    assert found.statement.confidence == pytest.approx(told.right / told.shown, rel=1e-11)
    none = protect(tabulated(counts), settings, policy=policy(3))
    assert none.statement.confidence is None


def test_what_is_not_computed_is_undecided_under_a_limit() -> None:
    """CONVENTION 865: also in every later audit of the agency's copy; without a limit it is said, no more."""
    records = [{"job": JOBS[k % 3], "region": "NS"[k % 2]} for k in range(8)]
    said = settings_of("record-swapping", {"variable": "region", "rate": ("0.5",)})
    free = protect(surveyed(VARIABLES, records), said, seed=2, policy=policy(3))
    assert free.statement.confidence is None
    assert UNSTATED in {note.code for note in free.release.notes}
    assert any("is not computed here" in detail for detail in free.statement.details)
    limit = policy_from_document({"require": {"confidence": "0.99"}})
    limited = protect(surveyed(VARIABLES, records), said, seed=2, policy=limit)
    assert limited.verdict == "undecided"
    assert "the policy limits how far small counts may be believed" in verdict_line(limited.report)
    assert audit(limited.release, policy=limit).report.verdict == limited.verdict
