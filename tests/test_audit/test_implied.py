"""Cells that no row lists: found, judged, and said with their arithmetic."""

import json
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit import audit
from tableseal.audit.implied.asked import with_implied
from tableseal.audit.implied.find import find_implied
from tableseal.audit.io import canonical_json, read_release, release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Policy
from tableseal.audit.prepare import prepare
from tableseal.audit.proof import proof_json, proof_schema
from tableseal.audit.proof.verify import RefusedError, check
from tableseal.audit.reduction import reduction
from tableseal.audit.report import public_copy, render_html, render_text, report_from_json, report_json
from tableseal.audit.rules import Rule, Threshold, assess
from tableseal.audit.rules.judgement import unprotected


def implied(document, **options):
    """name of each finding -> (lower, upper), and the report."""
    report = audit(release_from_document(document), **options).report
    return {tuple(code for _, code in c.cell): (c.lower, c.upper) for c in report.implied}, report


def release(cells, variables, *, policy=({"threshold": 4},), absent="not_released", **more):
    """A release of one table of counts; cells: codes -> value (None: withheld)."""
    names = list(variables)
    columns = {name: [codes[v] for codes in cells] for v, name in enumerate(names)}
    return {
        "tableseal": 1,
        "title": "t",
        "kind": "count",
        "variables": variables,
        "tables": [{"name": "t", "absent": {"leaves": absent}, "cells": {**columns, "value": list(cells.values())}}],
        "policy": {"primary": list(policy)},
        **more,
    }


TREE = {"v": {"total": "T", "tree": {"G": ["A", "B"], "H": ["C", "D"]}}}


def test_a_row_left_out_is_its_total_minus_the_others():
    # CONVENTION 500
    found, report = implied(release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE))
    assert found == {("D",): (2, 2)}
    assert report.verdict == "unsafe"
    [cell] = report.implied
    assert (cell.verdict, cell.reason, cell.status, cell.rule) == ("exposed", "implied", "not_listed", "threshold 4")
    assert cell.reveals.text == "D = T - A - B - C = 26 - 9 - 8 - 7 = 2"
    count = report.summary.implied
    assert (count.looked_at, count.computed, count.judged, count.sensitive) == (3, 3, 3, 1)


@dataclass(frozen=True)
class Unlucky(Rule):
    """One value is sensitive, whatever others say."""

    value: int
    key: ClassVar = "unlucky"
    of_records: ClassVar = False

    text: ClassVar = "unlucky"

    def sentence(self, counts):
        return ""

    def known(self, facts):
        return facts.value.known

    def judge(self, facts):
        return unprotected(facts.concerned & facts.value.known & (facts.value.units == self.value))


@pytest.mark.parametrize("kind", ["count", "magnitude"])
@pytest.mark.parametrize("rules", [(Unlucky(13),), (Threshold(4), Unlucky(13))])
def test_rules_other_than_thresholds_judge_what_is_computed_by_its_value(kind, rules):
    # CONVENTION 504
    document = release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 37}, TREE) | {"kind": kind}
    document = document | ({"unit": 1} if kind == "magnitude" else {})
    document["tables"][0]["frequency"] = "value"
    report = audit(release_from_document(document), policy=Policy(rules)).report
    assert [(cell.cell, cell.rule) for cell in report.implied] == [((("v", "D"),), "unlucky")]
    count = report.summary.implied
    assert (count.computed, count.judged, count.sensitive) == (3, 3, 1)


def test_a_group_of_withheld_parts_is_computed():
    # T and C are published, A and B withheld, and there is no row for G: G = T - H.
    found, _ = implied(release({("A",): None, ("B",): None, ("H",): 30, ("T",): 33}, TREE))
    assert found == {("G",): (3, 3)}


def test_overlapping_groups_give_away_what_they_do_not_share():
    # CONVENTION 501
    variables = {"v": {"trees": [{"P": ["A", "B", "C"]}, {"Q": ["B", "C", "D", "E"]}, {"R": ["B"]}]}}
    found, _ = implied(release({("P",): 12, ("Q",): 20, ("A",): 9}, variables))
    assert found == {("P - A",): (3, 3)}


