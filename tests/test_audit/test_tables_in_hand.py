"""What tables in hand decide where bounds show nothing: tables that move a cell from the records, and exchanges."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.attackers.audit import audit_attackers
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.components import Components
from tableseal.audit.bounds.engine import CellBounds, bound_forms
from tableseal.audit.bounds.plan import full, shuttle_only
from tableseal.audit.decision.moves import Moves
from tableseal.audit.execution.executor import HERE
from tableseal.audit.implied.grids import axes_of
from tableseal.audit.in_hand.exchanges import Exchanges
from tableseal.audit.in_hand.of_records import table_of_records
from tableseal.audit.in_hand.tables import Table
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.prepare import Prepared, prepare
from tableseal.audit.progress import silent
from tableseal.audit.reduction import reduction
from tableseal.audit.rules import Sensitivity, assess, completed
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.sparse import empty
from tableseal.audit.whatif import exactly_withheld

AMOUNTS = [3, 5, 8, 13, 40, 90]


def survey(random: Random, firms: int) -> Release:
    """Amounts by two pairs of three variables, from records."""
    draw = range(firms)
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {"n": {"kind": "magnitude"}},
            "variables": {
                "act": {"total": "T", "tree": {"X": ["a", "b"], "Y": ["c", "d"]}},
                "reg": {"total": "all", "codes": ["1", "2", "3"]},
                "size": {"total": "all", "codes": ["s", "m", "l"]},
            },
            "microdata": {
                "cells": {
                    "firm": [str(k) for k in draw],
                    "act": [random.choice("abcd") for _ in draw],
                    "reg": [random.choice("123") for _ in draw],
                    "size": [random.choice("sml") for _ in draw],
                    "amount": [str(random.choice(AMOUNTS)) for _ in draw],
                },
                "id": "firm",
                "values": {"n": "amount"},
            },
            "tables": [{"name": "-".join(by), "measure": "n", "by": by} for by in (["act", "reg"], ["reg", "size"])],
            "policy": {"primary": [{"threshold": 2}, {"p_percent": 10}]},
            "intruder": {"insiders": ["largest", "second", "singletons"]},
        }
    )


def posed(release: Release, withheld: float, random: Random) -> tuple[Prepared, Reduced, Table, Sensitivity]:
    """The release with sensitive and some other cells withheld, and the table of its records."""
    given_cells, _ = merge_cells(release)
    assert release.policy is not None
    sensitivity = assess(release, given_cells, release.policy)
    cells = completed(release, given_cells)
    others = np.array([random.random() < withheld for _ in range(len(cells))], np.bool_)
    nothing = np.zeros(len(cells), np.bool_)
    prepared = prepare(release, exactly_withheld(cells, sensitivity.sensitive | others, nothing))
    reduced = reduction(prepared)
    records = table_of_records(prepared, reduced, axes_of(prepared))
    assert records is not None
    assert records.known.all()
    return prepared, reduced, records, sensitivity


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_readers_reach_what_is_required_by_tables_in_hand_alone(seed: int) -> None:
    """CONVENTION 976: what tables show lies within the exact ends, and goes as far as these go, or as is required."""
    random = Random(seed)
    prepared, reduced, records, sensitivity = posed(survey(random, 30), 0.5, random)
    limits, engine, policy = Limits(), Highs(), prepared.release.policy
    assert policy is not None
    forms, cells = prepared.system.forms, prepared.cells
    proved = bound_forms(reduced, forms, shuttle_only(), limits, silent)
    found, _ = audited(prepared, reduced, proved, sensitivity, policy, engine, records)
    exact = bound_forms(reduced, forms, full(engine), limits, silent).bounds
    for k, cell in enumerate(prepared.system.open_cells.tolist()):
        low, high = found.bounds[k].lower.attained, found.bounds[k].upper.attained
        if cells.status[cell] < Status.SECONDARY or low is None or high is None:
            continue
        least, most = exact[k].lower.attained, exact[k].upper.attained
        assert least is not None and least <= low <= cells.truth.units[cell]  # noqa: PT018
        assert exact[k].upper.unlimited or (most is not None and most >= high)
        assert high >= cells.truth.units[cell]
        required = sensitivity.required_lower.get(cell), sensitivity.required_upper.get(cell)
        if required[0] is not None and least <= required[0]:
            assert low <= required[0]


def audited(
    prepared: Prepared,
    reduced: Reduced,
    proved: CellBounds,
    sensitivity: Sensitivity,
    policy: Policy,
    engine: Highs,
    records: Table,
) -> tuple[CellBounds, object]:
    judged = sensitivity.judged(prepared.cells)
    return audit_attackers(
        prepared, reduced, proved, sensitivity, judged, policy, engine, Limits(), silent, HERE, records, None
    )


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_exchanges_are_tables_that_differ_from_the_records(seed: int) -> None:
    """CONVENTION 503: two base cells give a unit each, two others take it, and all sums stay."""
    random = Random(seed)
    _, reduced, records, _ = posed(survey(random, 40), 0.8, random)
    exchanges = Exchanges(reduced, records)
    wanted = ~reduced.fixed
    table = exchanges.table(wanted)
    assert table.known.all()
    moved = table.value - records.value
    assert set(moved.tolist()) <= {-1, 0, 1}
    assert (reduced.matrix @ moved == 0).all()
    assert (table.value >= reduced.column_lower).all()


def test_exchanges_change_what_is_wanted() -> None:
    """Between four cells of a square each gives or takes."""
    random = Random(7)
    _, reduced, records, _ = posed(survey(random, 60), 1.0, random)
    changed = np.zeros(len(records.value), np.bool_)
    exchanges = Exchanges(reduced, records)
    for _ in range(8):
        changed |= exchanges.table(~reduced.fixed & ~changed).value != records.value
    assert changed.sum() > (~reduced.fixed).sum() // 2


def test_a_sum_is_moved_as_far_as_it_is_asked_to_go() -> None:
    """Each table of a move fits, and one of them goes all the way."""
    random = Random(3)
    _, reduced, records, _ = posed(survey(random, 60), 1.0, random)
    parts = Components(reduced)
    largest = int(np.argmax(parts.columns_of(np.arange(reduced.components))))
    component = parts.component(largest, empty(reduced.matrix.shape[1]), 0, 0)
    table = records.value[parts.columns(largest)]
    moves = Moves(component, table, Highs())
    column = int(np.argmax(table))
    found = [one for tables in moves.towards(column, 1, 5, Limits()) for one in tables]
    assert min(int(one[column]) for one in found) <= table[column] - 5
    for one in found:
        total = component.matrix @ one
        assert ((total >= component.lower) & (total <= component.upper)).all()
        assert (one >= component.column_lower).all()
