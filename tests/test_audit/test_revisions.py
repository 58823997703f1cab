"""What a revision gives away: two versions of one table (CONVENTION 970, 971)."""

from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check
from tableseal.audit.report.model import Report
from tableseal.suppression.suppress import suppress

CODES = ["A", "B", "C", "D", "T"]


def table(values: list[int | None], withheld: str, firms: list[int] | None = None) -> dict[str, Any]:
    """Turnover by region; A is primary, others are withheld for it."""
    status = ["primary" if c == "A" else "secondary" if c in withheld else "published" for c in CODES]
    cells: dict[str, Any] = {"region": CODES, "value": values, "status": status}
    if firms is None:
        return {"name": "regions", "status": "status", "cells": cells}
    return {"name": "regions", "status": "status", "frequency": "firms", "cells": cells | {"firms": firms}}


def two(now: dict[str, Any], then: dict[str, Any], why: str, **more: Any) -> dict[str, Any]:
    return {
        "tableseal": 1,
        "measures": {"turnover": {"kind": "magnitude", "unit": 1}},
        "variables": {"region": {"total": "T", "codes": CODES[:-1]}},
        "tables": [now],
        "previous": {"period": "first", "revision": why, "tables": [then]},
        **more,
    }


def found(described: dict[str, Any]) -> Report:
    return audit(release_from_document(described)).report


def values(report: Report) -> dict[tuple[str, str], tuple[Any, Any, str]]:
    return {(c.measure, dict(c.cell)["region"]): (c.lower, c.upper, c.verdict) for c in report.cells}


def test_a_corrected_cell_and_another_partner() -> None:
    """CONVENTION 970: D and the total were corrected; what lies outside has not changed, so B stands in one version and
    C in the other, and A follows from both."""
    now, then = table([4, 60, 300, 207, 571], "C"), table([4, 60, 300, 200, 564], "B")
    report = found(two(now, then, "corrected"))
    assert values(report) == {
        ("turnover", "A"): (4, 4, "exposed"),
        ("turnover", "C"): (300, 300, "exposed"),
        ("turnover first", "A"): (4, 4, "exposed"),
        ("turnover first", "B"): (60, 60, "exposed"),
    }
    same = found(two(table([4, 60, 300, 207, 571], "B"), then, "corrected"))
    assert same.verdict == "safe"
    assert values(same)["turnover", "A"] == (0, 64, "protected")


def test_a_correction_in_two_directions() -> None:
    """CONVENTION 970: row 1, column 1 and the total changed by 5; so it was their cell, and the others are unchanged:
    what the versions withhold around it is known."""
    rows, columns = "111222TTT", "12T12T12T"

    def version(first: int, withheld: str) -> dict[str, Any]:
        values = [first, 20, first + 20, 30, 40, 70, first + 30, 60, first + 90]
        status = ["secondary" if r + c in withheld.split() else "published" for r, c in zip(rows, columns, strict=True)]
        status[0] = "primary"
        cells = {"row": [*rows], "column": [*columns], "value": values, "status": status}
        return {"name": "t", "status": "status", "cells": cells}

    described = two(version(15, "12 21 22"), version(10, "12 21 22"), "corrected")
    described["variables"] = {name: {"total": "T", "codes": ["1", "2"]} for name in ("row", "column")}
    safe = found(described)
    assert safe.verdict == "safe"
    described["tables"] = [version(15, "12 21")]
    cells = {(c.measure, *dict(c.cell).values()): (c.lower, c.upper) for c in found(described).cells}
    assert cells["turnover first", "2", "2"] == (40, 40)
    assert cells["turnover first", "1", "1"] == (10, 10)