def test_three_tables_of_two_variables_fix_a_count_of_three():
    cells = {"x": ["x1", "x2"], "y": ["y1", "y2"], "z": ["z1", "z2"]}
    truth = {("x1", "y1", "z1"): 1}
    tables = []
    for one, other in (("x", "y"), ("x", "z"), ("y", "z")):
        rows = {one: [], other: [], "value": []}
        names = list(cells)
        for a, b in product(cells[one], cells[other]):
            at = {one: a, other: b}
            total = sum(n for leaf, n in truth.items() if all(leaf[names.index(k)] == c for k, c in at.items()))
            rows[one].append(a)
            rows[other].append(b)
            rows["value"].append(total)
        tables.append({"name": one + other, "cells": rows, "absent": {"leaves": "not_released"}})
    document = {
        "tableseal": 1,
        "title": "t",
        "kind": "count",
        "variables": {name: {"total": "T", "codes": codes} for name, codes in cells.items()},
        "tables": tables,
        "policy": {"primary": [{"threshold": 3}]},
    }
    found, report = implied(document)
    assert found[("x1", "y1", "z1")] == (1, 1)
    assert report.verdict == "unsafe"


def test_a_narrow_count_is_found_by_bounds():
    # CONVENTION 503
    cells = {("A",): None, ("B",): None, ("C",): 20, ("G",): 5, ("T",): 28}
    found, report = implied(release(cells, TREE | {}, policy=({"threshold": 4},)))
    assert found == {
        ("D",): (3, 3),
    }
    assert report.summary.implied.narrow == 0


@pytest.mark.parametrize(("setting", "found"), [("all", True), ("computed", True), ("off", False)])
def test_what_is_looked_for_is_the_policys(setting, found):
    # CONVENTION 505
    document = release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE)
    document["policy"]["implied"] = setting
    cells, report = implied(document)
    assert bool(cells) == found
    assert report.verdict == ("unsafe" if found else "safe")
    assert (report.summary.implied is None) == (setting == "off")
    first, last = first_and_last_line(report)
    assert first == last
    if setting == "off":
        unlisted = "cells that no row lists were not looked for (implied: off)"
        assert (
            first == f"SAFE as listed; {unlisted}. This release may go out: no cell is sensitive, by rule or by status."
        )
    else:
        assert first.startswith(
            "UNSAFE: This release must not go out as it is. 1 sensitive cell that no row lists given"
        )


HARMLESS = "This release may go out: no cell is sensitive, by rule or by status."


def first_and_last_line(report):
    lines = render_text(report, colour=False, width=100, limit=None).splitlines()
    return lines[0], lines[-1]


LEAVES = ["A", "B", "C", "D"]
CODES = {"T": "ABCD", "G": "AB", "H": "CD", **{leaf: leaf for leaf in LEAVES}}


@st.composite
def releases(draw):
    """A table of counts by a small tree and two columns: some cells listed, some of them withheld."""
    truth = np.array(draw(st.lists(st.integers(0, 4), min_size=8, max_size=8))).reshape(4, 2)
    listed = {}
    for code, column in product(CODES, ("T", "x", "y")):
        kind = draw(st.sampled_from(["out", "out", "published", "withheld"]))
        if kind != "out":
            rows = [LEAVES.index(leaf) for leaf in CODES[code]]
            total = truth[rows].sum(axis=0)
            value = int({"T": total.sum(), "x": total[0], "y": total[1]}[column])
            listed[code, column] = value if kind == "published" else None
    listed[("T", "T")] = int(truth.sum())
    return listed, draw(st.integers(2, 5)), draw(st.booleans())


def tables(listed):
    """Every 4 x 2 table of counts that fits."""
    total = listed[("T", "T")]

    def parts(left, places):
        if places == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in parts(left - first, places - 1):
                yield (first, *rest)

    return np.array(list(parts(total, 8))).reshape(-1, 4, 2)


def sums(all_tables, code, column):
    rows = [LEAVES.index(leaf) for leaf in CODES[code]]
    total = all_tables[:, rows].sum(axis=1)
    return {"T": total.sum(axis=1), "x": total[:, 0], "y": total[:, 1]}[column]


