"""The table that records give is one that fits, whatever is withheld: what cells that no row lists are shown by."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.implied.grids import axes_of
from tableseal.audit.in_hand.of_records import table_of_records
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.prepare import prepare
from tableseal.audit.reduction import reduction
from tableseal.audit.whatif import exactly_withheld

TREE = {"total": "T", "tree": {"X": ["a", "b"], "Y": ["c", "d"]}}


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(["count", "magnitude"]), unknown=st.booleans())
def test_records_give_a_table_that_fits(seed: int, kind: str, unknown: bool) -> None:
    """CONVENTION 976: of every open cell its true value; a record that does not say where it belongs gives none."""
    random = Random(seed)
    rows = range(random.randint(1, 40))
    data = {
        "act": [random.choice("abcd") for _ in rows],
        "reg": [random.choice(["1", "2", "3"]) for _ in rows],
        "sex": [random.choice("fm") for _ in rows],
        "amount": [str(random.randint(0, 9)) for _ in rows],
    }
    pairs = random.choice([[["act", "reg"], ["reg", "sex"]], [["act", "reg"], ["reg", "sex"], ["act", "sex"]]])
    release = release_from_document(
        {
            "tableseal": 1,
            "measures": {"n": {"kind": kind}},
            "variables": {
                "act": TREE,
                "reg": {"total": "all", "codes": ["1", "2", "3"]},
                "sex": {"total": "all", "codes": ["f", "m"]},
            },
            "microdata": {"cells": data, **({"values": {"n": "amount"}} if kind == "magnitude" else {})},
            "tables": [{"name": "-".join(by), "measure": "n", "by": by} for by in pairs],
        }
    )
    cells, _ = merge_cells(release)
    withheld = np.array([random.random() < 0.5 for _ in range(len(cells))], np.bool_)
    prepared = prepare(release, exactly_withheld(cells, withheld, np.zeros(len(cells), np.bool_)))
    if unknown:
        assert release.microdata is not None
        codes = release.microdata.codes.copy()
        codes[0] = -1
        object.__setattr__(release.microdata, "codes", codes)
    reduced = reduction(prepared)
    table = table_of_records(prepared, reduced, axes_of(prepared))
    assert table is not None
    assert not table.true
    if not unknown:
        assert table.known.all()
        assert ((reduced.matrix @ table.value) >= reduced.lower).all()
        assert ((reduced.matrix @ table.value) <= reduced.upper).all()
        assert (prepared.system.forms @ table.value).tolist() == cells.truth.units[prepared.system.open_cells].tolist()
    else:
        assert (table.known >= reduced.fixed).all()
