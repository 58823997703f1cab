"""An earlier period in a release: what both periods tell together (CONVENTION 901 to 909)."""

import json
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from two_periods import CODES, document, pairs, random_pair, random_range

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.io.release_file import read_release
from tableseal.audit.pipeline import audit
from tableseal.audit.plans.read import read_plan
from tableseal.audit.plans.releases import release_of
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check
from tableseal.audit.report.model import Report
from tableseal.audit.report.public import public_copy

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=40, deadline=None)


def intervals(report: Report) -> dict[tuple[str, str], Any]:
    """(measure, code) -> (lower, upper), of listed cells."""
    return {(cell.measure, dict(cell.cell)["region"]): (cell.lower, cell.upper) for cell in report.cells}


def audited(described: dict[str, Any]) -> Report:
    return audit(release_from_document(described)).report


def _growth(low: Fraction, high: Fraction) -> dict[str, Any]:
    return {"growth": {"n": [str(low), str(high)]}}


def _holds(low: Fraction, high: Fraction, now: int, then: int) -> bool:
    return then * low <= now <= then * high


def _compare(now: Any, then: Any, said: dict[str, Any], fits: Any) -> None:
    described = document(now, then, said)
    note(str(described))
    both = list(pairs(now, then, fits))
    assert both  # the true pair is one of them
    found = intervals(audited(described))
    for measure, cells, which in (("n", now, 0), ("n before", then, 1)):
        for code in CODES:
            values = [pair[which][code] for pair in both]
            expected = (min(values), max(values))
            if cells[code][1] == "published":
                assert (measure, code) not in found
            else:
                assert found[measure, code] == expected


@FEW
@given(SEEDS)
def test_both_periods_enumerated(seed: int) -> None:
    """CONVENTION 901, 902: every interval of both periods is that of all pairs of tables that fit."""
    random = Random(seed)
    now, then = random_pair(random)
    low, high = random_range(random)

    def fits(code: str, one: int, other: int) -> bool:
        true, before = now[code][0], then[code][0]
        assumed = before != 0 and _holds(low, high, true, before)
        return not assumed or _holds(low, high, one, other)

    _compare(now, then, _growth(low, high), fits)


@FEW
@given(SEEDS)
def test_ranges_of_differences_enumerated(seed: int) -> None:
    """CONVENTION 901, 902: the same of differences."""
    random = Random(seed)
    now, then = random_pair(random)
    low = random.randint(-3, 2)
    high = random.randint(low, 3)

    def fits(code: str, one: int, other: int) -> bool:
        assumed = low <= now[code][0] - then[code][0] <= high
        return not assumed or low <= one - other <= high

    _compare(now, then, {"change": {"n": [low, high]}}, fits)


@FEW
@given(SEEDS)
def test_published_rates_enumerated(seed: int) -> None:
    """CONVENTION 905: published rates of change leave what rounds to them."""
    random = Random(seed)
    now, then = random_pair(random)
    shown = {
        code: round(Fraction(100 * now[code][0], then[code][0]) - 100)
        for code in (*CODES, "T")
        if then[code][0] and random.random() < 0.6
    }
    assume(shown)
    half = Fraction(1, 2)

    def fits(code: str, one: int, other: int) -> bool:
        if code not in shown:
            return True
        value = 100 + shown[code]
        return other >= 1 and (value - half) * other <= 100 * one <= (value + half) * other

    described = document(now, then, {"growth": {"n": "any"}})
    described["statistics"] = [
        {"name": "rates", "kind": "growth", "unit": 1, "cells": {"region": list(shown), "value": list(shown.values())}}
    ]
    note(str(described))
    both = list(pairs(now, then, fits))
    assert both
    for (measure, code), found in intervals(audited(described)).items():
        values = [pair[measure != "n"][code] for pair in both]
        assert found == (min(values), max(values))