@given(releases())
@settings(max_examples=60, deadline=None)
def test_against_every_table_that_fits(drawn):
    # CONVENTION 502
    listed, threshold, zeros = drawn
    if sum(v or 0 for v in [listed[("T", "T")]]) > 9:
        return
    document = release(
        listed,
        {"v": TREE["v"], "c": {"total": "T", "codes": ["x", "y"]}},
        policy=[{"threshold": threshold, "zeros": zeros}],
    )
    found, _ = implied(document)
    fitting = tables(listed)
    for (code, column), value in listed.items():
        if value is not None:
            fitting = fitting[sums(fitting, code, column) == value]
    expected = {}
    for code, column in product(CODES, ("T", "x", "y")):
        values = sums(fitting, code, column)
        low, high = int(values.min()), int(values.max())
        if (code, column) not in listed and high < threshold and (zeros or 0 not in values):
            expected[code, column] = (low, high)
    for name, interval in expected.items():
        assert name in found or not _spoken_of(listed, *name), (listed, name, interval)
    for name, interval in found.items():
        if name in expected:
            assert expected[name] == interval
        else:
            assert name[0] not in CODES or name in listed, (name, interval)


def _spoken_of(listed, code, column):
    """Whether the listed codes tell the code from the others, so that it is a sum of atoms."""
    used = {c for c, _ in listed}
    kind = {leaf: frozenset(c for c in used if leaf in CODES[c]) for leaf in LEAVES}
    inside = {kind[leaf] for leaf in CODES[code]}
    outside = {kind[leaf] for leaf in LEAVES if leaf not in CODES[code]}
    columns = {c for _, c in listed}
    return not inside & outside and (column == "T" or columns & {"x", "y"})


def test_a_rule_that_judges_nothing_is_counted_and_may_be_required():
    # CONVENTION 506
    document = {
        "tableseal": 1,
        "title": "t",
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": TREE,
        "tables": [
            {
                "name": "t",
                "absent": {"leaves": "not_released"},
                "frequency": "n",
                "contributors": ["a", "b"],
                "cells": {"v": ["A", "B", "G", "T"], "value": [40, 50, 90, 200], "n": [9, 9, 18, 40]}
                | {"a": [8, 9, 9, 20], "b": [7, 8, 8, 9]},
            }
        ],
        "policy": {"primary": [{"p_percent": 10}]},
    }
    found, report = implied(document)
    assert not found
    assert report.verdict == "safe"
    # H = T - G; by p% alone nobody can say whether it is sensitive.
    assert (report.summary.implied.computed, report.summary.implied.judged) == (1, 0)
    counted = "1 further cell can be computed that no rule could judge"
    assert first_and_last_line(report) == (f"SAFE as listed; {counted}. {HARMLESS}",) * 2
    page = render_html(report, release_from_document(document))
    assert "<strong>Safe as listed</strong>" in page
    assert f"{HARMLESS} {counted}." in page
    document["policy"]["require"] = {"implied": "judged"}
    assert implied(document)[1].verdict == "undecided"
    document["policy"]["primary"].append({"threshold": 3})
    assert implied(document)[1].verdict == "safe"


def test_numbers_of_contributors_add_up_like_values():
    # CONVENTION 504
    document = {
        "tableseal": 1,
        "title": "t",
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": TREE,
        "tables": [
            {
                "name": "t",
                "absent": {"leaves": "not_released"},
                "frequency": "n",
                "cells": {"v": ["A", "B", "C", "T"], "value": [40, 50, 60, 180], "n": [9, 9, 9, 29]},
            }
        ],
        "policy": {"primary": [{"threshold": 3}]},
    }
    found, report = implied(document)
    assert found == {("D",): (30, 30)}
    assert report.implied[0].rule == "threshold 3"


