"""Which totals `totals: compute` releases, and with which values, against a reference that knows sets of leaves."""

from itertools import combinations, product
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.io import canonical_document, release_from_document
from tableseal.audit.linear.absent import complete
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import Hierarchy, Release
from tableseal.audit.pipeline import audit

Code = str
Combination = tuple[Code, ...]


class Setup(NamedTuple):
    """A release document, what its first table holds, and which codes no classification names."""

    document: dict[str, Any]
    rows: dict[Combination, int | None]
    selections: frozenset[Code]
    axes: tuple[str, ...]
    fixed: Combination


@st.composite
def classifications(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Groups of one to three leaves, some below a further group, and sometimes a second grouping."""
    leaves = [f"{name}{k}" for k in range(draw(st.integers(1, 4)))]
    tree: dict[str, Any] = {}
    at = 0
    while at < len(leaves):
        size = draw(st.integers(1, 3))
        part, group = leaves[at : at + size], f"{name}g{at}"
        at += size
        shape = draw(st.sampled_from(["leaves", "group", "chain"]))
        tree |= (
            dict.fromkeys(part)
            if shape == "leaves"
            else {group: part}
            if shape == "group"
            else {f"{group}above": {group: part}}
        )
    trees = [tree]
    if len(leaves) > 2 and draw(st.booleans()):
        inside = draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=3, unique=True))
        trees.append({f"{name}other": inside})
    return {"total": f"{name}T", "trees": trees}


def leaves_of(hierarchy: Hierarchy) -> dict[Code, frozenset[int]]:
    dense = hierarchy.members.toarray()
    return {code: frozenset(dense[k].nonzero()[0].tolist()) for k, code in enumerate(hierarchy.codes)}


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    names = ["a", "b"]
    variables = {name: draw(classifications(name)) for name in names}
    plain = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": variables,
            "tables": [{"name": "t", "cells": {"a": ["aT"], "b": ["bT"], "value": [0]}}],
        }
    )
    covers = [leaves_of(plain.variables[name]) for name in names]
    sizes = [max(len(c) for c in cover.values()) for cover in covers]
    amounts = {p: draw(st.sampled_from([0, 0, 1, 2, 5])) for p in product(*(range(s) for s in sizes))}

    def value(combination: Combination) -> int:
        inside = [covers[v][code] for v, code in enumerate(combination)]
        return sum(n for p, n in amounts.items() if all(q in s for q, s in zip(p, inside, strict=True)))

    named = draw(st.sampled_from([("a", "b"), ("a",)]))
    fixed = draw(st.sampled_from(plain.variables["b"].codes)) if named == ("a",) and draw(st.booleans()) else None
    chosen = []
    for name in names:
        codes = plain.variables[name].codes
        if name in named:
            chosen.append(draw(st.lists(st.sampled_from(codes), min_size=1, max_size=5, unique=True)))
        else:
            chosen.append([fixed or f"{name}T"])
    drop = draw(st.booleans())
    hidden = draw(st.frozensets(st.sampled_from(list(product(*chosen))), max_size=2))
    # A cell under two names is withheld under both.
    secret = {tuple(covers[v][c] for v, c in enumerate(h)) for h in hidden}
    rows: dict[Combination, int | None] = {}
    for combination in product(*chosen):
        unknown = tuple(covers[v][c] for v, c in enumerate(combination)) in secret
        if not (drop and value(combination) == 0):
            rows[combination] = None if unknown else value(combination)
    rows = rows or {tuple(c[0] for c in chosen): 0}
    entry: dict[str, Any] = {
        "name": "t",
        "cells": {name: [r[names.index(name)] for r in rows] for name in named} | {"value": list(rows.values())},
        "absent": {"leaves": draw(st.sampled_from(["zero", "not_released"])), "totals": "compute"},
    }
    if fixed is not None:
        entry["where"] = {"b": fixed}
    leaves = [plain.variables["a"].codes[k] for k in plain.variables["a"].leaves]
    picked = draw(st.lists(st.sampled_from(leaves), min_size=1, unique=True))
    other = {"name": "u", "where": {"a": picked}, "cells": {"b": ["bT"], "value": [None]}}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [entry, other]}
    after = release_from_document(document).variables["a"]
    return Setup(
        document,
        rows,
        frozenset(after.codes) - frozenset(plain.variables["a"].codes),
        named,
        tuple(c[0] for c in chosen),
    )


def finest(listed: set[Code], cover: dict[Code, frozenset[int]], all_leaves: dict[Code, frozenset[int]]) -> set[Code]:
    """CONVENTION 5, by sets."""
    inner = {c for c in listed if not any(cover[d] < cover[c] for d in listed)}
    sums = listed - inner
    scope = frozenset().union(*(cover[c] for c in sums)) if sums else frozenset().union(*cover.values())
    found = frozenset().union(*(cover[c] for c in inner))
    return inner | {leaf for leaf, own in all_leaves.items() if own <= scope and not own & found}


def partition(code: Code, fine: set[Code], cover: dict[Code, frozenset[int]]) -> tuple[Code, ...] | None:
    """Finest codes that make up a code, each set of leaves once; None: there are none."""
    distinct = {cover[f]: f for f in sorted(fine) if cover[f] <= cover[code]}
    for size in range(1, len(distinct) + 1):
        for parts in combinations(distinct.values(), size):
            covers = [cover[p] for p in parts]
            if sum(map(len, covers)) == len(cover[code]) and frozenset().union(*covers) == cover[code]:
                return parts
    return None


def expected(setup: Setup, release: Release) -> dict[Combination, int]:
    hierarchies = list(release.variables.values())
    covers = [leaves_of(h) for h in hierarchies]
    zero = release.tables[0].absent.leaves == "zero"
    parts_of: list[dict[Code, tuple[Code, ...]]] = []
    fines = []
    for v, hierarchy in enumerate(hierarchies):
        listed = {row[v] for row in setup.rows}
        leaves = {hierarchy.codes[k]: covers[v][hierarchy.codes[k]] for k in hierarchy.leaves}
        named = hierarchy.name in setup.axes
        fine = finest(listed, covers[v], leaves) if named else listed
        found = {c: (c,) for c in fine}
        for code in set(hierarchy.codes) - fine - (setup.selections - listed) if named else ():
            parts = partition(code, fine, covers[v])
            if parts is not None and (len(parts) > 1 or code == hierarchy.total):
                found[code] = parts
        fines.append(fine)
        parts_of.append(found)

    def meaning(combination: Combination) -> tuple[Any, ...]:
        return tuple((covers[v][c], c == hierarchies[v].total and c not in fines[v]) for v, c in enumerate(combination))

    taken = {meaning(row) for row in setup.rows}
    result = {}
    for combination in product(*parts_of):
        if all(c in fines[v] for v, c in enumerate(combination)) or meaning(combination) in taken:
            continue
        if combination in setup.rows:
            continue
        cells = list(product(*(parts_of[v][c] for v, c in enumerate(combination))))
        values = [setup.rows.get(c, 0 if zero else None) for c in cells]
        if None not in values:
            result[combination] = sum(v for v in values if v is not None)
    return result


def found(release: Release) -> dict[Combination, int]:
    done = complete(release.tables[0], release, KeySpace.of(release))
    codes = [tuple(release.cell_codes(row).values()) for row in done.sum_codes]
    return dict(zip(codes, done.sums.units.tolist(), strict=True))


@given(setups())
def test_computed_totals_are_the_sums_of_the_own_classification(setup: Setup) -> None:
    # CONVENTION 560
    release = release_from_document(setup.document)
    assert found(release) == expected(setup, release)
    again = release_from_document(canonical_document(release))
    assert found(again) == found(release)


def document(*tables: dict[str, Any], **more: Any) -> dict[str, Any]:
    variables = {
        "c": {"total": "T", "tree": {"g1": ["c0"], "g2": ["c1", "c2"]}},
        "b": {"total": "U", "codes": ["p", "q"]},
    }
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": list(tables), **more}


ROUNDED = {
    "name": "rounded",
    "cells": {"c": ["c0", "c1", "c2", "T"], "value": [5, 10, 10, 25]},
    "rounding": {"base": 5, "method": "conventional"},
}


@pytest.mark.parametrize("where", ["c0", "g1", "g2", "T"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_total_that_gives_a_rounded_cell_exposes_it_computed_or_listed(where: str, listed: bool) -> None:
    # CONVENTION 561
    values = {"c0": [3, 4], "g1": [3, 4], "g2": [9, 11], "T": [12, 15]}[where]
    cells = {"b": ["p", "q", "U"], "value": [*values, sum(values)]}
    if not listed:
        cells = {name: column[:2] for name, column in cells.items()}
    exact = {"name": "exact", "cells": cells, "absent": {"totals": "not_released" if listed else "compute"}}
    exact |= {} if where == "T" else {"where": {"c": where}}
    report = audit(release_from_document(document(ROUNDED, exact))).report
    exposed = {dict(c.cell)["c"] for c in report.cells if c.verdict == "exposed"}
    assert exposed == {"c0": {"c0"}, "g1": {"c0"}, "g2": set(), "T": {"T"}}[where]
    assert report.verdict == ("unsafe" if exposed else "safe")


@pytest.mark.parametrize("value", [0, 3])
@pytest.mark.parametrize("nonempty", [False, True])
def test_a_total_that_is_computed_is_released(value: int, nonempty: bool) -> None:
    # CONVENTION 562
    whole = {
        "name": "whole",
        "cells": {"b": ["p", "q", "U"], "value": [None] * 3, "s": ["missing", "missing", "primary"]},
        "status": "s",
    }
    parts = {
        "name": "parts",
        "cells": {"c": ["c0", "c1", "c2"], "value": [0, value, 0]},
        "absent": {"totals": "compute"},
    }
    found = audit(release_from_document(document(whole, parts, intruder={"nonempty": nonempty}))).report
    [total] = [c for c in found.cells if c.status not in ("missing", "secondary")]
    assert (total.lower, total.verdict, total.reason) == (value, "exposed", "sensitive_published")
    assert found.verdict == "unsafe"


def test_groups_of_two_groupings_that_overlap_are_added_up_by_one_of_them() -> None:
    # CONVENTION 560
    variables = {"d": {"total": "T", "trees": [{"A": ["1", "2"], "B": ["3", "4"]}, {"C": ["2", "3"], "D": ["1", "4"]}]}}
    cells = {"d": ["A", "B", "C", "D"], "value": [3, 7, 5, 5]}
    entry = {"name": "t", "cells": cells, "absent": {"totals": "compute"}}
    release = release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [entry]})
    assert found(release) == {("T",): 10}
