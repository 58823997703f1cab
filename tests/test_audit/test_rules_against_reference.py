"""Each rule against a slow, obvious reference in plain Python, on random cells."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log2
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.model import Amounts, Intruder, Microdata, Policy, Status, build_hierarchy
from tableseal.audit.rules import PQ, Attribute, Dominance, Entropy, Request, Rule, Sensitivity, Threshold, assess
from tableseal.audit.rules.contributions import contributions

CellsOf = Callable[..., Any]
F = Fraction
Interval = tuple[int, int] | None

amounts = st.integers(0, 12) | st.integers(0, 10**4) | st.integers(2**48, 2**50)
contributor_lists = st.lists(st.lists(amounts, max_size=6), min_size=1, max_size=6)
percents = st.fractions(1, 100, max_denominator=20)
# (No rule judges what everybody knows to be zero, nor what is published by consent: tests of their own.)
statuses = st.sampled_from([s for s in Status if s not in (Status.STRUCTURAL_ZERO, Status.CONSENT)])


def unpack(result: Sensitivity) -> list[tuple[bool, Interval]]:
    ends = zip(result.required_lower.units.tolist(), result.required_upper.units.tolist(), strict=True)
    known = result.required_lower.known.tolist()
    sensitive = result.sensitive.tolist()
    return [(s, e if k else None) for s, e, k in zip(sensitive, ends, known, strict=True)]


def run(pair: Any, *rules: Rule) -> list[tuple[bool, Interval]]:
    release, cells = pair
    return unpack(assess(release, cells, Policy(primary=rules)))


def around(value: int, distance: F, nonnegative: bool = True) -> Interval:
    d = ceil(distance)
    return (max(value - d, 0) if nonnegative else value - d, value + d)


@dataclass(frozen=True)
class World:
    """Cells of one magnitude, with the contributions behind each."""

    pair: Any
    parts: list[list[int]]


@st.composite
def magnitudes(draw: Any, cells_of: CellsOf, columns: int) -> World:
    parts = [sorted(p, reverse=True) for p in draw(contributor_lists)]
    listed = [[p[k] if k < len(p) else None for p in parts] for k in range(columns)]
    pair = cells_of(
        [sum(p) for p in parts],
        status=draw(st.lists(statuses, min_size=len(parts), max_size=len(parts))),
        frequency=[len(p) for p in parts],
        contributors=listed,
    )
    return World(pair, parts)


@given(st.data(), st.integers(1, 6), st.booleans(), percents | st.none())
def test_threshold(cells_of: CellsOf, data: Any, count: int, zeros: bool, percent: F | None) -> None:
    def reference(value: int, frequency: int, is_count: bool) -> tuple[bool, Interval]:
        if frequency >= count or (frequency == 0 and not zeros):
            return False, None
        if percent is not None:
            return True, around(value, percent / 100 * value)
        return True, (0, count) if is_count else None

    rule = Threshold(count, zeros, protection_percent=percent)
    world = data.draw(magnitudes(cells_of, 0))
    expected = [reference(sum(p), len(p), False) for p in world.parts]
    assert run(world.pair, rule) == expected
    values = data.draw(st.lists(st.integers(0, 9), max_size=8))
    assert run(cells_of(values, kind="count"), rule) == [reference(v, v, True) for v in values]


@given(st.data(), st.integers(1, 4), percents)
def test_dominance(cells_of: CellsOf, data: Any, n: int, k: F) -> None:
    world = data.draw(magnitudes(cells_of, n))

    def reference(part: list[int]) -> tuple[bool, Interval]:
        total, top = sum(part), sum(part[:n])
        if total and F(top, total) > k / 100:
            return True, around(total, 100 / k * top - total)
        return False, None

    assert run(world.pair, Dominance(n, k)) == [reference(p) for p in world.parts]


@given(st.data(), percents, percents)
def test_pq(cells_of: CellsOf, data: Any, p: F, q: F) -> None:
    world = data.draw(magnitudes(cells_of, 2))

    def reference(part: list[int]) -> tuple[bool, Interval]:
        first, second = [*part, 0, 0][:2]
        remainder = sum(part) - first - second
        if remainder < p / q * first:
            return True, around(sum(part), p / q * first - remainder)
        return False, None

    assert run(world.pair, PQ(p, q)) == [reference(part) for part in world.parts]


@given(st.data(), percents, percents)
def test_several_rules_are_united(cells_of: CellsOf, data: Any, p: F, k: F) -> None:
    world = data.draw(magnitudes(cells_of, 2))
    one, two = run(world.pair, PQ(p)), run(world.pair, Dominance(1, k))
    both = run(world.pair, PQ(p), Dominance(1, k))
    for (s1, i1), (s2, i2), (s, interval) in zip(one, two, both, strict=True):
        assert s == (s1 or s2)
        ends = [i for i in (i1, i2) if i is not None]
        expected = (min(e[0] for e in ends), max(e[1] for e in ends)) if ends else None
        assert interval == expected


TREE = build_hierarchy(
    "place",
    "T",
    [[(None, "N"), ("N", "N1"), ("N", "N2"), (None, "S1")], [(None, "X"), ("X", "N1"), ("X", "S1")]],
)
SIZE = build_hierarchy("size", "all", [[(None, "s"), (None, "b")]])
COMBINATIONS = list(product(TREE.codes, SIZE.codes))


@dataclass(frozen=True)
class Record:
    place: str | None
    size: str | None
    amount: int
    holding: str
    asked: bool


records = st.lists(
    st.builds(
        Record,
        place=st.sampled_from([*TREE.codes, "N1", "N2", "S1", None]),
        size=st.sampled_from(["s", "b", "s", "b", "all", None]),
        amount=st.integers(-5, 20),
        holding=st.sampled_from(["", "", "", "H", "K"]),
        asked=st.booleans(),
    ),
    max_size=12,
)


def microdata(rows: list[Record]) -> Microdata:
    def at(hierarchy: Any, code: str | None) -> int:
        return -1 if code is None else int(hierarchy.index[code])

    return Microdata(
        codes=np.array([[at(TREE, r.place), at(SIZE, r.size)] for r in rows], dtype=np.int32).reshape(-1, 2),
        values={"value": Amounts.of([r.amount for r in rows])},
        holding=tuple(r.holding for r in rows),
        request=np.array([r.asked for r in rows], dtype=np.bool_),
    )


def leaves(hierarchy: Any, code: str | None) -> set[int]:
    if code is None:
        return {-1, *range(len(hierarchy.leaves))}
    return set(np.flatnonzero(hierarchy.members[[hierarchy.index[code]]].toarray()[0]).tolist())


def belongs(record: Record, place: str, size: str) -> bool | None:
    """True, False, or None where the record may or may not belong to the cell."""
    answer: bool | None = True
    for hierarchy, own, code in ((TREE, record.place, place), (SIZE, record.size, size)):
        mine, cell = leaves(hierarchy, own), leaves(hierarchy, code)
        if code == hierarchy.total:
            continue
        if not mine & cell:
            return False
        if not mine <= cell:
            answer = None
    return answer


def behind(rows: list[Record], place: str, size: str) -> list[tuple[int, bool]] | None:
    """(contribution, asked) of every contributor of a cell; None if it is open who contributes."""
    asked = {r.holding for r in rows if r.asked and r.holding}
    found: dict[Any, tuple[int, bool]] = {}
    for i, record in enumerate(rows):
        inside = belongs(record, place, size)
        if inside is None:
            return None
        if inside:
            key = record.holding or i
            before = found.get(key, (0, False))[0]
            found[key] = before + record.amount, record.asked or record.holding in asked
    return sorted(found.values(), key=lambda c: -abs(c[0]))


def of_microdata(cells_of: CellsOf, rows: list[Record]) -> Any:
    return cells_of(
        [None] * len(COMBINATIONS),
        hierarchies=[TREE, SIZE],
        codes=COMBINATIONS,
        status=[Status.PRIMARY] * len(COMBINATIONS),
        microdata=microdata(rows),
        intruder=Intruder(nonnegative=False),
    )


@settings(max_examples=60)
@given(records)
def test_contributions(cells_of: CellsOf, rows: list[Record]) -> None:
    release, cells = of_microdata(cells_of, rows)
    found = contributions(release, cells, release.microdata)
    for c, (place, size) in enumerate(COMBINATIONS):
        expected = behind(rows, place, size)
        assert bool(found.covered[c]) == (expected is not None)
        if expected is not None:
            own = slice(int(found.start[c]), int(found.start[c + 1]))
            assert np.abs(found.amount[own]).tolist() == [abs(a) for a, _ in expected]
            pairs = zip(found.amount[own].tolist(), found.requested[own].tolist(), strict=True)
            assert sorted(pairs) == sorted(expected)  # with their signs
            for rank, (amount, _) in enumerate(expected):
                assert abs(found.nth(rank)[c]) == abs(amount)
            assert found.value[c] == sum(a for a, _ in expected)
            assert found.size[c] == sum(abs(a) for a, _ in expected)
            assert found.frequency[c] == len(expected)


@settings(max_examples=60)
@given(records, percents, st.fractions(0, 1, max_denominator=20), percents | st.none())
def test_rules_from_microdata(cells_of: CellsOf, rows: list[Record], percent: F, limit: F, share: F | None) -> None:
    pair = of_microdata(cells_of, rows)
    cells = [behind(rows, place, size) for place, size in COMBINATIONS]

    def relative_entropy(sizes: list[int]) -> float:
        if len(sizes) < 2:
            return 0.0
        shares = [a / sum(sizes) for a in sizes if a]
        return -sum(p * log2(p) for p in shares) / log2(len(sizes))

    def entropy(part: list[tuple[int, bool]]) -> tuple[bool, Interval]:
        sizes = [abs(a) for a, _ in part]
        value = sum(a for a, _ in part)
        nothing_to_tell = sum(sizes) == 0 and len(sizes) != 1
        if nothing_to_tell or relative_entropy(sizes) >= float(limit) - 1e-12:
            return False, None
        return True, around(value, percent / 100 * abs(value), False)

    def request(part: list[tuple[int, bool]]) -> tuple[bool, Interval]:
        total = sum(abs(a) for a, _ in part)
        return any(asked and (share is None or abs(a) * 100 >= share * total) for a, asked in part), None

    def p_percent(part: list[tuple[int, bool]]) -> tuple[bool, Interval]:
        sizes = [*(abs(a) for a, _ in part), 0, 0]
        value, lack = sum(a for a, _ in part), percent / 100 * sizes[0] - sum(sizes[2:])
        return (True, around(value, lack, False)) if lack > 0 else (False, None)

    for rule, reference in (
        (Entropy(limit, percent), entropy),
        (Request(share), request),
        (PQ(percent), p_percent),
    ):
        assert run(pair, rule) == [(False, None) if c is None else reference(c) for c in cells], rule


COLOUR = build_hierarchy(
    "colour", "any", [[(None, "dark"), ("dark", "black"), ("dark", "blue"), ("dark", "green"), (None, "red")]]
)
GRID = list(product(["T", "N", "N1", "N2", "S1", "X"], COLOUR.codes))


def children(hierarchy: Any, code: str) -> list[list[str]]:
    found = []
    for parent in hierarchy.parents:
        here = [c for i, c in enumerate(hierarchy.codes) if parent[i] == hierarchy.index[code]]
        if here:
            found.append(here)
    return found


def attribute_reference(
    count: dict[tuple[str, str], int],
    impossible: set[tuple[str, str]],
    given_names: tuple[str, ...],
    populated: int,
) -> set[tuple[str, str]]:
    """Line by line, as the rule is told."""
    found = set()
    for place, colour in GRID:
        below = [
            [(c, colour) for c in line] if name == "place" else [(place, c) for c in line]
            for name, hierarchy, code in (("place", TREE, place), ("colour", COLOUR, colour))
            if name not in given_names
            for line in children(hierarchy, code)
        ]
        fixed = {"place": place != "T", "colour": colour != "any"}
        if given_names and not any(fixed[g] for g in given_names):
            continue
        for line in below:
            if all(cell in count for cell in line):
                full = [cell for cell in line if count[cell]]
                possible = [cell for cell in line if cell not in impossible]
                if 1 <= len(full) <= populated and len(full) < len(possible):
                    found.update(full)
                    found.update({(place, colour)} & count.keys())
    return found


leaf_counts = st.fixed_dictionaries(
    {leaf: st.sampled_from([0, 0, 1, 2, 9]) for leaf in product(["N1", "N2", "S1"], ["black", "blue", "green", "red"])}
)


@settings(max_examples=80)
@given(
    leaf_counts,
    st.sets(st.sampled_from(GRID)),
    st.sets(st.sampled_from(GRID)),
    st.sets(st.sampled_from(GRID)),
    st.sampled_from([(), ("place",), ("colour",), ("place", "colour")]),
    st.integers(1, 3),
)
def test_attribute(
    cells_of: CellsOf,
    leaf: dict[tuple[str, str], int],
    left_out: set[tuple[str, str]],
    structural: set[tuple[str, str]],
    hidden: set[tuple[str, str]],
    given_names: tuple[str, ...],
    populated: int,
) -> None:
    # CONVENTION 151
    def cells(hierarchy: Any, code: str) -> set[str]:
        return {hierarchy.codes[hierarchy.leaves[i]] for i in leaves(hierarchy, code)}

    everything = {
        (place, colour): sum(leaf[x] for x in product(cells(TREE, place), cells(COLOUR, colour)))
        for place, colour in GRID
    }
    count = {cell: n for cell, n in everything.items() if cell not in left_out}
    impossible = {cell for cell in structural & count.keys() if count[cell] == 0}

    def result(unknown: set[tuple[str, str]]) -> set[tuple[str, str]]:
        pair = cells_of(
            [None if cell in unknown else n for cell, n in count.items()],
            kind="count",
            hierarchies=[TREE, COLOUR],
            codes=list(count),
            status=[
                Status.STRUCTURAL_ZERO if c in impossible else Status.PRIMARY if c in unknown else Status.PUBLISHED
                for c in count
            ],
        )
        judged = run(pair, Attribute(given_names, populated))
        return {cell for cell, (sensitive, _) in zip(count, judged, strict=True) if sensitive}

    expected = attribute_reference(count, impossible, given_names, populated)
    assert result(set()) == expected
    # Whatever can be judged without the true values of withheld cells is judged as if they were known.
    unknown = (hidden & count.keys()) - impossible
    try:
        without = result(unknown)
    except InputError:
        return
    assert without - unknown == expected - unknown
