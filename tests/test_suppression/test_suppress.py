"""Whatever a method returns is safe: by the audit, and by a list of every table made without the package."""

import itertools
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import insiders_know, oracle_of
from full_releases import full_release
from hypothesis import HealthCheck, assume, example, given, note, settings
from hypothesis import strategies as st
from oracle import Document, possible_values
from protected import as_document

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding, full
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.propagated import refuted
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.naming import full_name
from tableseal.audit.model import Policy, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report
from tableseal.audit.rules import Threshold
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.reasons.impossible import conflict
from tableseal.suppression.reasons.needed import Failing
from tableseal.suppression.reasons.seen import seen
from tableseal.suppression.report import suppression_json
from tableseal.suppression.search.methods import METHODS
from tableseal.suppression.suppress import suppress

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
MOST = 10
"""Cells that may be withheld besides."""
POLICY = Policy((Threshold(2),))
SAFE_METHODS = [m for m in METHODS if m not in ("greedy-elimination", "rank-pure")]
"""All but those that promise less (and are labelled so)."""


def random_document(seed: int) -> Document:
    random = Random(seed)
    document = full_release(random, base=9, largest=4)
    if random.randrange(3) == 0:
        document["intruder"] = {"coalition": 2}
    note(str(document))
    return document


def suppressed(document: Document, **options: Any) -> Suppression:
    """The outcome, of releases that are small enough to go through quickly."""
    release = release_from_document(document)
    try:
        problem = build_problem(release, options.get("policy", POLICY) or release.policy, Costs(), Highs())
    except InputError:
        assume(False)
        raise
    assume(problem.primary.any() and problem.may.sum() <= MOST)
    try:
        return suppress(release, **({"policy": POLICY} | options))
    except InputError:  # a method that does not work for this release
        assume(False)
        raise


def failing(report: Report) -> set[tuple[str, ...]]:
    """Codes of the sensitive cells that a report finds fault with."""
    bad = ("exposed", "underprotected")
    return {tuple(c for _, c in row.cell) for row in report.cells if row.sensitive and row.verdict in bad}


def codes_of(result: Suppression, cells: Sequence[int]) -> set[tuple[str, ...]]:
    release, listed = result.problem.release, result.problem.cells
    return {tuple(release.cell_codes(listed.codes[c]).values()) for c in cells}


@settings(FEW, max_examples=12)
@given(SEEDS, st.sampled_from(SAFE_METHODS))
def test_what_a_method_returns_is_safe_by_every_table_that_fits(seed: int, method: str) -> None:
    """No outsider and no unit that is counted in a withheld cell is left a single value of a sensitive cell, and the
    threshold rule keeps [0, 2] possible."""
    document = random_document(seed)
    result = suppressed(document, method=method)
    if result.release is None:
        assert result.found.status == "infeasible"
        assert result.conflict is not None
        return
    assert result.report is not None
    assert result.report.verdict == "safe"
    public = as_document(document, result.release)
    oracle, tables = oracle_of(public)
    assume(tables is not None)
    together = document.get("intruder", {}).get("coalition", 1)
    for cell in np.flatnonzero(result.problem.primary).tolist():
        (codes,) = codes_of(result, [cell])
        values = list(possible_values(tables, oracle.forms["n", codes]))
        assert len(values) > 1
        assert values[0] == 0
        assert values[-1] >= 2
        assert not insiders_know(oracle, tables, ("n", codes), together)


@settings(FEW)
@given(SEEDS)
def test_an_impossible_problem_is_impossible(seed: int) -> None:
    """With everything withheld that may be, the named cell still fails, and the largest interval is what the audit
    gives."""
    document = random_document(seed)
    random = Random(seed)
    for table in document["tables"]:
        free = [v != 1 and random.random() < 0.8 for v in table["cells"]["value"]]
        table["cells"]["s"] = ["frozen" if f else "" for f in free]
    result = suppressed(document, method="heuristic")
    assume(result.conflict is not None)
    assert result.conflict is not None
    problem, conflict = result.problem, result.conflict
    everything = problem.primary | problem.may
    report = audit(protected_release(problem.release, problem.cells, problem.primary, everything), policy=POLICY).report
    need = conflict.requirement
    assert codes_of(result, [need.cell]) <= failing(report)
    if not need.attacker.who:
        (row,) = [r for r in report.cells if {tuple(c for _, c in r.cell)} == codes_of(result, [need.cell])]
        assert (row.lower, row.upper) == (conflict.largest.lower, conflict.largest.upper)


