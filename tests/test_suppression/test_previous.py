"""Patterns that are safe for two periods together, near the earlier one (CONVENTION 908, 909)."""

from random import Random
from typing import Any

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st
from two_periods import CODES, document, random_pair, random_range

from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import Costs
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.report.text import suppression_text
from tableseal.suppression.suppress import suppress


def years(**more: Any) -> dict[str, Any]:
    """Turnover of two years with true values of this one; A has two contributors."""

    def table(values: list[int | None], status: list[str], **columns: Any) -> dict[str, Any]:
        cells = {"region": ["A", "B", "C", "D", "T"], "value": values, "status": status, **columns}
        return {"name": "regions", "measure": "turnover", "status": "status", "cells": cells}

    now = table([4, 60, 300, 200, 564], ["primary", "", "", "", ""], n=[2, 8, 9, 9, 28]) | {"frequency": "n"}
    then = table([None, 40, None, 210, 453], ["primary", "", "secondary", "", ""])
    return {
        "tableseal": 1,
        "measures": {"turnover": {"kind": "magnitude", "unit": 1}},
        "variables": {"region": {"total": "T", "codes": ["A", "B", "C", "D"]}},
        "tables": [now],
        "previous": {"period": 2023, "growth": {"turnover": ["-30%", "+50%"]}, "tables": [then]},
        "policy": {"primary": [{"threshold": 3}]},
        **more,
    }


def withheld(result: Suppression, measure: str = "turnover") -> set[str]:
    """Codes of withheld cells."""
    assert result.release is not None
    [table] = [t for t in result.release.tables if t.measure == measure]
    region = result.release.variables["region"]
    return {region.codes[code] for code in table.codes[table.status >= Status.SECONDARY, 0].tolist()}


def test_safe_for_both_periods_and_near_the_earlier_one() -> None:
    """CONVENTION 908, 909: B alone would do this year and is exposed together with last year."""
    release = release_from_document(years())
    near = suppress(release)
    assert near.verdict == "safe"
    assert withheld(near) == {"A", "C"}
    assert near.secondary == 1
    assert near.changes is not None
    assert (near.changes.kept, near.changes.new, near.changes.returned) == (2, 0, 0)
    assert "2 kept, 0 new, 0 given back" in suppression_text(near, limit=None)
    far = suppress(release, costs=Costs(near_previous=False))
    assert withheld(far) == {"A", "D"}
    assert far.changes is None
    alone = years()
    del alone["previous"]
    assert withheld(suppress(release_from_document(alone))) == {"A", "B"}


def test_what_is_out_stays_as_it_is() -> None:
    """CONVENTION 908: withheld stays withheld without true values, published stays published; all is audited."""
    result = suppress(release_from_document(years()))
    assert withheld(result, "turnover 2023") == {"A", "C"}
    assert result.report is not None
    assert {c.measure for c in result.report.cells} == {"turnover", "turnover 2023"}


def test_readers_get_this_period_alone() -> None:
    """CONVENTION 908: neither the earlier tables nor what outsiders are taken to assume goes out."""
    result = suppress(release_from_document(years()))
    assert result.release is not None
    public = public_release(result.release)
    assert list(public.measures) == ["turnover"]
    assert [table.name for table in public.tables] == ["regions"]
    assert not public.links
    assert b"2023" not in canonical_json(public)


def test_published_changes_go_out_with_what_they_speak_of() -> None:
    """CONVENTION 905: of values that are withheld in one of the periods they are withheld too."""
    described = years()
    cells = {"region": ["A", "B", "C", "D", "T"], "value": [33.3, 50.0, 50.0, -4.8, 24.5]}
    described["statistics"] = [{"name": "rates", "kind": "growth", "decimals": 1, "cells": cells}]
    result = suppress(release_from_document(described))
    assert result.verdict == "safe"
    assert result.release is not None
    public = public_release(result.release)
    [rates] = public.statistics
    shown = {public.variables["region"].codes[c] for c in rates.table.codes[rates.table.value.known, 0].tolist()}
    assert shown == {"B", "D", "T"}
    assert not public.links
    assert "turnover 2023" in public.measures
    assert release_from_document_again(public) == canonical_json(public)


def release_from_document_again(release: Release) -> bytes:
    import json

    return canonical_json(release_from_document(json.loads(canonical_json(release))))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**40))
def test_random_pairs_are_safe_together(seed: int) -> None:
    """The audit of the pattern says safe of both periods, or nothing helps, or the earlier period has fallen by
    itself."""
    random = Random(seed)
    now, then = random_pair(random)
    low, high = random_range(random)
    now = {code: (value, "primary" if status == "primary" else "published") for code, (value, status) in now.items()}
    now["A"] = (now["A"][0], "primary")
    described = document(now, then, {"growth": {"n": [str(low), str(high)]}})
    note(str(described))
    release = release_from_document(described)
    result = suppress(release)
    if result.found.status == "infeasible":
        everything = {code: (value, "primary" if code in CODES else status) for code, (value, status) in now.items()}
        worst = audit(release_from_document(document(everything, then, {"growth": {"n": [str(low), str(high)]}})))
        assert worst.report.verdict == "unsafe"
        return
    assert result.verdict == "safe"
    assert result.report is not None
    earlier = [cell for cell in result.report.cells if cell.measure == "n before"]
    out = np.array([cell.verdict == "exposed" and bool(cell.sensitive) for cell in earlier], np.bool_)
    assert not out.any()
