"""Base cells that no table shows have the values that the records give them."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.decision.of_release import build_equations
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.rules.facts import completed

TREES = {
    "a": {"A": ["a1", "a2"], "B": ["b1", "b2"]},
    "r": {"N": ["n1", "n2"], "S": ["s1"]},
    "s": {"k": None, "l": None},
}
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a1", "a2", "b1", "b2"]), st.sampled_from(["n1", "n2", "s1"]), st.sampled_from(["k", "l"]),
        st.integers(0, 30),
    ),
    min_size=3,
    max_size=15,
)  # fmt: skip


@given(RECORDS, st.lists(st.sampled_from([("a", "r"), ("a", "s"), ("r", "s")]), min_size=2, max_size=3, unique=True))
def test_they_fit_all_tables(records: list[Any], tables: list[tuple[str, str]]) -> None:
    """CONVENTION 917: no solver is asked for them."""
    columns = dict(zip("arsv", map(list, zip(*records, strict=True)), strict=True))
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {name: {"total": "T", "tree": tree} for name, tree in TREES.items()},
        "tables": [{"name": "".join(by), "by": list(by), "levels": {"a": 1} if "a" in by else {}} for by in tables],
        "microdata": {"cells": columns, "values": {"value": "v"}},
    }
    release = release_from_document(document)
    cells = completed(release, merge_cells(release)[0])
    found = build_equations(release, cells, None)  # type: ignore[arg-type]  # a solver would be asked here
    held = found.matrix @ found.value
    assert np.all((found.lower <= held) & (held <= found.upper))