@pytest.mark.parametrize("contradicting", [[("x", "T")], [("x", "T"), ("y", "T")]])
def test_numbers_of_contributors_that_contradict_each_other_count_only_elsewhere(contradicting):
    # CONVENTION 504
    cells = {"v": [*"ABCT"] * 2, "w": ["x"] * 4 + ["y"] * 4, "value": [40, 50, 60, 180] * 2, "n": [9, 9, 9, 29] * 2}
    document = {
        "tableseal": 1,
        "title": "t",
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": TREE | {"w": {"codes": ["x", "y"]}},
        "tables": [
            {"name": "t", "absent": {"leaves": "not_released"}, "frequency": "n", "cells": cells},
            {
                "name": "again",
                "absent": {"leaves": "not_released", "totals": "not_released"},
                "frequency": "n",
                "cells": {
                    "v": [a for _ in contradicting for a in ["G", "H", "T"]],
                    "w": [w for w, _ in contradicting for _ in range(3)],
                    "value": [90, 90, 180] * len(contradicting),
                    "n": [18, 5, 29] * len(contradicting),  # 18 + 11 = 29
                },
            },
        ],
        "policy": {"primary": [{"threshold": 3}]},
    }
    found, report = implied(document)
    agreeing = [w for w in "xy" if (w, "T") not in contradicting]
    assert found == {("D", w): (30, 30) for w in agreeing}
    if not agreeing:
        assert report.verdict == "safe"
        assert "no rule could judge" in first_and_last_line(report)[0]


def test_sums_of_harmless_cells_need_no_judge():
    # CONVENTION 506
    document = {
        "tableseal": 1,
        "title": "t",
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": TREE,
        "tables": [
            {
                "name": "t",
                "absent": {"leaves": "not_released"},
                "contributors": ["a", "b"],
                "cells": {"v": ["A", "B", "C", "D", "T"], "value": [40, 50, 60, 30, 180]}
                | {"a": [8, 9, 9, 8, 9], "b": [7, 8, 8, 7, 9]},
            }
        ],
        "policy": {"primary": [{"p_percent": 10}]},
    }
    count = implied(document)[1].summary.implied
    assert (count.computed, count.judged) == (2, 2)  # G and H


def test_a_narrow_count_is_found_where_every_value_is_sensitive():
    # CONVENTION 503
    # A + B = 3 with A, B >= 1 known to everyone: each is 1 or 2, both sensitive.
    cells = {("G",): 3, ("T",): 40, ("H",): 37, ("A",): None}
    document = release(cells, TREE, intruder={"nonempty": True})
    document["tables"][0]["cells"]["lo"] = [None, None, None, 1]
    document["tables"][0]["cells"]["hi"] = [None, None, None, 2]
    document["tables"][0] |= {"lower": "lo", "upper": "hi"}
    found, report = implied(document)
    assert found[("B",)] == (1, 2)
    [cell] = [c for c in report.implied if c.cell == (("v", "B"),)]
    assert cell.verdict == "underprotected"
    assert report.summary.implied.narrow == 1
    document["policy"]["implied"] = "computed"
    assert ("B",) not in implied(document)[0]


def test_a_public_copy_has_none_of_it():
    # CONVENTION 508
    _, report = implied(release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE))
    copy = public_copy(report)
    assert copy.implied == ()
    assert copy.summary.implied is None
    assert "no row lists" not in render_text(copy, colour=False, width=100, limit=None)


def test_findings_are_told_in_text_and_on_the_page():
    document = release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE)
    read = release_from_document(document)
    report = audit(read).report
    text = render_text(report, colour=False, width=100, limit=None, release=read)
    assert "1 sensitive cell that no row lists given away" in text
    assert "D = T - A - B - C = 26 - 9 - 8 - 7 = 2" in text
    assert "D = T - A - B - C = 26 - 9 - 8 - 7 = 2" in render_html(report, read)
    assert report_from_json(report_json(report)) == report


def test_zeros_are_sensitive_only_where_zeros_are():
    cells = {("A",): 9, ("B",): 8, ("C",): 7, ("T",): 24}
    assert implied(release(cells, TREE))[0] == {}
    assert implied(release(cells, TREE, policy=[{"threshold": 4, "zeros": True}]))[0] == {("D",): (0, 0)}
    # A zero that everybody knows is no secret.
    document = release(
        {("A",): 9, ("B",): 8, ("T",): 17}, TREE, policy=[{"threshold": 4, "zeros": True}], absent="zero"
    )
    assert implied(document)[0] == {}


def test_a_row_that_is_missing_is_listed_and_not_judged():
    # CONVENTION 500
    document = release({("A",): 9, ("B",): 8, ("C",): 7, ("D",): None, ("T",): 26}, TREE)
    document["tables"][0]["cells"]["s"] = ["", "", "", "missing", ""]
    document["tables"][0]["status"] = "s"
    assert implied(document)[0] == {}