def test_a_withheld_cell_that_was_corrected() -> None:
    """CONVENTION 970: only the total tells, and any withheld cell may be what changed."""
    now, then = table([4, 66, 300, 200, 570], "B"), table([4, 60, 300, 200, 564], "B")
    report = found(two(now, then, "corrected"))
    assert values(report)["turnover", "A"] == (0, 70, "protected")
    assert values(report)["turnover first", "A"] == (0, 64, "protected")
    added = values(found(two(now, then, "added", policy={"primary": []})))
    assert added["turnover", "A"][:2] == (0, 70)
    assert added["turnover first", "A"][:2] == (0, 64)


@pytest.mark.parametrize(("why", "sign"), [("added", 1), ("removed", -1)])
def test_a_contributor_who_came_or_went(why: str, sign: int) -> None:
    """CONVENTION 971: what one contributor gives comes out as a difference; of ten it is a sum."""
    policy = {"primary": [{"threshold": 3}]}
    versions = [
        table([4, 60, 300, 200, 564], "B", [2, 8, 9, 9, 28]),
        table([4, 60, 300, 207, 571], "B", [2, 8, 9, 10, 29]),
    ]
    then, now = versions[::sign]
    report = found(two(now, then, why, policy=policy))
    assert report.verdict == "unsafe"
    assert values(report)[f"turnover {why}", "D"] == (7, 7, "exposed")
    [cell] = [c for c in report.cells if c.measure == f"turnover {why}" and dict(c.cell)["region"] == "D"]
    assert cell.sensitive
    assert cell.rule == "threshold 3"
    assert cell.reveals is not None
    assert "207" in cell.reveals.text
    assert "200" in cell.reveals.text
    for version, firms in ((then, [2, 8, 9, 9, 28]), (now, [2, 8, 9, 19, 38])):
        version["cells"]["firms"] = firms
    report = found(two(now, then, why, policy=policy))
    assert report.verdict == "safe"
    assert values(report)[f"turnover {why}", "D"] == (7, 7, "exposed")


def test_how_many_came_is_not_known() -> None:
    """CONVENTION 971: then nobody may find out what they contribute."""
    now, then = table([4, 60, 300, 207, 571], "B"), table([4, 60, 300, 200, 564], "B")
    report = found(two(now, then, "added"))
    assert values(report)["turnover added", "D"] == (7, 7, "exposed")
    assert report.verdict == "unsafe"


def test_every_end_is_proved_and_reads_back() -> None:
    now, then = table([4, 60, 300, 207, 571], "C"), table([4, 60, 300, 200, 564], "B")
    release = release_from_document(two(now, then, "added"))
    proof = audit(release, prove=True).proof
    assert proof is not None
    counts = check(proof_json(proof).encode(), canonical_json(release))
    assert counts["proved"] == counts["attained"] == counts["ends"]


def test_a_search_withholds_what_came() -> None:
    """CONVENTION 971: the new version withholds D, whose first figure is out."""
    now = table([4, 60, 300, 207, 571], "", [2, 8, 9, 10, 29])
    then = table([4, 60, 300, 200, 564], "B", [2, 8, 9, 9, 28])
    result = suppress(release_from_document(two(now, then, "added", policy={"primary": [{"threshold": 3}]})))
    assert result.verdict == "safe"
    assert result.release is not None
    [new] = [t for t in result.release.tables if t.measure == "turnover"]
    withheld = {CODES[:-1][code - 1] if code else "T" for code in new.codes[~new.value.known, 0].tolist()}
    assert {"A", "D"} <= withheld


def test_versions_and_growth_exclude_each_other() -> None:
    now, then = table([4, 60, 300, 207, 571], "B"), table([4, 60, 300, 200, 564], "B")
    described = two(now, then, "added")
    described["previous"]["growth"] = {"turnover": [1, 2]}
    with pytest.raises(InputError, match=r"previous\.revision.*no growth is assumed"):
        release_from_document(described)
    described["previous"] = {**described["previous"], "revision": "guessed"}
    with pytest.raises(InputError, match=r'revision.*"?guessed"?'):
        release_from_document(described)