@FEW
@given(SEEDS)
def test_a_narrower_range_never_widens_an_interval(seed: int) -> None:
    """Monotone, as long as the range is true of the same cells."""
    random = Random(seed)
    now, then = random_pair(random)
    cells = [code for code in (*CODES, "T") if then[code][0]]
    ratios = [Fraction(now[code][0], then[code][0]) for code in cells]
    assume(ratios)
    narrow = (min(ratios), max(ratios))
    wide = (narrow[0] * Fraction(random.randint(0, 10), 10), narrow[1] * Fraction(random.randint(10, 20), 10))
    inner, outer = (intervals(audited(document(now, then, _growth(*ends)))) for ends in (narrow, wide))
    alone = intervals(audited(document(now, then, {"growth": {"n": "any"}})))
    for cell, (low, high) in inner.items():
        assert alone[cell][0] <= outer[cell][0] <= low <= high <= outer[cell][1] <= alone[cell][1]


@FEW
@given(SEEDS)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    random = Random(seed)
    now, then = random_pair(random)
    said = _growth(*random_range(random))

    def shuffled(cells: dict[str, Any]) -> dict[str, Any]:
        keys = list(cells)
        random.shuffle(keys)
        return {key: cells[key] for key in keys}

    one = intervals(audited(document(now, then, said)))
    assert one == intervals(audited(document(shuffled(now), shuffled(then), said)))


@FEW
@given(SEEDS)
def test_every_end_is_proved(seed: int) -> None:
    """The checker of the standard library accepts every end; and the canonical release reads back."""
    random = Random(seed)
    now, then = random_pair(random)
    release = release_from_document(document(now, then, _growth(*random_range(random))))
    written = canonical_json(release)
    assert canonical_json(release_from_document(json.loads(written))) == written
    proof = audit(release, prove=True).proof
    assert proof is not None
    counts = check(proof_json(proof).encode(), written)
    assert counts["proved"] == counts["attained"] == counts["ends"]


# Two years in which nobody could compute anything, and both together.
NOW = {"region": ["A", "B", "C", "D", "T"], "value": [None, None, 300, 200, 564]}
THEN = {"region": ["A", "B", "C", "D", "T"], "value": [None, 40, None, 210, 453]}


def chained(**more: Any) -> dict[str, Any]:
    """Turnover of two years; A is primary in both."""

    def table(cells: dict[str, Any]) -> dict[str, Any]:
        values = cells["value"]
        status = ["primary", *("secondary" if v is None else "published" for v in values[1:])]
        return {
            "name": "regions",
            "measure": "turnover",
            "status": "status",
            "cells": {**deepcopy(cells), "status": status},
        }

    previous = {"period": 2023, "growth": {"turnover": ["-30%", "+50%"]}, "tables": [table(THEN)]}
    return {
        "tableseal": 1,
        "title": "Turnover",
        "measures": {"turnover": {"kind": "magnitude", "unit": 1}},
        "variables": {"region": {"total": "T", "codes": ["A", "B", "C", "D"]}},
        "tables": [table(NOW)],
        "previous": previous,
        **more,
    }


def test_safe_alone_and_exposed_together() -> None:
    """CONVENTION 901: with the arithmetic, which names the earlier period and whose growth is assumed, and a proof."""
    together = audited(chained())
    assert together.verdict == "unsafe"
    exposed = {(c.measure, dict(c.cell)["region"]): c for c in together.cells if c.verdict == "exposed"}
    assert {key: cell.lower for key, cell in exposed.items()} == {
        ("turnover", "A"): 4,
        ("turnover", "B"): 60,
        ("turnover 2023", "A"): 3,
        ("turnover 2023", "C"): 200,
    }
    reveals = exposed["turnover", "A"].reveals
    assert reveals is not None
    assert "turnover 2023 T" in reveals.text
    assert "by the growth assumed of A, C" in reveals.text
    nothing = chained()
    nothing["previous"] |= {"growth": {"turnover": "any"}}
    alone = audited(nothing)
    assert alone.verdict == "safe"
    assert {c.verdict for c in alone.cells} == {"protected"}
    release = release_from_document(chained())
    proof = audit(release, prove=True).proof
    assert proof is not None
    assert check(proof_json(proof).encode(), canonical_json(release))["proved"] == 8


