"""Record swapping: the invariants of the issue, as properties of random households."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.model import Release
from tableseal.suppression.protections.perturbation.draws import below
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.protections.records import Records
from tableseal.suppression.protections.subject import subject_of
from tableseal.suppression.protections.swapping.households import Households
from tableseal.suppression.protections.swapping.pairs import Pool, further_pairs, pairs_of_risky
from tableseal.suppression.protections.swapping.swap import RecordSwapping, Swapped, levels_of, swapped
from tests.support.surveyed import surveyed, values

TREE = {"N": ["n1", "n2"], "S": ["s1", "s2", "s3"]}
LEAVES = [leaf for below_it in TREE.values() for leaf in below_it]
VARIABLES: dict[str, Any] = {
    "place": {"tree": TREE},
    "sex": {"codes": ["F", "M"]},
    "age": {"codes": ["y", "o"]},
}


@st.composite
def households(draw: st.DrawFn) -> list[dict[str, str]]:
    """8 to 24 households of one or two persons."""
    rows = []
    for h in range(draw(st.integers(8, 24))):
        place = draw(st.sampled_from(LEAVES))
        for _ in range(draw(st.integers(1, 2))):
            person = {"sex": draw(st.sampled_from("FM")), "age": draw(st.sampled_from("yo"))}
            rows.append({"place": place, **person, "house": f"h{h}"})
    return rows


def release_of(rows: Sequence[dict[str, str]], **more: Any) -> Release:
    return surveyed(VARIABLES, rows, holding="house", **more)


def pairs_of(release: Release, said: RecordSwapping, seed: int) -> tuple[Records, Households, Swapped]:
    records = Records.of(subject_of(release), "record-swapping")
    homes = Households.of_records(records)
    lives = homes.common(records, records.leaf(0), "place")
    names = list(release.variables)
    classes = [homes.classes([records.leaf(names.index(v)) for v in one if v]) for one in said.profiles]
    draw = below(np.random.default_rng(seed))
    return records, homes, swapped(records, said, homes, lives, 0, classes, [1, 2], draw)


@given(
    households(),
    st.integers(0, 5),
    st.sampled_from([(), ("sex",), ("sex,age", "sex", "")]),
    st.sampled_from([None, 2, 3]),
)
@settings(max_examples=40, deadline=None)
def test_pairs(rows: list[dict[str, str]], seed: int, similar: tuple[str, ...], anonymity: int | None) -> None:
    """CONVENTION 759 and 760."""
    said = RecordSwapping("place", (Fraction(0), Fraction(0)), similar, anonymity)
    release = release_of(rows)
    records, homes, found = pairs_of(release, said, seed)
    lives = homes.common(records, records.leaf(0), "place")
    flat = [h for level in found.pairs for pair in level for h in pair]
    assert len(flat) == len(set(flat))  # nobody twice
    profile = homes.classes([records.leaf(1)] if similar == ("sex",) else [])
    broad, fine = levels_of(records, 0)
    for level, above, pairs in ((broad, None, found.pairs[0]), (fine, broad, found.pairs[1])):
        for one, other in pairs:
            assert level[lives[one]] != level[lives[other]]
            assert above is None or above[lives[one]] == above[lives[other]]  # within the region above
            assert homes.size[one] == homes.size[other]
            assert profile[one] == profile[other]
    free = np.ones(len(lives), np.bool_)
    for level, above, pairs, alone in zip((broad, fine), (None, broad), found.pairs, found.alone, strict=True):
        for pair in pairs:
            free[list(pair)] = False
        risky = at_risk(records, homes, level[lives], anonymity)
        assert alone == (risky & free).sum()
        for h in np.flatnonzero(risky & free):  # risky and not swapped: nobody is left to swap with
            partners = (profile == profile[h]) & free & (level[lives] != level[lives[h]])
            if above is not None:
                partners &= above[lives] == above[lives[h]]
            assert not partners.any()


def at_risk(records: Records, homes: Households, here: Any, anonymity: int | None) -> Any:
    keys = list(zip(here[homes.of].tolist(), records.leaf(1).tolist(), records.leaf(2).tolist(), strict=True))
    number = Counter(keys)
    result = np.zeros(len(homes.size), np.bool_)
    for household, key in zip(homes.of.tolist(), keys, strict=True):
        result[household] |= anonymity is not None and number[key] < anonymity
    return result


@given(households(), st.integers(1, 10), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_as_many_are_swapped_as_stated_or_it_is_an_error(rows: list[dict[str, str]], tenths: int, seed: int) -> None:
    """CONVENTION 759: floor(rate * households / 2) pairs in each stratum; which stratum allows fewer is said."""
    said = RecordSwapping("place", (Fraction(0), Fraction(tenths, 10)))
    homes = {row["house"]: (row["place"], sum(r["house"] == row["house"] for r in rows)) for row in rows}
    most, wanted = {}, {}
    for above, leaves in TREE.items():
        own = [home for home in homes.values() if home[0] in leaves]
        most[above] = 0
        for size in (1, 2):
            numbers = Counter(place for place, n in own if n == size)
            total = sum(numbers.values())
            most[above] += min(total // 2, total - max(numbers.values(), default=0))
        wanted[above] = int(Fraction(tenths, 10) * len(own)) // 2
    short = next((above for above in TREE if most[above] < wanted[above]), None)
    if short is not None:
        with pytest.raises(InputError, match=f'{wanted[short]} pairs? in "{short}", and there are {most[short]} '):
            protect(release_of(rows), said, seed=seed)
        return
    found = protect(release_of(rows), said, seed=seed)
    level = f"Level 2: {2 * sum(wanted.values()):,} household"
    assert any(sentence.startswith(level) for sentence in found.statement.details)


@given(households(), st.integers(0, 5), st.sampled_from([(), ("sex",)]))
@settings(max_examples=20, deadline=None)
def test_only_places_change(rows: list[dict[str, str]], seed: int, similar: tuple[str, ...]) -> None:
    """CONVENTION 760 and 761: tables without places are untouched, so are places by what is alike; the audit's
    intervals hold the true values."""
    said = RecordSwapping("place", (Fraction(0), Fraction(0)), similar, 3)
    found = protect(release_of(rows), said, seed=seed)
    shown, truth = values(found, "value"), values(found, "truth")
    assert found.statement.additive
    for cell in shown:
        place, sex, age = cell
        if place == "T" or (age == "T" and (sex == "T" or similar)):
            assert shown[cell] == truth[cell]
    for one in found.report.cells:
        assert one.truth is None or one.lower is None or one.lower <= one.truth
        assert one.truth is None or one.upper is None or one.truth <= one.upper


def test_carried_variables_move_with_the_place_and_order_never_matters() -> None:
    """CONVENTION 711 and 760."""
    random = np.random.default_rng(1)
    rows = []
    for h in range(60):
        place = LEAVES[random.integers(5)]
        rows += [
            {
                "place": place,
                "urban": "u" if place in ("n1", "s1") else "r",
                "sex": "FM"[random.integers(2)],
                "house": f"h{h}",
            }
            for _ in range(random.integers(1, 3))
        ]
    variables = {"place": VARIABLES["place"], "urban": {"codes": ["u", "r"]}, "sex": VARIABLES["sex"]}
    said = RecordSwapping("place", (Fraction(1, 10), Fraction(1, 5)), carry=("urban",))
    shown = []
    for mixed in (rows, sorted(rows, key=lambda row: row["house"][::-1])):
        found = protect(surveyed(variables, mixed, holding="house"), said, seed=7)
        shown.append(values(found, "value"))
    assert shown[0] == shown[1]
    truth = values(found, "truth")
    assert shown[0] != truth
    for cell, value in shown[0].items():
        if cell[2] == "T":
            assert value == truth[cell]  # place by urban is what it was


@given(st.lists(st.lists(st.booleans(), max_size=4), min_size=2, max_size=4), st.integers(0, 9))
@settings(deadline=None)
def test_pairing_is_as_good_as_can_be(regions: list[list[bool]], seed: int) -> None:
    """By brute force over all sets of pairs: as many as there can be, and as many at risk as can be."""
    people = [(r, risky) for r, own in enumerate(regions) for risky in own]

    def pool() -> Pool:
        found = Pool()
        for number, (region, risky) in enumerate(people):
            found.add(number, region, at_risk=risky)
        return found

    def best(left: frozenset[int], worth: Any) -> int:
        ways = [
            worth(a) + worth(b) + best(left - {a, b}, worth)
            for a, b in combinations(sorted(left), 2)
            if people[a][0] != people[b][0]
        ]
        return max(ways, default=0)

    everybody = frozenset(range(min(len(people), 7)))
    people = people[:7]
    draw = below(np.random.default_rng(seed))
    assert 2 * len(further_pairs([pool()], 99, draw)) == best(everybody, lambda a: 1)
    own = {h for pair in pairs_of_risky([pool()], draw) for h in pair}
    assert sum(people[h][1] for h in own) == best(everybody, lambda a: people[a][1])


ROWS = [{"place": p, "sex": s, "age": "y", "house": f"{p}{s}"} for p in LEAVES for s in "FM"]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"variable": "town"}, "no such variable"),
        ({"rate": (Fraction(2),)}, "from 0 to 1"),
        ({"rate": ()}, "a share for each level"),
        ({"rate": (Fraction(1, 2),) * 3}, "3 rates for 2 levels"),
        ({"similar": ("place",)}, "variable of the regions"),
        ({"similar": ("sex,income",)}, "no such variable"),
        ({"carry": ("place",)}, "variable of the regions"),
        ({"anonymity": 1}, "2 or more"),
        ({"rate": (Fraction(1),), "similar": ("sex",)}, "asks for 3 pairs"),
    ],
)
def test_settings_that_are_none(said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        protect(release_of(ROWS), RecordSwapping(**{"variable": "place", "rate": (Fraction(1, 10),), **said}))


def test_records_that_are_none() -> None:
    said = RecordSwapping("place", (Fraction(1, 10),))
    apart = [*ROWS, {"place": "n1", "sex": "F", "age": "y", "house": "n2F"}]
    with pytest.raises(InputError, match="from another record of its household"):
        protect(release_of(apart), said)
    with pytest.raises(InputError, match="give `microdata`"):
        protect(replace(release_of(ROWS), microdata=None), said)