@settings(FEW)
@given(SEEDS)
def test_what_propagation_refutes_an_audit_finds(seed: int) -> None:
    """CONVENTION 1093: and what it shows of the cell without asking about the rest."""
    document, random = random_document(seed), Random(seed)
    for table in document["tables"]:
        free = [v != 1 and random.random() < 0.8 for v in table["cells"]["value"]]
        table["cells"]["s"] = ["frozen" if f else "" for f in free]
    result = suppressed(document, method="heuristic")
    problem = result.problem
    everything = problem.primary | problem.may
    need = refuted(problem.equations, everything, problem.requirements)
    assume(need is not None)
    assert need is not None
    assert result.conflict is not None
    assert result.conflict.requirement == need
    report = audit(protected_release(problem.release, problem.cells, problem.primary, everything), policy=POLICY).report
    assert codes_of(result, [need.cell]) <= failing(report)
    hurried = conflict(problem, need, frozenset(), full(Highs()), Limits(0.0))
    assert hurried.whole is None
    assert full_name(problem.release, problem.cells, need.cell) in hurried.text
    (row,) = [r for r in report.cells if {tuple(c for _, c in r.cell)} == codes_of(result, [need.cell])]
    low, high = hurried.largest.lower, hurried.largest.upper
    assert low is None or (row.lower is not None and low <= row.lower)
    assert high is None or (row.upper is not None and row.upper <= high)


@pytest.mark.parametrize("method", ["greedy-elimination", "rank-pure"])
def test_methods_that_promise_nothing_answer_where_nothing_helps(method: str) -> None:  # CONVENTION 1093
    result = suppress(one_child({"A1": "primary", "A": "must_publish"}), method=method)
    assert result.found.pattern is not None or result.conflict is not None
    assert result.verdict == "unsafe"


@settings(FEW)
@given(SEEDS)
def test_publishing_a_secondary_cell_makes_exactly_those_fail_that_need_it(seed: int) -> None:
    """CONVENTION 447."""
    result = suppressed(random_document(seed), method="heuristic")
    assume(result.release is not None and result.needs)
    problem, pattern = result.problem, result.found.pattern
    assert pattern is not None
    assert not result.idle
    for cell, needing in result.needed_by.items():
        without = pattern.copy()
        without[cell] = False
        report = audit(
            protected_release(problem.release, problem.cells, problem.primary, without), policy=POLICY
        ).report
        assert failing(report) == codes_of(result, needing) != set()
        assert all(need.equations for need in result.needs[cell])


@settings(FEW)
@given(SEEDS)
def test_what_is_seen_of_a_part_is_what_is_seen_of_the_whole(seed: int) -> None:
    release = release_from_document(random_document(seed))
    try:
        problem = build_problem(release, POLICY, Costs(), Highs())
    except InputError:
        assume(False)
        raise
    random, equations, method = Random(seed), problem.equations, full(Highs())
    wider = np.array([p or (m and random.random() < 0.7) for p, m in zip(problem.primary, problem.may, strict=True)])
    pattern = wider & np.array([p or random.random() < 0.7 for p in problem.primary])
    opened = equations.always_open.copy()
    opened[: equations.cells] |= wider
    needs, hanging = problem.requirements, equations.groups(opened)
    assert seen(equations, pattern, needs, method, Limits(), sharp=True, hanging=hanging) == seen(
        equations, pattern, needs, method, Limits(), sharp=True
    )


