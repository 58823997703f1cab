"""Percentages beside counts that a search withholds."""

from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tableseal.audit.io import canonical_document, release_from_document
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.pipeline import audit
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.suppress import suppress

CODES = ("a", "b", "c", "d", "e")


def document(counts: list[int], *, status: str = "") -> dict[str, Any]:
    """Counts, their percentages of the total to one decimal, and a threshold of 3."""
    total = sum(counts)
    shares = [decimal_text(Fraction(int(Fraction(1000 * n, total) + Fraction(1, 2)), 10)) for n in counts]
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": list(CODES)}},
        "policy": {"primary": [{"threshold": "3"}]},
        "tables": [{"name": "t", "cells": {"a": [*CODES, "T"], "value": [*counts, total]}}],
        "statistics": [
            {
                "name": "share",
                "kind": "percent",
                "of": {"a": "T"},
                "decimals": "1",
                "cells": {"a": list(CODES), "value": shares, "status": [status] * len(CODES)},
            }
        ],
    }


@settings(max_examples=15)
@given(counts=st.lists(st.integers(0, 40), min_size=5, max_size=5))
def test_a_percentage_is_withheld_with_its_count_and_only_then(counts: list[int]) -> None:
    # CONVENTION 576
    assume(sum(counts) > 10)
    given = release_from_document(document(counts))
    result = suppress(given)
    assert result.release is not None
    assert result.verdict == "safe"
    public = public_release(result.release)
    [table], [share] = public.tables, public.statistics
    out = dict(zip(CODES, table.value.known.tolist(), strict=False))
    whole = bool(table.value.known[len(CODES)])
    assert share.table.value.known.tolist() == [out[code] and whole for code in CODES]
    # What goes out keeps its form, and says of the counts what the original said of those that are published.
    before, after = (canonical_document(release)["statistics"][0] for release in (given, public))
    kept = [
        x if code_out else None for x, code_out in zip(before["cells"]["value"], share.table.value.known, strict=True)
    ]
    assert after["cells"]["value"] == kept
    assert (after["kind"], after["unit"]) == ("percent", "0.1")
    assert set(after["cells"]["status"]) <= {"published", "withheld"}
    withheld = sum(x is None for x in kept)
    notes = {note.code: note.count for note in result.release.notes}
    assert notes.get("statistics_withheld", 0) == withheld
    if not all(out.values()):
        assert audit(release_from_document(canonical_document(public))).report.verdict == "safe"


def test_percentages_that_must_stay_are_reckoned_with() -> None:
    # CONVENTION 576
    counts = [2, 30, 70, 80, 90]
    given = document(counts, status="must_publish")
    given["tables"][0]["cells"]["status"] = ["", "", "", "", "", "must_publish"]
    given["policy"]["require"] = {"protection": False}
    # 0.7 per cent of 272 are 2, whatever else is withheld.
    result = suppress(release_from_document(given))
    assert result.verdict == "unsafe"
    assert result.conflict is not None
    given["tables"][0]["cells"]["status"] = [""] * 6
    kept = suppress(release_from_document(given))
    assert kept.release is not None
    assert kept.release.statistics[0].table.value.known.all()
    assert kept.verdict == "safe"
    assert not kept.release.tables[0].value.known[5]


def test_percentages_of_counts_that_no_table_lists_are_no_choice_of_the_search() -> None:
    # CONVENTION 576
    given = document([2, 30, 70, 80, 90])
    cells = given["tables"][0]["cells"]
    given["tables"][0] |= {"cells": {k: v[4:] for k, v in cells.items()}, "absent": {"leaves": "not_released"}}
    result = suppress(release_from_document(given))
    assert result.problem.release.statistics[0].table.value.known[:4].all()
    assert not result.problem.release.statistics[0].table.value.known[4]
