"""Another insider is one more `Attacker`: somebody who was told a total, in the audit and in a search."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.attackers import insiders
from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.suppression.suppress import suppress

WHO = "somebody who was told all totals of rows"
SOLE = {"total": "T", "codes": ["1", "2", "3"]}


def told_totals(contributors: Contributors) -> Iterator[Attacker]:
    """Knows the withheld totals of the last variable, and contributes to nothing."""
    codes = contributors.cells.codes[contributors.open_cells[contributors.withheld]]
    total = list(contributors.release.variables.values())[-1].total_index
    known = contributors.withheld[codes[:, -1] == total]
    if len(known):
        yield Attacker(WHO, known=tuple(known.tolist()))


def counts(seed: int) -> dict[str, Any]:
    """A table of counts with all totals, some of whose cells are withheld."""
    random = Random(seed)
    codes = [*"123", "T"]
    inside = {(a, b): random.choice([0, 1, 2, 3, 9]) for a in "123" for b in "123"}
    cells: dict[str, list[Any]] = {name: [] for name in ("a", "b", "value", "true", "s")}
    for a in codes:
        for b in codes:
            true = sum(v for (i, j), v in inside.items() if a in ("T", i) and b in ("T", j))
            withheld = random.random() < (0.4 if "T" in (a, b) else 0.6)
            entry = (a, b, None if withheld else true, true, "primary" if withheld else "")
            for name, given_value in zip(cells, entry, strict=True):
                cells[name].append(given_value)
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": SOLE, "b": SOLE},
        "tables": [{"name": "t", "cells": cells, "status": "s", "truth": "true"}],
        "intruder": {"insiders": []},
    }


def computed(document: dict[str, Any]) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """(sensitive cells that anybody computes, that the insider does)."""
    rows = [(tuple(code for _, code in row.cell), row) for row in audit(release_from_document(document)).report.cells]
    found = {name: row.insider for name, row in rows if row.insider is not None}
    assert {insider.who for insider in found.values()} <= {WHO}
    return {name for name, row in rows if row.verdict == "exposed"}, set(found)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40))
def test_who_was_told_totals_sees_what_everybody_would_if_they_were_published(seed: int) -> None:
    document = counts(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(insiders, "INSIDERS", (told_totals,))
        anybody, told = computed(document)
    cells = document["tables"][0]["cells"]
    known = {("1", "T"), ("2", "T"), ("3", "T"), ("T", "T")}
    for at, name in enumerate(zip(cells["a"], cells["b"], strict=True)):
        if name in known and cells["s"][at]:
            cells["s"][at], cells["value"][at] = "", cells["true"][at]
    everybody, nobody = computed(document)
    assert not nobody
    assert told == everybody - anybody


@pytest.mark.parametrize(("asked", "secondary"), [(False, {"T"}), (True, {"2"})])
def test_a_search_protects_from_who_was_told_a_total(
    asked: bool, secondary: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The total is the cheapest to withhold, but does not keep a cell from somebody who knows it."""
    if asked:
        monkeypatch.setattr(insiders, "INSIDERS", (told_totals,))
    cells = {"a": ["1", "2", "3", "T"], "value": [2, 20, 30, 52], "s": ["primary", "", "", ""], "cost": [1, 5, 9, 1]}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": SOLE},
        "tables": [{"name": "t", "cells": cells, "status": "s", "cost": "cost"}],
    }
    result = suppress(release_from_document(document), explain=False)
    assert result.report is not None
    assert result.report.verdict == "safe"
    pattern = np.flatnonzero(result.found.pattern & ~result.problem.primary)  # type: ignore[operator]
    withheld = {next(iter(result.problem.release.cell_codes(result.problem.cells.codes[c]).values())) for c in pattern}
    assert withheld == secondary