@pytest.mark.parametrize(("rows", "verdict"), [(("A", "B", "T"), "exposed"), (("A", "T"), "underprotected")])
def test_with_microdata_every_rule_judges(tmp_path, rows, verdict):
    # CONVENTION 509
    records = [*(("A", 10),) * 9, *(("B", 10),) * 9, ("C", 900), *(("C", 1),) * 9]
    (tmp_path / "firms.csv").write_text("v,turnover\n" + "".join(f"{v},{x}\n" for v, x in records))
    total = {"A": 90, "B": 90, "C": 909, "T": 1089}
    # Where B has no row either, everyone knows that it lies between 80 and 95.
    limits = {"t2": {"v": ["B"], "value": [None], "lo": [80], "hi": [95], "s": ["missing"]}} if len(rows) == 2 else {}
    document = {
        "tableseal": 1,
        "title": "t",
        "measures": {"turnover": {"kind": "magnitude"}},
        "variables": {"v": {"total": "T", "codes": ["A", "B", "C"]}},
        "tables": [
            {
                "name": "t1",
                "absent": {"leaves": "not_released"},
                "cells": {"v": list(rows), "value": [total[c] for c in rows]},
            },
            *(
                {
                    "name": n,
                    "absent": {"leaves": "not_released"},
                    "lower": "lo",
                    "upper": "hi",
                    "status": "s",
                    "cells": c,
                }
                for n, c in limits.items()
            ),
        ],
        "microdata": {"file": "firms.csv", "values": {"turnover": "turnover"}},
        "policy": {"primary": [{"p_percent": 10}]},
    }
    (tmp_path / "release.json").write_text(json.dumps(document))
    report = audit(read_release(tmp_path / "release.json")).report
    [cell] = report.implied
    assert dict(cell.cell) == {"v": "C"}
    assert (cell.verdict, cell.rule, cell.truth) == (verdict, "p% 10", 909)
    assert report.verdict == "unsafe"


def test_exposed_findings_may_be_accepted():
    # CONVENTION 507
    document = release({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE)
    document["policy"]["require"] = {"exposed": True}
    found, report = implied(document)
    assert found
    assert report.verdict == "safe"


def test_what_was_found_can_be_asked_about_like_a_cell():
    read = release_from_document(
        release(
            {("P",): 12, ("Q",): 20, ("A",): 9},
            {"v": {"trees": [{"P": ["A", "B", "C"]}, {"Q": ["B", "C", "D", "E"]}]}},
        )
    )
    cells, _ = merge_cells(read)
    prepared = prepare(read, cells)
    sensitivity = assess(read, cells, read.policy)
    found = find_implied(prepared, reduction(prepared), read.policy, sensitivity)
    assert found.named.added == ({"P - A": ("B", "C")},)
    asked = with_implied(read, found)
    assert asked.tables[-1].name == "not listed"
    more, _ = merge_cells(asked)
    judged = assess(asked, more, read.policy)
    again = prepare(asked, more)
    assert again.system.base.columns == prepared.system.base.columns
    [open_cell] = again.system.open_cells.tolist()
    assert judged.judged(more)[open_cell]
    assert (judged.required_lower.units[open_cell], judged.required_upper.units[open_cell]) == (0, 4)
    assert not audit(asked).report.implied


@pytest.mark.parametrize(
    ("listed", "variables"),
    [
        ({("A",): 9, ("B",): 8, ("C",): 7, ("T",): 26}, TREE),
        (
            {("P",): 12, ("Q",): 20, ("A",): 9},
            {"v": {"trees": [{"P": ["A", "B", "C"]}, {"Q": ["B", "C", "D", "E"]}]}},
        ),
    ],
)
def test_findings_are_proved_and_the_proof_is_checked(listed, variables):
    # CONVENTION 510
    read = release_from_document(release(listed, variables))
    result = audit(read, prove=True)
    proof, canonical = proof_json(result.proof), canonical_json(read)
    jsonschema.validate(json.loads(proof), proof_schema())
    [claim] = result.proof.claims
    assert check(proof.encode(), canonical) == {"ends": 2, "proved": 2, "attained": 0}
    assert claim.cell[1] in ("D", ("B", "C"))
    false = json.loads(proof)
    false["claims"][0]["lower"]["outer"] += 1
    with pytest.raises(RefusedError):
        check(json.dumps(false).encode(), canonical)
