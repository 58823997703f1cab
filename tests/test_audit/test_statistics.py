"""Published percentages, rates and means: what they say of the values behind them."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import canonical_document, canonical_json, release_from_document
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check
from tableseal.audit.together.combine import Member, combine

CODES = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("a", "T"), ("b", "T"), ("T", "T")]


def shown(numerator: int, denominator: int, per: int, steps: int) -> set[int]:
    """What may be published of a quotient in 1 / steps, nearest, halves either way; 0 / 0 only as 0."""
    if not denominator:
        return {0} if not numerator else set()
    exact = Fraction(per * numerator * steps, denominator)
    return {n for n in range(int(exact) - 1, int(exact) + 3) if abs(n - exact) <= Fraction(1, 2)}


def document(values: list[int | None], rows: dict[tuple[str, str], int | None], **kind: Any) -> dict[str, Any]:
    """A table of counts by row and column, and a statistic of some cells of it."""
    steps = 10 ** int(kind["decimals"])
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"row": {"total": "T", "codes": ["a", "b"]}, "col": {"total": "T", "codes": ["x", "y"]}},
        "tables": [
            {"name": "t", "cells": {"row": [r for r, _ in CODES], "col": [c for _, c in CODES], "value": values}}
        ],
        "statistics": [
            {
                "name": "share",
                **kind,
                "cells": {
                    "row": [r for r, _ in rows],
                    "col": [c for _, c in rows],
                    "value": [None if v is None else decimal_text(Fraction(v, steps)) for v in rows.values()],
                },
            }
        ],
    }


@settings(max_examples=25)
@given(data=st.data())
def test_what_row_shares_leave_possible_is_what_all_small_tables_say(data: st.DataObject) -> None:
    # CONVENTION 572 CONVENTION 573
    true = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    kind, per = data.draw(st.sampled_from([("percent", 100), ("rate", 1000), ("mean", 1)]))
    decimals = data.draw(st.integers(0, 2))
    sums = {"a": true[0] + true[1], "b": true[2] + true[3]}
    exact = dict(zip(CODES, (*true, sums["a"], sums["b"], sum(true)), strict=True))
    cells = data.draw(st.lists(st.sampled_from(CODES[:4]), min_size=1, max_size=3, unique=True))
    rows = {
        (r, c): data.draw(st.sampled_from(sorted(shown(exact[r, c], sums[r], per, 10**decimals)))) for r, c in cells
    }
    out = {code for code in CODES[:6] if data.draw(st.booleans())}
    values = [exact[code] if code in out or code == ("T", "T") else None for code in CODES]
    said = {"kind": kind, "of": {"col": "T"}, "decimals": str(decimals)} | ({"per": "1000"} if kind == "rate" else {})
    fits = []
    for ax, ay, bx, by in product(range(sum(true) + 1), repeat=4):
        table = dict(zip(CODES, (ax, ay, bx, by, ax + ay, bx + by, ax + ay + bx + by), strict=True))
        if all(v in (None, table[code]) for v, code in zip(values, CODES, strict=True)) and all(
            value in shown(table[cell], table[cell[0], "T"], per, 10**decimals) for cell, value in rows.items()
        ):
            fits.append(table)
    release = release_from_document(document(values, rows, **said))
    result = audit(release, prove=True)
    for cell in result.report.cells:
        named = dict(cell.cell)
        possible = {table[named["row"], named["col"]] for table in fits}
        assert (cell.lower, cell.upper) == (min(possible), max(possible))
        assert cell.attained == (min(possible), max(possible))
    assert result.proof is not None
    assert check(proof_json(result.proof).encode(), canonical_json(release))
    again = release_from_document(canonical_document(release))
    assert canonical_json(again) == canonical_json(release)
    assert audit(again).report.cells == result.report.cells


def share(total: int | None, value: str | None, **said: Any) -> dict[str, Any]:
    """A count hidden beside its published share."""
    return {
        "tableseal": 1,
        "measures": {"n": {"kind": "count"}},
        "variables": {"age": {"total": "T", "codes": ["u18", "18p"]}},
        "tables": [
            {
                "name": "t",
                "cells": {
                    "age": ["u18", "18p", "T"],
                    "value": [None, None, total],
                    "status": ["primary", "secondary", "published"],
                },
            }
        ],
        "statistics": [{"name": "share", "cells": {"age": ["u18"], "value": [value]}, **said}],
    }


@pytest.mark.parametrize("of", [{"age": "T"}, "180"])
def test_a_share_says_what_the_link_written_by_hand_says(of: Any) -> None:
    # CONVENTION 572
    by_hand = share(180, None, kind="percent", of=of, decimals="1")
    del by_hand["statistics"]
    by_hand["links"] = [{"terms": [["1", {"age": "u18"}]], "lower": "2.97", "upper": "3.15"}]
    found = audit(release_from_document(share(180, "1.7", kind="percent", of=of, decimals="1"))).report
    expected = audit(release_from_document(by_hand)).report
    assert [(c.cell, c.lower, c.upper, c.lp, c.verdict) for c in found.cells] == [
        (c.cell, c.lower, c.upper, c.lp, c.verdict) for c in expected.cells
    ]
    assert found.cells[0].reveals is not None
    assert "(share of u18)" in found.cells[0].reveals.text
    unsaid = audit(release_from_document(share(180, None, kind="percent", of=of, decimals="1"))).report
    assert unsaid.cells[0].upper == 180


def test_a_denominator_may_stand_beside_each_value() -> None:
    # CONVENTION 572
    given = share(180, "1.7", kind="percent", denominator="N", decimals="1")
    given["statistics"][0]["cells"]["N"] = ["180"]
    release = release_from_document(given)
    assert audit(release).report.cells[0].upper == 3
    assert canonical_json(release_from_document(canonical_document(release))) == canonical_json(release)


def test_means_of_one_measure_by_another() -> None:
    # CONVENTION 572: 12.5 for 4 firms are 49.8 to 50.2
    given = share(None, "12.5", kind="mean", measure="turnover", of="n", decimals="1")
    given["measures"]["turnover"] = {"kind": "magnitude", "unit": "0.1"}
    cells = {"age": ["u18", "18p", "T"], "value": ["4", "6", "10"]}
    given["tables"] = [
        {"name": "firms", "measure": "n", "cells": cells},
        {"name": "turnover", "measure": "turnover", "cells": cells | {"value": [None, None, "99.9"]}},
    ]
    found = audit(release_from_document(given)).report.cells
    assert [(c.lower, c.upper) for c in found] == [(498, 502), (497, 501)] or [(c.lower, c.upper) for c in found] == [
        (Fraction("49.8"), Fraction("50.2")),
        (Fraction("49.7"), Fraction("50.1")),
    ]


def test_exactly_nothing_is_a_structural_zero() -> None:
    # CONVENTION 573
    given = share(180, "-", kind="percent", of={"age": "T"}, decimals="0", marks={"-": "structural_zero"})
    assert audit(release_from_document(given)).report.cells[0].upper == 0


@pytest.mark.parametrize(
    ("total", "value", "said", "message"),
    [
        (50, "1.7", {}, r'"share", age=u18: found 1.7, which no value can be of 50.*possible are 0 \(0\) and 2 \(1\)'),
        (180, "1.75", {}, "expected a multiple of the unit 0.1"),
        (180, "-1.7", {}, "negative"),
        (180, "1.7", {"decimals": None}, "how many `decimals`"),
        (180, "1.7", {"unit": "0.1"}, "how many `decimals`"),
        (180, "1.7", {"kind": "rate"}, "a rate needs `per`"),
        (180, "1.7", {"per": "1000"}, "a percent is per 100"),
        (180, "1.7", {"of": None}, "say of what"),
        (180, "1.7", {"of": {"sex": "T"}}, "no variable"),
        (180, "1.7", {"of": {"age": "all"}}, "not in hierarchy"),
        (180, "1.7", {"of": "0"}, "above 0"),
        (180, "1.7", {"of": "m"}, "no measure"),
        (180, "1.7", {"measure": "m"}, "no measure"),
        (180, "1.7", {"name": "t"}, "given to two tables"),
        (180, "<2", {"marks": {"<2": ["0", "2"]}}, "range in place of a statistic"),
        (180, "-", {"marks": {"-": "zero"}}, "exact or rounded"),
    ],
)
def test_statistics_that_cannot_be_read(total: int, value: str, said: dict[str, Any], message: str) -> None:
    # CONVENTION 572 CONVENTION 573 CONVENTION 574
    entry = {"kind": "percent", "of": {"age": "T"}, "decimals": "1"} | said
    given = share(total, value, **{key: x for key, x in entry.items() if x is not None})
    with pytest.raises(InputError, match=message):
        release_from_document(given)


def test_a_withheld_statistic_has_no_more_decimals_either() -> None:
    # CONVENTION 573
    given = share(180, "1.75", kind="percent", of={"age": "T"}, decimals="1")
    given["statistics"][0]["cells"]["status"] = ["withheld"]
    with pytest.raises(InputError, match=r"values have more decimals than 0\.1"):
        release_from_document(given)


def test_shares_that_published_counts_contradict() -> None:
    # CONVENTION 574
    given = share(180, "1.7", kind="percent", of={"age": "T"}, decimals="1")
    given["tables"][0]["cells"] = {"age": ["u18", "18p", "T"], "value": ["4", "176", "180"]}
    with pytest.raises(InputError, match=r"found 1.7, but 4 of 180 are published, which is 2.2"):
        release_from_document(given)
    given["tables"][0]["cells"]["value"] = ["3", "177", None]
    given["statistics"][0]["cells"]["value"] = ["90"]
    with pytest.raises(TablesealError, match='statistic "share" of u18 is 90'):
        audit(release_from_document(given))


def test_links_that_statistics_do_not_say_are_refused() -> None:
    # CONVENTION 573
    given = canonical_document(release_from_document(share(180, "1.7", kind="percent", of="180", decimals="1")))
    assert given["links"][0]["statistic"] == "share"
    given["links"][0]["upper"] = 100
    with pytest.raises(InputError, match="not what `statistics` say"):
        release_from_document(given)


def test_statistics_of_releases_together() -> None:
    # CONVENTION 573
    first = share(180, "1.7", kind="percent", of={"age": "T"}, decimals="1")
    second = share(180, "1.9", kind="percent", of={"age": "T"}, decimals="1")
    second["statistics"][0]["decimals"] = "0"
    second["statistics"][0]["cells"]["value"] = ["2"]
    second["variables"] = {"sex": {"total": "T", "codes": ["f"]}, **second["variables"]}
    members = [Member(str(k), release_from_document(d)) for k, d in enumerate((first, second))]
    both = combine(members, title="both")
    assert audit(both).report.cells[0].upper == 3
    assert canonical_json(release_from_document(canonical_document(both))) == canonical_json(both)


def test_a_count_that_no_row_lists_is_judged_by_its_share() -> None:
    # CONVENTION 575
    given = share(180, "1.7", kind="percent", of={"age": "T"}, decimals="1")
    given["tables"][0]["cells"] = {"age": ["T"], "value": ["180"]}
    given["tables"][0]["absent"] = {"leaves": "not_released"}
    given["policy"] = {"primary": [{"threshold": "5"}]}
    found = audit(release_from_document(given)).report
    assert found.verdict == "unsafe"
    assert [(dict(c.cell)["age"], c.lower, c.upper) for c in found.implied] == [("u18", 3, 3)]
