"""Who contributes to which cell of a hypercube: against all records, whatever is asked."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from contributed import Record, cube_of
from cubes import grouping
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.contributions import Contributions, added, grouped
from tableseal.audit.hypercube.question import Question
from tableseal.audit.hypercube.store import open_cube, opened, pieces, write_cube
from tableseal.audit.hypercube.tabulate import Tabulated, tabulate

Drawn = tuple[tuple[int, ...], list[Record], Question, int]


@st.composite
def asked(draw: st.DrawFn) -> Drawn:
    """Leaves of each variable, records of holdings, a table, and how many of the largest are kept."""
    sizes = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    leaves = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    records = draw(st.lists(st.tuples(leaves, st.integers(0, 7), st.integers(-20, 60)), max_size=24))
    axes = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=3))
    where = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=2))
    question = Question(
        tuple(draw(grouping(at, sizes[at], 3)) for at in axes),
        tuple(draw(grouping(at, sizes[at], 1)) for at in where),
        "turnover",
    )
    return sizes, records, question, draw(st.integers(1, 4))


def by_hand(records: list[Record], question: Question, ranks: int) -> list[tuple[int, int, list[int], int]]:
    """Of each cell: contributors, the sum of what they give without sign, the largest of these, and the sum."""
    found = []
    for cell in product(*(range(len(axis.codes)) for axis in question.axes)):
        given: dict[int, int] = {}
        for leaves, who, value in records:
            inside = all(axis.of_leaf[leaves[axis.variable]] == g for axis, g in zip(question.axes, cell, strict=True))
            if inside and all(chosen.of_leaf[leaves[chosen.variable]] >= 0 for chosen in question.where):
                given[who] = given.get(who, 0) + value
        sizes = sorted((abs(value) for value in given.values()), reverse=True)
        largest = (sizes + [0] * ranks)[:ranks]
        found.append((len(given), sum(sizes), largest, sum(given.values())))
    return found


def listed(found: Contributions, sums: np.ndarray) -> list[tuple[int, int, list[int], int]]:
    columns = found.respondents, found.size("turnover"), found.largest("turnover"), sums
    return list(zip(*(column.tolist() for column in columns), strict=True))


def of(found: Tabulated) -> list[tuple[int, int, list[int], int]]:
    assert found.contributions is not None
    return listed(found.contributions, found.sums["turnover"])


@settings(max_examples=150, deadline=None)
@given(asked(), st.randoms(use_true_random=False))
def test_the_largest_of_any_table_are_those_of_its_records(drawn: Drawn, random: Random) -> None:
    """CONVENTION 1109. Holdings with records in several cells, and negative contributions, included."""
    sizes, records, question, ranks = drawn
    expected = by_hand(records, question, ranks)
    assert of(tabulate(question, cube_of(sizes, records, ranks))) == expected
    shuffled = cube_of(sizes, random.sample(records, len(records)), ranks)
    assert of(tabulate(question, shuffled)) == expected
    one, other = (cube.held.contributions for cube in (cube_of(sizes, records, ranks), shuffled))
    assert one is not None
    assert other is not None
    assert np.array_equal(one.contributor, other.contributor)
    assert np.array_equal(one.amounts["turnover"].entry, other.amounts["turnover"].entry)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=asked(), size=st.integers(1, 5))
def test_stored_in_parts_they_are_the_same(tmp_path: Path, drawn: Drawn, size: int) -> None:
    """CONVENTION 1109."""
    sizes, records, question, ranks = drawn
    held = cube_of(sizes, records, ranks)
    write_cube(tmp_path / "a.cube", held.about, pieces(held.held, size))
    stored = open_cube(tmp_path / "a.cube")
    assert stored.about.ranks == ranks
    expected = of(tabulate(question, held))
    if records:
        assert of(tabulate(question, stored)) == expected
    assert of(tabulate(question, opened(tmp_path / "a.cube"))) == expected


@settings(max_examples=60, deadline=None)
@given(asked(), st.data())
def test_a_sum_of_cells_in_two_steps_is_one_in_one_step(drawn: Drawn, data: st.DataObject) -> None:
    """CONVENTION 1109. So coarser tables can be made of the one that was asked for."""
    sizes, records, question, ranks = drawn
    found = tabulate(question, cube_of(sizes, records, ranks))
    assert found.contributions is not None
    group = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=question.size, max_size=question.size)), np.int64)
    half = np.array([at % 2 == 0 for at in range(len(group))])
    whole = grouped(found.contributions, group, 3)
    parts = [grouped(found.contributions, np.where(own, group, -1), 3) for own in (half, ~half)]
    sums = np.bincount(group[group >= 0], found.sums["turnover"][group >= 0], 3).astype(np.int64)
    assert listed(added(parts), sums) == listed(whole, sums)
    one = sums.sum(keepdims=True)
    assert listed(grouped(whole, np.zeros(3, np.int64), 1), one) == listed(
        grouped(found.contributions, np.where(group >= 0, 0, -1), 1), one
    )


def test_files_whose_contributions_cannot_be_are_refused(tmp_path: Path) -> None:
    """CONVENTION 1109."""
    held = cube_of((2,), [((0,), 0, 5), ((0,), 1, 3), ((1,), 1, 2)], 2)
    contributions = held.held.contributions
    assert contributions is not None
    amounts = contributions.amounts["turnover"]
    assert amounts.entry.tolist() == [3, 2]
    for changed in (
        replace(contributions, amounts={"turnover": replace(amounts, size=amounts.size - 1)}),
        replace(contributions, amounts={"turnover": replace(amounts, largest=amounts.largest[:, ::-1])}),
        replace(contributions, cell=contributions.cell[::-1].copy()),
        replace(contributions, number=contributions.number - 2),
    ):
        wrong = replace(held.held, contributions=changed)
        write_cube(tmp_path / "a.cube", held.about, [wrong])
        with pytest.raises(InputError, match="contribut"):
            open_cube(tmp_path / "a.cube").held()
    write_cube(tmp_path / "a.cube", held.about, [held.held])
    (file,) = (tmp_path / "a.cube").glob("several-*.parquet")
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    with pytest.raises(InputError, match="damaged or cut off"):
        open_cube(tmp_path / "a.cube").held()