@settings(FEW, max_examples=3)
@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(seed: int, random: Any) -> None:
    document = random_document(seed)
    first = suppressed(document, method="optimal")
    tables = []
    for table in document["tables"]:
        rows = list(range(len(table["cells"]["value"])))
        random.shuffle(rows)
        tables.append({**table, "cells": {k: [v[r] for r in rows] for k, v in table["cells"].items()}})
    second = suppressed({**document, "tables": tables}, method="optimal")
    ours, theirs = (suppression_json(r).partition('"audit"')[0] for r in (first, second))
    assert ours == theirs


@settings(FEW, max_examples=2)
@given(SEEDS)
def test_the_same_input_gives_the_same_bytes(seed: int) -> None:
    document = random_document(seed)
    assert suppression_json(suppressed(document)) == suppression_json(suppressed(document))


def microdata_document(seed: int) -> Document:
    """Companies in a table of two classifications, some of them in holdings."""
    random = Random(seed)
    companies = random.randint(6, 14)
    a = [random.choice("123") for _ in range(companies)]
    b = [random.choice("xy") for _ in range(companies)]
    holding = [random.choice(["H", "G", "", ""]) for _ in range(companies)]
    size = [random.choice([1, 5, 20, 90, 300]) for _ in range(companies)]
    cells: dict[str, list[Any]] = {"a": [], "b": [], "value": []}
    for i in ("T", "1", "2", "3"):
        for j in ("T", "x", "y"):
            inside = [s for s, p, q in zip(size, a, b, strict=True) if i in ("T", p) and j in ("T", q)]
            if inside:
                cells["a"].append(i)
                cells["b"].append(j)
                cells["value"].append(sum(inside))
    records = {"a": a, "b": b, "m": size, "id": [str(k) for k in range(companies)], "holding": holding}
    return {
        "tableseal": 1,
        "measures": {"m": {"kind": "magnitude", "unit": 1}},
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        "tables": [{"name": "t", "cells": cells}],
        "microdata": {"cells": records, "values": {"m": "m"}, "id": "id", "holding": "holding"},
        "intruder": {"coalition": random.choice([1, 2])},
        "policy": {"primary": [{"threshold": 2}, {"p_percent": 10}]},
    }


@settings(FEW, max_examples=6)
@given(SEEDS)
def test_holdings_and_coalitions_are_attackers(seed: int) -> None:
    """CONVENTION 446: the audit finds no insider, except where contributors know each other too well by ranks alone."""
    document = microdata_document(seed)
    note(str(document))
    result = suppressed(document, method="heuristic", policy=None)
    if result.report is None:
        assert result.conflict is not None
        return
    assert failing(result.report) <= codes_of(result, result.problem.hopeless)
    assert all(row.reason in ("insider", "ranks") for row in result.report.cells if row.verdict == "underprotected")


@settings(FEW, max_examples=6)
@given(SEEDS)
@example(1)
def test_that_nothing_needs_a_cell_is_said_after_all_insiders_were_asked(seed: int) -> None:
    """Where they are too many to ask all of them about each cell, they are asked where nothing else fails."""
    result = suppressed(microdata_document(seed), method="heuristic", policy=None)
    problem, pattern = result.problem, result.found.pattern
    assume(pattern is not None)
    assert pattern is not None
    oracle = Oracle(problem.equations, problem.requirements, deciding(Highs()), Highs())
    some, everybody = (
        Failing(problem, pattern, problem.requirements, oracle, insiders=all_of_them) for all_of_them in (False, True)
    )
    for cell in np.flatnonzero(pattern & ~problem.primary).tolist():
        without = pattern.copy()
        without[cell] = False
        assert bool(some(without)) == bool(everybody(without))