def test_rules_do_not_judge_what_an_earlier_period_published() -> None:
    """CONVENTION 903."""
    described = chained(policy={"primary": [{"threshold": 50}]})
    described["tables"][0]["cells"]["value"] = [4, 60, 300, 200, 564]
    described["measures"] = {"turnover": {"kind": "count"}}
    described["previous"]["growth"] = {"turnover": "any"}
    report = audited(described)
    judged = {(c.measure, dict(c.cell)["region"]) for c in report.cells if c.reason == "sensitive_published"}
    assert not judged
    described["tables"][0]["cells"]["value"][2:] = [30, 470, 564]
    report = audited(described)
    assert {c.measure for c in report.cells if c.reason == "sensitive_published"} == {"turnover"}


def test_a_range_that_is_not_true_is_not_assumed() -> None:
    """CONVENTION 902: of published values everyone sees it; of withheld ones whoever assumes it is wrong."""
    described = chained()
    described["tables"][0]["cells"]["value"] = [4, 60, 300, 400, 764]
    described["previous"]["tables"][0]["cells"]["value"] = [1, 40, 202, 210, 453]
    release = release_from_document(described)
    notes = [n.text for n in release.notes if n.code == "growth_not_assumed"]
    assert len(notes) == 2
    assert "2 published values of 5" in notes[0]
    assert "D, T" in notes[0]
    assert "1 cell with a withheld value" in notes[1]
    assert notes[1].endswith(": A.")
    assert len(release.links) == 4


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        ({"growth": {"turnover": ["+50%", "-30%"]}}, "growth.turnover", "reversed"),
        ({"growth": {"turnover": [1.5, 0.7]}}, "growth.turnover", "reversed"),
        ({"growth": {}}, "previous.growth", "says nothing of"),
        ({"growth": {"turnover": [None, None]}}, "growth.turnover", "no limit"),
        ({"growth": {"turnover": ["-130%", "10%"]}}, "growth.turnover", "-100%"),
        ({"growth": {"turnover": ["much", "10%"]}}, "growth.turnover", "-100%"),
        ({"growth": {"turnover": ["1%", "10%"], "firms": [1, 2]}}, "previous.growth", "firms"),
        ({"change": {"turnover": [1, 2]}}, "change.turnover", "as well"),
        ({"tables": []}, "previous", "no tables"),
    ],
)
def test_ranges_that_cannot_be_used(change: dict[str, Any], where: str, message: str) -> None:
    """CONVENTION 904."""
    described = chained()
    described["previous"] |= change
    with pytest.raises(InputError, match=message) as caught:
        release_from_document(described)
    assert where in str(caught.value)


def test_factors_of_values_that_may_be_negative() -> None:
    """CONVENTION 904: differences say it."""
    described = chained(intruder={"nonnegative": False})
    with pytest.raises(InputError, match=r"previous.growth.turnover.*negative"):
        release_from_document(described)
    described["previous"] |= {"growth": {}, "change": {"turnover": [-100, 100]}}
    assert audited(described).cells


def test_a_negative_value_of_the_earlier_period() -> None:
    described = chained()
    described["previous"]["tables"][0]["cells"]["value"][1] = -40
    with pytest.raises(InputError, match=r"(?s)previous.*row 2.*negative"):
        release_from_document(described)


def test_tables_that_do_not_match() -> None:
    """CONVENTION 904: unknown codes are named; codes of one period alone are noted; nothing in common is refused."""
    described = chained()
    described["previous"]["tables"][0]["cells"]["region"][1] = "E"
    with pytest.raises(InputError, match=r'(?s)previous.*"E"'):
        release_from_document(described)
    described["variables"]["region"]["codes"].append("E")
    notes = [n.text for n in release_from_document(described).notes if n.code == "codes_of_one_period"]
    assert len(notes) == 1
    assert "E only in the earlier period; B only in this one" in notes[0]
    cells = {"region": ["E"], "value": [7], "status": ["published"]}
    described["previous"]["tables"][0]["cells"] = cells
    with pytest.raises(InputError, match=r"no cell of .turnover. is listed in both periods.*region=E"):
        release_from_document(described)


