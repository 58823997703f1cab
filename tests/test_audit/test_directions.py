"""What relations alone tell attackers of a pattern, and tables shared between them: beside exact elimination."""

from random import Random

import numpy as np
from full_releases import full_release
from hypothesis import given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.directions import Directions
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.hitting import hit
from tableseal.audit.decision.lost import Lost
from tableseal.audit.decision.of_release import build_equations
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.separation import Separation
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.solvers.highs import Highs

SEEDS = st.integers(0, 2**40)
METHOD = full(Highs())

Pattern = NDArray[np.bool_]


def drawn(random: Random) -> Equations:
    document = full_release(random)
    note(str(document))
    release = release_from_document(document)
    cells, _ = merge_cells(release)
    return build_equations(release, cells, METHOD)


def drawn_cells(random: Random, equations: Equations, least: int, most: int) -> tuple[int, ...]:
    number = min(random.randint(least, most), equations.cells)
    return tuple(sorted(random.sample(range(equations.cells), number)))


def pattern_of(random: Random, equations: Equations) -> Pattern:
    share = random.choice([0.3, 0.6, 0.9])
    return np.array([random.random() < share for _ in range(equations.cells)])


def determined(equations: Equations, pattern: Pattern) -> set[int]:
    """Open cells that equations alone give, exactly."""
    columns = np.flatnonzero(equations.opened(pattern))
    equal = np.flatnonzero(equations.lower == equations.upper)
    local = csr_array(equations.matrix[equal][:, columns])
    found, values = Elimination(local, np.zeros(len(equal), np.int64)).determined()
    return set(columns[found[values.known]].tolist())


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_cells_that_hang_on_known_ones_are_those_that_elimination_gives(seed: int) -> None:  # CONVENTION 1072
    random = Random(seed)
    equations = drawn(random)
    pattern = pattern_of(random, equations)
    cells = np.arange(equations.cells)
    known = [
        tuple(sorted(random.sample(range(equations.cells), random.randint(1, min(3, equations.cells)))))
        for _ in range(5)
    ]
    directions, still = Directions(equations, pattern), determined(equations, pattern)
    held = {place: set(found.tolist()) for place, found in directions.held(known, cells)}
    for place, own in enumerate(known):
        view = pattern.copy()
        view[list(own)] = False
        told = {c for c in determined(equations, view) - still - set(own) if c < equations.cells}
        assert held.get(place, set()) == told


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_a_cell_cannot_move_without_the_cells_of_its_cut(seed: int) -> None:  # CONVENTION 1072
    random = Random(seed)
    equations = drawn(random)
    pattern = pattern_of(random, equations)
    cells = np.arange(equations.cells)
    known = [(cell,) for cell in np.flatnonzero(pattern).tolist()]
    directions = Directions(equations, pattern)
    pairs = [(int(c), known[place]) for place, found in directions.held(known, cells) for c in found.tolist()]
    spared = np.array(random.sample(range(equations.cells), equations.cells // 2), np.int64)
    for (cell, own), cut in zip(pairs, directions.cuts(pairs, spared), strict=True):
        if cut is None:
            continue
        assert not cut.holds(pattern)
        widest = np.ones(equations.cells, np.bool_)
        widest[[*cut.cells, *own]] = False
        assert cell in determined(equations, widest)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_cells_that_satisfy_all_cuts_are_found_where_there_are_any(seed: int) -> None:
    random = Random(seed)
    count = random.randint(2, 12)
    cuts = []
    for _ in range(random.randint(1, 6)):
        cells = np.array(sorted(random.sample(range(count), random.randint(1, count))), np.int64)
        weight = np.array([random.randint(1, 3) for _ in cells], np.int64)
        cuts.append(Cut(cells, weight, random.randint(1, 5)))
    pattern = np.array([random.random() < 0.2 for _ in range(count)])
    within = np.array([random.random() < 0.8 for _ in range(count)])
    cost = np.array([random.choice([0.0, 1.0, 5.0]) for _ in range(count)])
    chosen = pattern.copy()
    found = hit(cuts, chosen, within, cost)
    assert found == all(cut.holds(pattern | within) for cut in cuts)
    assert not (pattern & ~chosen).any()
    assert not (chosen & ~pattern & ~within).any()
    assert not found or all(cut.holds(chosen) for cut in cuts)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_tables_that_are_shared_show_what_patterns_without_known_cells_meet(seed: int) -> None:  # CONVENTION 1073
    random = Random(seed)
    equations = drawn(random)
    pattern = pattern_of(random, equations)
    needs = [Requirement(cell) for cell in range(equations.cells)]
    oracle = Oracle(equations, needs, METHOD, Highs())
    known = [(cell,) for cell in np.flatnonzero(pattern).tolist()]
    asked = np.ones((len(known), len(needs)), np.bool_)
    oracle.spread(pattern, known, asked, Limits())
    tables = oracle.tables(pattern)
    lost = Lost(oracle.ends, known, tables, equations.cells)
    wide = ends_of(needs, equations.value, equations.cells)
    judge = Oracle(equations, needs, METHOD, Highs())
    for place, own in enumerate(known):
        view = pattern.copy()
        view[list(own)] = False
        truth = judge.decide(view).protected
        for end, q in enumerate(wide.requirement.tolist()):
            shown = any(
                (table.cells == needs[q].cell).any() and not np.isin(own, table.cells).any() for table in tables
            )
            assert lost.of(end)[place] != shown
            assert not shown or truth[q]


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_cuts_of_cells_withheld_in_part_hold_for_every_safe_pattern(seed: int) -> None:  # CONVENTION 1074
    random = Random(seed)
    equations = drawn(random)
    value = equations.value
    needs = []
    for cell in random.sample(range(equations.cells), min(4, equations.cells)):
        known = tuple(c for c in drawn_cells(random, equations, 0, 2) if c != cell)
        lower = random.choice([None, max(0, int(value[cell]) - 2)])
        needs.append(Requirement(cell, lower, width=random.randint(1, 3), attacker=Attacker(known=known)))
    judge = Oracle(equations, needs, METHOD, Highs())
    separation = Separation(equations, needs, judge.ends, Highs())
    share = np.array([random.choice([0.0, 0.3, 0.6, 1.0]) for _ in range(equations.cells)])
    found = separation.cuts(share, Limits())
    for _ in range(4):
        pattern = pattern_of(random, equations)
        protected = judge.decide(pattern).protected
        for end, cut in found.items():
            assert cut.holds(pattern) or not protected[judge.ends.requirement[end]]