@settings(FEW, max_examples=6)
@given(SEEDS, st.booleans())
def test_no_safe_pattern_is_cheaper_than_the_bound(seed: int, units: bool) -> None:
    """Whoever attacks: what is called optimal is the cheapest of all patterns that pass an audit, and a bound is
    below."""
    document, policy = (microdata_document(seed), None) if units else (random_document(seed), POLICY)
    note(str(document))
    result = suppressed(document, method="optimal", policy=policy)
    problem, found = result.problem, result.found
    free = np.flatnonzero(problem.may)
    assume(found.pattern is not None and not problem.hopeless and len(free) <= 6)
    price = []
    for chosen in itertools.product([False, True], repeat=len(free)):
        pattern = problem.primary.copy()
        pattern[free[list(chosen)]] = True
        protected = protected_release(problem.release, problem.cells, problem.primary, pattern)
        if problem.price(pattern) < found.cost and audit(protected, policy=policy).report.verdict == "safe":
            price.append(problem.price(pattern))
    cheapest = min(price, default=found.cost)
    assert found.bound <= cheapest
    assert found.status != "optimal" or found.cost == cheapest


def one_line(values: Sequence[int], **more: Any) -> Release:
    codes = [str(k) for k in range(1, len(values) + 1)]
    cells = {"a": ["T", *codes], "value": [sum(values), *values]}
    variables = {"a": {"total": "T", "codes": codes}}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [{"name": "t", "cells": cells}]}
    return release_from_document(document | more)


def withheld(result: Suppression) -> set[tuple[str, ...]]:
    assert result.found.pattern is not None
    return codes_of(result, np.flatnonzero(result.found.pattern).tolist())


def test_a_single_unit_does_not_learn_about_its_partner() -> None:
    """Two ones protect each other against the reader, not against each other."""
    policy = Policy((Threshold(2),))
    alone = suppress(one_line([1, 1, 8, 9]), policy=policy, insiders=False)
    assert withheld(alone) == {("1",), ("2",)}
    assert alone.report is not None
    assert alone.report.verdict == "safe"
    found = suppress(one_line([1, 1, 8, 9]), policy=policy)
    assert found.report is not None
    assert found.report.verdict == "safe"
    assert len(withheld(found)) == 3
    (needs,) = found.needs.values()
    assert {need.requirement.attacker.who.startswith("only contributor of") for need in needs} == {True}


def test_zeros_are_never_secondary() -> None:
    """CONVENTION 440: a zero that is withheld for others hides nothing below it; the search takes a cell that has
    something to hide."""
    result = suppress(one_line([1, 0, 0, 7]), policy=POLICY, costs=Costs("unit"))
    assert withheld(result) in ({("1",), ("4",)}, {("1",), ("T",)})


def test_zeros_that_a_rule_withholds_do_not_protect_each_other() -> None:
    result = suppress(one_line([0, 0, 5, 6]), policy=Policy((Threshold(2, zeros=True),)))
    assert {("1",), ("2",)} < withheld(result)
    assert result.report is not None
    assert result.report.verdict == "safe"


def one_child(status: dict[str, str]) -> Release:
    """A has one child, A1: the same quantity twice."""
    codes = ["T", "A", "A1", "B", "B1", "B2"]
    value = {"T": 60, "A": 9, "A1": 9, "B": 51, "B1": 21, "B2": 30}
    cells = {"a": codes, "value": [value[c] for c in codes], "s": [status.get(c, "") for c in codes]}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "tree": {"A": ["A1"], "B": ["B1", "B2"]}}},
            "tables": [{"name": "t", "cells": cells, "status": "s"}],
        }
    )


def test_a_code_with_one_child_is_withheld_with_it() -> None:
    result = suppress(one_child({"A1": "primary"}), costs=Costs("unit"))
    assert {("A",), ("A1",)} < withheld(result)
    assert result.report is not None
    assert result.report.verdict == "safe"
    result = suppress(one_child({"B": "primary", "B1": "must_publish", "T": "must_publish"}), costs=Costs("unit"))
    assert withheld(result) == {("B",), ("A",), ("A1",), ("B2",)}


def test_a_code_with_one_child_that_must_be_published_cannot_be_protected() -> None:
    result = suppress(one_child({"A1": "primary", "A": "must_publish"}))
    assert result.found.status == "infeasible"
    assert result.conflict is not None
    assert "a=A (must be published)" in result.conflict.text
    assert "A = A1" in result.conflict.text or "A1 = A" in result.conflict.text
