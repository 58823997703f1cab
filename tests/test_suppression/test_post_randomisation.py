"""Categories of records changed by a matrix."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.model import Release
from tableseal.suppression.protections.perturbation.categories import PostRandomisation
from tableseal.suppression.protections.perturbation.chain import invariant
from tableseal.suppression.protections.perturbation.draws import quotas
from tableseal.suppression.protections.protect import protect
from tests.support.every_way import every_way
from tests.support.surveyed import surveyed, values

HALF = Fraction(1, 2)
JOBS = ["j", "k", "l"]
VARIABLES: Mapping[str, Any] = {"job": {"tree": {"jk": ["j", "k"], "l": []}}, "region": {"codes": ["N", "S"]}}
REGIONS = "NNNSS"

Jobs = tuple[int, ...]


def persons(jobs: Jobs) -> Release:
    return surveyed(VARIABLES, [{"job": JOBS[j], "region": r} for j, r in zip(jobs, REGIONS, strict=True)])


@cache
def ways(number: Jobs, draws: str) -> Any:
    """What each state can become, or (quotas) all numbers of moves; for numbers of persons in each state."""
    states = [s for s, n in enumerate(number) if n]
    rows = [{k: (HALF if k == s else Fraction(1, 4)) for k in range(3)} for s in states]
    there = [number[s] for s in states]
    chain = invariant(rows, states, there)
    if draws == "independent":
        return {s: set(found) for s, found in zip(states, chain, strict=True)}
    return {moves(zip(states, way, strict=True)) for _, way in every_way(lambda chance: quotas(chain, there, chance))}


def moves(rows: Iterable[tuple[int, Mapping[int, int]]]) -> tuple[tuple[int, int, int], ...]:
    """(from, to, how many), in an order."""
    return tuple(sorted((s, k, n) for s, row in rows for k, n in row.items()))


def can_become(true: Jobs, shown: Jobs, draws: str) -> bool:
    found = ways(tuple(true.count(s) for s in range(3)), draws)
    if draws == "independent":
        return all(k in found[s] for s, k in zip(true, shown, strict=True))
    return moves((s, {k: n}) for (s, k), n in Counter(zip(true, shown, strict=True)).items()) in found


@pytest.mark.parametrize("draws", ["quotas", "independent"])
def test_what_may_stand_behind_a_shown_table(draws: Any) -> None:
    """CONVENTION 758: over all true tables of five persons and all that can become of them, the audit takes no value as
    possible beyond those of tables that give the same picture; and the true one always is."""
    people = list(product(range(3), repeat=5))
    behind: dict[Any, set[Jobs]] = {}
    for true, shown in product(people, people):
        if can_become(true, shown, draws):
            behind.setdefault(tuple(sorted(zip(shown, REGIONS, strict=True))), set()).add(true)
    random = np.random.default_rng(0)
    inside = {"T": {0, 1, 2}, "jk": {0, 1}, "j": {0}, "k": {1}, "l": {2}}
    regions = {"T": "NS", "N": "N", "S": "S"}
    open_cells = 0
    for seed in range(25):
        true = people[random.integers(len(people))]
        found = protect(persons(true), PostRandomisation("job", HALF, draws=draws), seed=seed)
        cells = values(found, "value")
        picture = tuple((j, r) for j, r in product(range(3), "NS") for _ in range(cells[JOBS[j], r]))
        for cell in found.report.cells:
            job, region = (code for _, code in cell.cell)
            counts = [
                sum(j in inside[job] and r in regions[region] for j, r in zip(jobs, REGIONS, strict=True))
                for jobs in behind[picture]
            ]
            assert cell.lower is not None
            assert cell.upper is not None
            assert cell.truth is not None
            assert min(counts) <= cell.lower <= cell.truth <= cell.upper <= max(counts), (true, picture, job, region)
            open_cells += cell.lower < cell.upper
    assert open_cells > 25


def test_quotas_keep_each_category_in_each_stratum_and_cells_without_it_stay() -> None:
    random = np.random.default_rng(5)
    jobs, regions = random.integers(0, 3, 60).tolist(), random.choice(list("NS"), 60).tolist()
    records = [{"job": JOBS[j], "region": r} for j, r in zip(jobs, regions, strict=True)]
    release = surveyed(VARIABLES, records, margins=[["job", "region"], ["region"]])
    found = protect(release, PostRandomisation("job", HALF, by="region"), seed=2)
    assert found.statement.additive
    assert values(found, "value") == values(found, "truth")  # job by region is what the strata keep
    whole = protect(release, PostRandomisation("job", HALF), seed=2)
    shown, truth = values(whole, "value"), values(whole, "truth")
    assert all(shown[cell] == truth[cell] for cell in shown if "T" in cell)
    assert shown != truth


def test_the_order_of_records_never_matters() -> None:
    """CONVENTION 711."""
    records = [{"job": JOBS[k % 3], "region": "NS"[k % 7 == 0]} for k in range(40)]
    said = PostRandomisation("job", HALF)
    first, other = (protect(surveyed(VARIABLES, rows), said, seed=4) for rows in (records, records[::-1]))
    assert values(first, "value") == values(other, "value")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"variable": "work"}, "no such variable"),
        ({"variable": "job", "by": "job"}, "the variable that changes"),
        ({"variable": "job", "stay": None}, "is needed, or a matrix"),
        ({"variable": "job", "stay": Fraction(1)}, "below 1"),
    ],
)
def test_settings_that_are_none(said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        protect(persons((0, 1, 2, 0, 1)), PostRandomisation(**{"stay": HALF, **said}))


def test_records_that_are_none() -> None:
    release = persons((0, 1, 2, 0, 1))
    said = PostRandomisation("job", HALF)
    with pytest.raises(InputError, match="give `microdata`"):
        protect(replace(release, microdata=None), said)
    rows = [{"job": "j", "region": "N"}, {"job": "T", "region": "S"}]
    with pytest.raises(InputError, match="at its finest level") as refused:
        protect(surveyed(VARIABLES, rows, margins=[["region"]]), said)
    assert refused.value.places[0].row == 2
    assert release.microdata is not None
    weighted = replace(release, microdata=replace(release.microdata, weight=np.ones(5)))
    with pytest.raises(InputError, match="have weights"):
        protect(weighted, said)
