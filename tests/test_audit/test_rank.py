"""Rank decreases: against floating-point ranks of small matrices, and the figures of Oganian & Domingo-Ferrer 2003."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from random_releases import Maker
from scipy.sparse import csr_array
from sympy import Matrix

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.eliminate import LARGEST_PRIME
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.measures.rank import dependencies
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
SEEDS = st.integers(0, 2**40)
SHAPE = (3, 4, 3)
"""Categories of A, S and R, as in section 4.5."""

Row = tuple[str, tuple[int, int]]
"""A released cell: its table and its two categories."""


def rank(matrix: csr_array) -> int:
    return int(matrix.shape[0]) - len(dependencies(matrix))


def rank_decrease(matrix: csr_array, rows: Iterable[int]) -> int:
    """What withholding these rows takes away: as many as they are, less the rank of their columns of dependencies."""
    gone = sorted(rows)
    basis = [[vector.get(row, 0) for row in gone] for vector in dependencies(matrix)]
    return len(gone) - int(np.linalg.matrix_rank(np.array(basis, float))) if basis and gone else len(gone)


def random_matrix(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    shape = (int(random.integers(1, 9)), int(random.integers(1, 8)))
    return random.integers(-2, 3, shape) * random.integers(0, 2, shape)


@FEW
@given(SEEDS, st.data())
def test_ranks_and_decreases(seed: int, data: st.DataObject) -> None:
    matrix = random_matrix(seed)
    sparse = csr_array(matrix)
    assert rank(sparse) == np.linalg.matrix_rank(matrix)
    for dependency in dependencies(sparse):
        assert not sum(v * matrix[r] for r, v in dependency.items()).any()
    gone = data.draw(st.sets(st.integers(0, len(matrix) - 1)))
    left = [row for row in range(len(matrix)) if row not in gone]
    assert rank_decrease(sparse, gone) == np.linalg.matrix_rank(matrix) - np.linalg.matrix_rank(matrix[left])


@given(st.lists(st.integers(-(2**60), 2**60), min_size=9, max_size=9))
def test_large_entries_take_a_larger_prime(entries: list[int]) -> None:
    matrix = np.array(entries).reshape(3, 3)
    both = csr_array(np.vstack([matrix, matrix[:1] // 2**40 + matrix[1:2] // 2**40]))
    assert rank(both) == Matrix(both.toarray().tolist()).rank()


def test_a_minor_that_the_first_prime_divides() -> None:
    """Modulo 2^31 - 1 the first row is 0; over the rationals it is not."""
    matrix = csr_array(np.array([[LARGEST_PRIME, 0], [0, 1]]))
    assert rank(matrix) == 2
    assert rank_decrease(matrix, [0]) == 1


# ---------------------------------------------------------------- three linked tables


def linked(margins: bool, shape: tuple[int, int, int] = SHAPE) -> tuple[csr_array, dict[Row, int]]:
    """(matrix of the released cells of AS, AR and SR over the cells of ASR, row of each); category -1: the margin."""
    cells = np.arange(int(np.prod(shape))).reshape(shape)
    rows: dict[Row, int] = {}
    matrix = []
    for table, axes in (("AS", (0, 1)), ("AR", (0, 2)), ("SR", (1, 2))):
        for place in product(*(range(-1 if margins else 0, shape[a]) for a in axes)):
            at: list[slice | int] = [slice(None)] * 3
            for axis, p in zip(axes, place, strict=True):
                if p >= 0:
                    at[axis] = p
            row = np.zeros(cells.size, np.int64)
            row[cells[tuple(at)].ravel()] = 1
            rows[table, place] = len(matrix)
            matrix.append(row)
    return csr_array(np.array(matrix)), rows


def square(table: str, u: int, v: int) -> list[Row]:
    """The first cell of a table and three secondaries that keep it from being computed."""
    return [(table, (i, j)) for i in (0, u) for j in (0, v)]


def patterns() -> Iterable[tuple[int, list[Row]]]:
    """The 144 patterns of 12 cells around the cell (1, 1, 1): how many variables are aligned, and the cells."""
    for a, s, b, r, t, q in product((1, 2), (1, 2, 3), (1, 2), (1, 2), (1, 2, 3), (1, 2)):
        aligned = (a == b) + (s == t) + (r == q)
        yield aligned, square("AS", a, s) + square("AR", b, r) + square("SR", t, q)


def test_the_144_patterns() -> None:
    """Section 4.5.3, Propositions 2 and 3: 4, 5, 6 or 7 without margins, for 0 to 3 aligned variables; with margins 3.

    Source: the paper has 4 and 7; all 144 by exact computation.
    """
    for margins in (False, True):
        matrix, rows = linked(margins)
        full = rank(matrix)
        seen: Counter[tuple[int, int]] = Counter()
        for aligned, cells in patterns():
            seen[aligned, rank_decrease(matrix, [rows[cell] for cell in cells])] += 1
        assert sum(seen.values()) == 144
        assert {decrease for _, decrease in seen} == ({3} if margins else {4, 5, 6, 7})
        if not margins:
            assert {key for key in seen if key[1] != 4 + key[0]} == set()
        assert full == 24


def test_primaries_alone_take_one_away() -> None:
    matrix, rows = linked(margins=False)
    primaries = [rows["AS", (0, 0)], rows["AR", (0, 0)], rows["SR", (0, 0)]]
    assert rank_decrease(matrix, primaries) == 1
    assert rank_decrease(linked(margins=True)[0], [linked(margins=True)[1]["AS", (0, 0)]]) == 0


def cycle_rank(edges: Iterable[tuple[object, object]]) -> int:
    graph = nx.Graph(list(edges))
    return graph.number_of_edges() - graph.number_of_nodes() + nx.number_connected_components(graph)


@settings(FEW, max_examples=40)
@given(st.tuples(*[st.integers(1, 4)] * 3), SEEDS)
def test_rule_of_cycles(shape: tuple[int, int, int], seed: int) -> None:
    """Exact rule for three linked tables: cycle rank of the withheld cells as edges; with margins table by table."""
    random = Random(seed)
    for margins in (False, True):
        matrix, rows = linked(margins, shape)
        inner = [cell for cell in rows if min(cell[1]) >= 0]
        withheld = random.sample(inner, random.randint(0, len(inner)))
        edges = {
            table: [((table[0], i), (table[1], j)) for t, (i, j) in withheld if t == table]
            for table in ("AS", "AR", "SR")
        }
        expected = (
            sum(map(cycle_rank, edges.values()))
            if margins
            else cycle_rank(edge for one in edges.values() for edge in one)
        )
        assert rank_decrease(matrix, [rows[c] for c in withheld]) == expected


def test_dependencies_of_three_tables() -> None:
    """(10) to (13): n + m + t - 1 independent ones; as many cells can go for nothing, which is what the paper lists."""
    matrix, rows = linked(margins=False)
    n, m, t = SHAPE
    assert matrix.shape[0] - rank(matrix) == n + m + t - 1
    free = (
        [("AS", (i, m - 1)) for i in range(n)]
        + [("SR", (j, 0)) for j in range(m)]
        + [("SR", (m - 1, k)) for k in range(1, t)]
    )
    assert len(free) == n + m + t - 1
    assert rank_decrease(matrix, [rows[c] for c in free]) == 0


# ---------------------------------------------------------------- releases


def report_on(document: dict[str, object]) -> Report | None:
    try:
        return audit(release_from_document(document)).report
    except (InputError, InfeasibleError):
        return None


@settings(FEW, max_examples=30)
@given(SEEDS)
def test_rank_view_of_random_releases(seed: int) -> None:
    """CONVENTION 324: every figure from dense ranks of the stated equations."""
    from tableseal.audit.linear.merge import merge_cells
    from tableseal.audit.model import Status
    from tableseal.audit.prepare import prepare

    document = Maker(Random(seed), linked=30).document()
    note(str(document))
    report = report_on(document)
    assume(report is not None)
    assert report is not None
    release = release_from_document(document)
    cells, _ = merge_cells(release)
    ready = prepare(release, cells)
    system = ready.system
    known = system.matrix.toarray()[system.lower == system.upper]
    forms = system.forms.toarray()
    status = cells.status[system.open_cells]
    withheld = [k for k in range(len(forms)) if status[k] >= Status.SECONDARY]

    def ranked(rows: list[np.ndarray]) -> int:
        every = np.vstack([known, *rows])
        return int(np.linalg.matrix_rank(every)) if every.size else 0

    full, without = ranked([forms[[k]] for k in withheld]), ranked([])
    figures = {f.name: f.value for entry in report.risk_panel if entry.measure == "rank" for f in entry.figures}
    judged = [report.cells[k].rank for k in withheld]
    for k, one in zip(withheld, judged, strict=True):
        assert one is not None
        assert one.recomputable == (ranked([forms[[k]]]) == without)
        assert one.alone == (ranked([forms[[j]] for j in withheld if j != k]) < full)
    assert figures["rank_decrease"] == full - without
    assert figures["withheld_for_nothing"] == sum(ranked([forms[[k]]]) == without for k in withheld)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_what_is_withheld_for_nothing_can_be_given_back(count: int) -> None:
    """CONVENTION 324: giving back all recomputable cells changes neither rank nor any interval."""
    axis = {"total": "T", "codes": ["1", "2", "3"]}
    values = {(a, b): int(a) * int(b) + 3 for a in "123" for b in "123"}
    table = {
        (a, b): sum(v for (x, y), v in values.items() if a in (x, "T") and b in (y, "T"))
        for a in "123T"
        for b in "123T"
    }
    core = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    extra = [("3", "3"), ("T", "3")][:count]

    def released(hidden: list[tuple[str, str]]) -> Report:
        cells = {
            "r": [a for a, _ in table],
            "c": [b for _, b in table],
            "value": [None if k in hidden else v for k, v in table.items()],
            "s": ["secondary" if k in hidden else "published" for k in table],
        }
        return audit(
            release_from_document(
                {
                    "tableseal": "1",
                    "kind": "count",
                    "variables": {"r": axis, "c": axis},
                    "tables": [{"name": "t", "status": "s", "cells": cells}],
                }
            )
        ).report

    before, after = released(core + extra), released(core)
    nothing = {tuple(code for _, code in c.cell) for c in before.cells if c.rank is not None and c.rank.recomputable}
    assert nothing == set(extra)
    assert before.summary.rank == after.summary.rank

    def intervals(report: Report) -> dict[tuple[str, ...], tuple[object, object]]:
        named = {tuple(code for _, code in c.cell): (c.lower, c.upper) for c in report.cells}
        return {k: named[k] for k in core}

    assert intervals(before) == intervals(after)
    assert not any(c.rank.alone for c in before.cells if c.rank)