def test_a_release_of_the_earlier_period(tmp_path: Path) -> None:
    """CONVENTION 906: its tables, as the file says them; kept files have what rules need."""
    described = chained()
    last = {key: described[key] for key in ("tableseal", "title", "measures", "variables")}
    tables = described["previous"]["tables"]
    (tmp_path / "last.json").write_text(json.dumps(last | {"tables": tables}))
    by_file = {**described, "previous": {"period": 2023, "growth": {"turnover": ["-30%", 1.5]}}}
    by_file["previous"]["releases"] = ["last.json"]
    (tmp_path / "now.json").write_text(json.dumps(by_file))
    assert canonical_json(read_release(tmp_path / "now.json")) == canonical_json(release_from_document(described))
    last["variables"] = {"region": {"total": "T", "codes": ["A", "B", "C", "D", "E", "F"]}}
    (tmp_path / "last.json").write_text(json.dumps(last | {"tables": tables}))
    with pytest.raises(InputError, match=r"no code E, F;"):
        read_release(tmp_path / "now.json")


@pytest.mark.parametrize("kind", ["growth", "change"])
def test_changes_that_need_an_earlier_period(kind: str) -> None:
    """CONVENTION 905."""
    described = chained()
    cells = {"region": ["T"], "value": [1]}
    described["statistics"] = [{"name": "rates", "kind": kind, "unit": 1, "cells": cells}]
    del described["previous"]
    with pytest.raises(InputError, match="earlier period; give `previous`"):
        release_from_document(described)
    described["statistics"][0]["of"] = "turnover"
    with pytest.raises(InputError, match="leave `of` and `denominator` out"):
        release_from_document(described)


def test_a_published_change_is_an_equation() -> None:
    """CONVENTION 905: to the unit of the measure; a wrong one is refused."""
    described = chained()
    described["previous"]["growth"] = {"turnover": "any"}
    cells = {"region": ["C", "T"], "value": [100, 111]}
    described["statistics"] = [{"name": "change", "kind": "change", "unit": 1, "cells": cells}]
    found = intervals(audited(described))
    assert found["turnover 2023", "C"] == (200, 200)
    assert found["turnover 2023", "A"] == (3, 3)
    release = release_from_document(described)
    assert canonical_json(release_from_document(json.loads(canonical_json(release)))) == canonical_json(release)
    cells["value"][1] = 112
    with pytest.raises(InputError, match="found 112, but 564 of 453 are published, which is 111"):
        release_from_document(described)


def test_what_both_periods_give_away_is_said() -> None:
    """CONVENTION 907: which cells each period protects by itself; and no public copy rests on assumptions."""
    report = audited(chained())
    [note] = [n for n in report.notes if n.code == "periods_together"]
    assert note.count == 4
    assert "turnover region=A; turnover region=B; turnover 2023 region=A; turnover 2023 region=C" in note.text
    with pytest.raises(InputError, match="public copy of this report cannot be made"):
        public_copy(report)
    nothing = chained()
    nothing["previous"] |= {"growth": {"turnover": "any"}}
    report = audited(nothing)
    assert not [n for n in report.notes if n.code == "periods_together"]
    assert not public_copy(report).confidential


def test_records_are_of_this_period() -> None:
    """Microdata tell nothing of an earlier count, and a rule of it needs nothing."""
    described = {
        "tableseal": 1,
        "measures": {"firms": {"kind": "count"}},
        "variables": {"region": {"total": "T", "codes": ["A", "B"]}},
        "tables": [{"name": "t", "cells": {"region": ["A", "B", "T"], "value": [2, 5, 7]}}],
        "microdata": {"cells": {"region": ["A"] * 2 + ["B"] * 5}},
        "previous": {
            "growth": {"firms": "any"},
            "tables": [{"name": "t", "cells": {"region": ["A", "B", "T"], "value": [None, None, 9]}}],
        },
        "policy": {"primary": [{"threshold": 2}]},
    }
    report = audited(described)
    assert report.verdict == "safe"
    earlier = {dict(c.cell)["region"]: c for c in report.cells if c.measure == "firms last period"}
    assert {code: cell.truth for code, cell in earlier.items()} == {"A": None, "B": None}
    assert {code: (cell.lower, cell.upper) for code, cell in earlier.items()} == {"A": (0, 9), "B": (0, 9)}


