"""Tables that a search hands to the audit of its pattern: checked one by one, and of use where the time is over
(CONVENTION 1080)."""

from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.benchmarks.releases import to_protect
from cases.benchmarks.surveys import Survey, drawn
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.in_hand.handed import Handed
from tableseal.audit.model import Policy, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.attackers.watch import InsiderWatch
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.problem.problem import build_problem
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.search.repair import at_once

SHAPES = (((3, 2), (3,)), ((2, 2), (1, 2), (2,)), ((3, 3), (3,)))


def boxed(seed: int, shape: tuple[tuple[int, ...], ...], *, contributors: bool) -> tuple[Release, Handed] | None:
    """A release withheld by boxes, with the tables that show it safe."""
    made, engine = drawn("small", Survey(shape, True, 5.0), seed), Highs()
    if not made.instance.primary.any():
        return None
    release = to_protect(made.instance, made.cost, [made.given] if contributors else None)
    problem = build_problem(release, Policy(), Costs(), engine)
    watch = InsiderWatch(problem, frozenset())
    oracle = Oracle(problem.equations, problem.requirements, deciding(engine), engine, watch)
    pattern = at_once(problem, oracle, problem.primary, Limits())
    if pattern is None:
        return None
    tables = oracle.tables(pattern)
    at = np.concatenate([table.cells for table in tables])
    number = np.repeat(np.arange(len(tables)), [len(table.cells) for table in tables])
    moves = np.concatenate([table.moves for table in tables])
    handed = Handed(number, problem.cells.measure[at].astype(np.int64), problem.cells.codes[at], moves)
    return protected_release(release, problem.cells, problem.primary, pattern), handed


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())
def test_without_any_time_they_show_that_sensitive_cells_are_protected(
    seed: int, shape: tuple[tuple[int, ...], ...], contributors: bool
) -> None:
    """CONVENTION 1080: from outsiders and from contributors."""
    found = boxed(seed, shape, contributors=contributors)
    if found is not None:
        release, handed = found
        report = audit(release, time_limit=0.0, handed=handed).report
        assert all(cell.verdict == "protected" for cell in report.cells if cell.sensitive)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.booleans())
def test_tables_that_do_not_fit_show_nothing(seed: int, shape: tuple[tuple[int, ...], ...], contributors: bool) -> None:
    """CONVENTION 1080: wrong amounts, wrong cells, halves of tables, as many as one likes: what the audit says is what
    it says without them."""
    found = boxed(seed, shape, contributors=contributors)
    if found is None:
        return
    release, handed = found
    random = Random(seed)
    wild = [random.choice([m, m, m, -m, 3 * m, 0, 2**61, -(2**63)]) for m in handed.move.tolist()]
    move = np.array(wild, np.int64)
    codes = handed.codes.copy()
    for row in range(0, len(codes), 5):
        codes[row] = codes[random.randrange(len(codes))]
    wrong = replace(handed, codes=codes, move=move)
    report, plain = audit(release, handed=wrong).report, audit(release).report
    assert report.verdict == plain.verdict
    for cell, other in zip(report.cells, plain.cells, strict=True):
        assert (cell.verdict, cell.lower, cell.upper, cell.attained) == (
            other.verdict,
            other.lower,
            other.upper,
            other.attained,
        )