def test_an_earlier_period_judges_nothing_of_this_one() -> None:
    """CONVENTION 903: its statuses do not say what is sensitive now."""
    described = chained()
    described["tables"][0] = {"name": "regions", "cells": {"region": ["C", "D"], "value": [300, 200]}}
    described["tables"][0]["absent"] = {"leaves": "not_released"}
    described["previous"]["growth"] = {"turnover": "any"}
    assert not audited(described).judged


PLANNED: dict[str, Any] = {
    "tableseal-plan": 1,
    "measures": {"food": {"kind": "magnitude"}, "meat": {"kind": "magnitude"}, "fish": {"kind": "magnitude"}},
    "variables": {"region": {"total": "T", "codes": ["A", "B"]}},
    "equations": ["food = meat + fish"],
    "tables": [
        {"name": name, "measure": name, "cells": {"region": ["A", "B", "T"], "value": values}}
        for name, values in (("food", [9, 20, 29]), ("meat", [None, 12, None]), ("fish", [None, 8, None]))
    ],
    "previous": {
        "period": "before",
        "growth": {"food": "any", "meat": ["-20%", "20%"], "fish": ["-20%", "20%"]},
        "tables": [
            {"name": name, "measure": name, "cells": {"region": ["A", "B", "T"], "value": values}}
            for name, values in (("food", [9, 20, 29]), ("meat", [5, 11, 16]), ("fish", [None, None, None]))
        ],
    },
}


def test_a_plan_has_an_earlier_period(tmp_path: Path) -> None:
    """CONVENTION 901: equations between measures hold in both periods; each cluster has what concerns it."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(PLANNED))
    plan = read_plan(path)
    [cluster] = plan.clusters
    release = release_of(plan, cluster)
    assert list(release.measures) == ["food", "meat", "fish", "food before", "meat before", "fish before"]
    found = intervals(audit(release).report)
    # Fish was 9 - 5 = 4 in A, and so is 3.2 to 4.8 now: 4, and meat 5.
    assert found["fish before", "A"] == (4, 4)
    assert found["fish", "A"] == (4, 4)
    assert found["meat", "A"] == (5, 5)
    path.write_text(json.dumps(PLANNED | {"equations": []}))
    plan = read_plan(path)
    measures = [list(release_of(plan, one).measures) for one in plan.clusters]
    assert measures == [["food", "food before"], ["meat", "meat before"], ["fish", "fish before"]]
    wrong = PLANNED["previous"] | {"growth": {"foods": "any"}}
    path.write_text(json.dumps(PLANNED | {"previous": wrong}))
    with pytest.raises(InputError, match=r"previous.growth.*foods"):
        read_plan(path)


@pytest.mark.parametrize("truth", [3, None])
def test_rules_judge_what_an_earlier_period_withheld(truth: int | None) -> None:
    """CONVENTION 903: also without its true values, as far as a threshold is asked of counts."""
    described = {
        "tableseal": 1,
        "measures": {"n": {"kind": "count"}},
        "variables": {"region": {"total": "T", "codes": ["A", "B"]}},
        "tables": [{"name": "t", "cells": {"region": ["A", "B", "T"], "value": [6, 11, 17]}}],
        "previous": {
            "growth": {"n": [1, 2]},
            "tables": [
                {
                    "name": "t",
                    "status": "status",
                    "cells": {
                        "region": ["A", "B", "T"],
                        "value": [truth, 10 if truth else None, 13],
                        "status": ["primary", "secondary", "published"],
                    },
                }
            ],
        },
        "policy": {"primary": [{"threshold": 5}]},
    }
    report = audited(described)
    [cell] = [c for c in report.cells if c.measure != "n" and dict(c.cell)["region"] == "A"]
    assert (cell.lower, cell.upper) == (3, 6)
    assert cell.verdict == "underprotected"
    assert report.verdict == "unsafe"
    assert any(n.code == "requirement_assumed" for n in report.notes) == (truth is None)
