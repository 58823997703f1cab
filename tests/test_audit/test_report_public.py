"""What may leave the agency with a report, and what may not."""

from dataclasses import field, make_dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple, get_type_hints

import pytest
from result_classes import public_fields, records

from tableseal.audit.errors import InputError
from tableseal.audit.model import Note
from tableseal.audit.report import Report, ReportCell, public_copy, report_json
from tableseal.audit.report.model import (
    BeyondHelp,
    CellRank,
    Figure,
    ImpliedCount,
    InsiderFinding,
    InsiderRisk,
    OverTables,
    PanelEntry,
    Possible,
    Reveals,
    Step,
    Summary,
)
from tableseal.audit.report.public import PRIOR_NOTE

SECRET = Fraction(987654)
OPEN = ReportCell(
    table="t",
    also_in=("u",),
    measure="value",
    cell=(("a", "1"),),
    status="primary",
    truth=SECRET,
    lower=Fraction(0),
    upper=Fraction(406),
    attained=(Fraction(0), Fraction(406)),
    exact=True,
    lp=(Fraction(0), Fraction(813, 2)),
    possible=Possible(407, 407),
    entropy_bits=8.6,
    risk=0.1,
    required=(SECRET - 3, SECRET + 3),
    sensitive=True,
    rule="p% 10 secret",
    verdict="underprotected",
    basis=None,
    reason="protection",
    reveals=Reveals("equation", (), "secret arithmetic"),
    insider=InsiderFinding("secret insider", "value", (SECRET, None)),
    steps=(Step("t", Fraction(0), None, 0.0),),
)
ONE = OPEN._replace(lower=Fraction(7), upper=Fraction(7), attained=(Fraction(7), Fraction(7)), verdict="exposed")
SUMMARY = Summary(36, 30, 6, 1, 1, 1, 3, 1, 0, 0, 24, 1, 1)


def copy_of(*cells, notes=()):
    return public_copy(report_of(SUMMARY, cells, notes))


def report_of(summary, cells, notes, **more):
    return Report(
        verdict="unsafe",
        title="Title",
        release_sha256="d" * 64,
        policy_sha256="e" * 64,
        bounds="integer",
        summary=summary,
        cells=tuple(cells),
        notes=tuple(notes),
        **more,
    )


def test_knowledge_of_the_agency_is_gone():
    # CONVENTION 180
    copy = copy_of(OPEN, ONE, notes=[Note("impossible_truth", "secret note")])
    text = report_json(copy)
    for secret in ("secret", "98765", "p% 10", "protection", "d" * 64, "e" * 64):
        assert secret not in text
    for cell in copy.cells:
        assert (cell.truth, cell.reveals, cell.insider, cell.required) == (None, None, None, None)
        assert (cell.sensitive, cell.rule, cell.reason) == (None, None, None)
    assert copy.confidential is False


def test_intervals_and_risk_stay_because_anyone_can_work_them_out():
    (cell,) = copy_of(OPEN).cells
    kept = (
        "table",
        "also_in",
        "measure",
        "cell",
        "lower",
        "upper",
        "attained",
        "lp",
        "possible",
        "risk",
        "steps",
    )
    for name in kept:
        assert getattr(cell, name) == getattr(OPEN, name)


@pytest.mark.parametrize("status", ["primary", "secondary", "withheld"])
def test_which_withheld_cell_is_the_sensitive_one_is_not_told(status):
    # CONVENTION 181
    same = OPEN._replace(status=status, sensitive=status == "primary", rule=None, reason=None, required=None)
    assert copy_of(same._replace(verdict="protected")) == copy_of(OPEN)


def test_secondary_exposures_are_counted_with_the_others():
    copy = copy_of(ONE, ONE._replace(status="secondary"), OPEN)
    summary = copy.summary
    assert (summary.exposed, summary.secondary_exposed, summary.underprotected) == (2, 0, 0)
    assert (summary.protected, summary.protected_continuous, summary.undecided) == (1, 0, 0)
    assert (summary.cells, summary.rank) == (36, 24)


def test_a_published_cell_that_a_rule_finds_sensitive_is_not_listed():
    # CONVENTION 182
    finding = ONE._replace(status="published", reason="sensitive_published")
    assert copy_of(finding).cells == ()
    assert copy_of(finding._replace(status="frozen", reason=None, sensitive=False)).cells == ()
    rounded = OPEN._replace(status="must_publish", verdict="protected")
    assert [cell.status for cell in copy_of(rounded).cells] == ["published"]
    rounded_to_one_value = ONE._replace(status="published")
    assert [cell.verdict for cell in copy_of(rounded_to_one_value).cells] == ["exposed"]


@pytest.mark.parametrize(
    ("change", "verdict", "basis"),
    [
        ({}, "protected", "integer"),
        ({"lower": Fraction(3), "upper": Fraction(3)}, "exposed", None),
        ({"possible": Possible(1, 407)}, "protected", "continuous"),
        ({"possible": Possible(1, 407), "attained": (SECRET, SECRET), "exact": False}, "undecided", None),
        ({"possible": Possible(0, None), "attained": None, "exact": False}, "undecided", None),
        (
            {"upper": None, "attained": (Fraction(0), None), "possible": Possible(1, None)},
            "protected",
            "continuous",
        ),
        (
            {"upper": None, "attained": (Fraction(0), None), "possible": Possible(None, None)},
            "protected",
            "integer",
        ),
        ({"status": "missing"}, "not_judged", None),
    ],
)
def test_cells_are_judged_by_public_knowledge_alone(change, verdict, basis):
    # CONVENTION 184
    for was in ("exposed", "underprotected", "protected", "undecided"):
        (cell,) = copy_of(OPEN._replace(verdict=was, **change)).cells
        assert (cell.verdict, cell.basis) == (verdict, basis)


def test_an_attained_interval_that_may_rest_on_the_true_table_is_left_out():
    # CONVENTION 183
    cell = OPEN._replace(attained=(Fraction(5), SECRET), exact=False)
    assert copy_of(cell).cells[0].attained is None


def test_notes_on_how_tables_were_read_stay_and_the_copy_says_what_it_is():
    # CONVENTION 185
    notes = [Note("absent_zero", "taken as zero"), Note("truth_beside_withheld_differs", "secret")]
    assert [note.code for note in copy_of(OPEN, notes=notes).notes] == ["public_copy", "absent_zero"]


def test_a_public_copy_of_a_public_copy_is_itself():
    copy = copy_of(OPEN)
    assert public_copy(copy) is copy


def test_intervals_that_start_from_true_values_cannot_be_made_public():
    # CONVENTION 186
    with pytest.raises(InputError, match="cannot be made: its intervals start from what the intruder"):
        copy_of(OPEN, notes=[Note(PRIOR_NOTE, "each withheld value is known within 50 %")])


KEPT, GONE = "kept", "gone"

PUBLIC: dict[type, dict[str, object]] = {
    Report: {
        "verdict": KEPT,
        "title": KEPT,
        "release_sha256": None,
        "policy_sha256": None,
        "bounds": KEPT,
        "summary": "of its own",
        "cells": "of their own",
        "notes": "of their own",
        "confidential": False,
        "risk_panel": "of its own",
        "implied": (),
        "judged": KEPT,
        "rules": (),
        "beyond_help": (),
    },
    Summary: {
        "cells": KEPT,
        "published": KEPT,
        "withheld": KEPT,
        "exposed": "of the copy",
        "secondary_exposed": 0,
        "underprotected": 0,
        "protected": "of the copy",
        "protected_continuous": "of the copy",
        "undecided": "of the copy",
        "not_judged": "of the copy",
        "rank": KEPT,
        "degrees_of_freedom": KEPT,
        "components": KEPT,
        "implied": None,
    },
    ReportCell: {
        "table": KEPT,
        "also_in": KEPT,
        "measure": KEPT,
        "cell": KEPT,
        "status": "withheld",
        "truth": None,
        "lower": KEPT,
        "upper": KEPT,
        "attained": KEPT,
        "exact": KEPT,
        "lp": KEPT,
        "possible": KEPT,
        "entropy_bits": KEPT,
        "risk": KEPT,
        "required": None,
        "sensitive": None,
        "rule": None,
        "verdict": "protected",
        "basis": "integer",
        "reason": None,
        "reveals": None,
        "insider": None,
        "steps": KEPT,
        "over_tables": KEPT,
        "rank": KEPT,
        "insider_risk": None,
    },
}
"""Every field, and what becomes of it in a public copy. A new field is confidential until somebody writes here that it
is not: anyone can work it out from what is published."""

FULL = OPEN._replace(
    over_tables=OverTables(8.1, "exact", 300, (8.1, 8.1), None, None),
    rank=CellRank(True, False),
    basis="continuous",
    insider_risk=InsiderRisk("largest of t", "second_largest", (Fraction(1), Fraction(4)), 2.0, 0.5),
)


ALSO_PUBLIC: dict[type, set[str]] = {
    Possible: {"at_least", "at_most"},
    OverTables: {"entropy_bits", "method", "tables", "ci", "ess", "rhat"},
    CellRank: {"alone", "recomputable"},
    Step: {"table", "lower", "upper", "risk"},
    PanelEntry: {"measure", "title", "figures", "tells", "does_not_tell", "public"},
    Figure: {"name", "label", "value"},
    Note: {"code", "text", "count"},
}
"""Of records that stand in a copy, where they are shown at all: all that is in them today."""


@pytest.mark.parametrize("kind", records(Report), ids=lambda kind: kind.__name__)
def test_of_every_field_it_is_said_whether_it_is_public(kind):
    # CONVENTION 647
    kept = {name for name, becomes in PUBLIC.get(kind, {}).items() if becomes == KEPT and name not in PUT}
    assert public_fields(kind) == ALSO_PUBLIC.get(kind, kept)


PUT = {"attained"}
"""What `public_copy` looks at before it keeps it."""


def with_a_new_field(record):
    """The same record of a class that has one more field."""
    kind, fields = type(record), {"added": Annotated[str | None, "Somebody added this."]}
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind, include_extras=True)
        return NamedTuple(kind.__name__, [*hints.items(), *fields.items()])(**record._asdict(), added="SECRET")
    more = [("added", fields["added"], field(default=None))]
    twin = make_dataclass(kind.__name__, more, bases=(kind,), frozen=True, kw_only=True)
    return twin(**vars(record), added="SECRET")


def test_a_new_field_of_any_record_does_not_come_through():
    # CONVENTION 647
    new = with_a_new_field
    entry = PanelEntry("m", "t", (new(Figure("f", "f", 1)),), "a", "b", True)
    cell = FULL._replace(
        possible=new(FULL.possible),
        steps=(new(Step("t", Fraction(0), None, 0.0)),),
        over_tables=new(FULL.over_tables),
        rank=new(FULL.rank),
    )
    report = new(report_of(new(SUMMARY), (new(cell),), (new(Note("absent_zero", "said")),), risk_panel=(new(entry),)))
    assert repr(report).count("SECRET") == 10
    copy = public_copy(report)
    assert "SECRET" not in repr(copy)


def test_nothing_else_is_public():
    """Every field has something to hide here."""
    # CONVENTION 647
    summary = Summary(36, 30, 6, 5, 4, 3, 2, 1, 9, 8, 24, 7, 6, ImpliedCount(9, 8, 7, 6, 5, 4))
    entries = [PanelEntry("m", "t", (), "a", "b", public) for public in (False, True)]
    codes = ("impossible_truth", "no_rule", "absent_zero", "insiders", "anything new")
    notes = [Note(code, "said", 3) for code in codes]
    beyond = BeyondHelp("t", "value", FULL.cell, (), None)
    report = report_of(
        summary,
        (FULL,),
        notes,
        risk_panel=tuple(entries),
        implied=(FULL._replace(status="not_listed", reason="implied"),),
        rules=("threshold 3",),
        beyond_help=(beyond,),
    )
    copy = public_copy(report)
    for old, new, said in ((report, copy, PUBLIC[Report]), (summary, copy.summary, PUBLIC[Summary])):
        for name, becomes in said.items():
            if becomes == KEPT:
                assert getattr(new, name) == getattr(old, name), name
            elif not (isinstance(becomes, str) and becomes.startswith("of ")):
                assert getattr(new, name) == becomes, name
    [cell] = copy.cells
    for name, becomes in PUBLIC[ReportCell].items():
        assert getattr(cell, name) == (getattr(FULL, name) if becomes == KEPT else becomes), name
    counts = copy.summary
    assert (counts.exposed, counts.protected, counts.protected_continuous, counts.undecided, counts.not_judged) == (
        0, 1, 0, 0, 0,
    )  # fmt: skip
    assert [note.code for note in copy.notes] == ["public_copy", "absent_zero"]
    assert copy.risk_panel == (entries[1],)


@pytest.mark.parametrize(("code", "said"), [("prior_knowledge", "prior"), ("what_if", "what-if")])
def test_reports_that_start_from_true_values_have_no_copy(code, said):
    # CONVENTION 186
    with pytest.raises(InputError, match=said):
        copy_of(OPEN, notes=[Note(code, "x")])


def test_notes_that_only_say_how_tables_were_read_stay():
    notes = [Note(code, "x") for code in ("absent_computed", "absent_zero", "time_limit", "no_rule", "implied_off")]
    assert [note.code for note in copy_of(OPEN, notes=notes).notes] == [
        "public_copy", "absent_computed", "absent_zero", "time_limit",
    ]  # fmt: skip


def test_two_whole_values_in_hand_are_enough_and_one_is_not():
    reached = {"attained": (Fraction(0), Fraction(1)), "upper": Fraction(1)}
    for at_least, basis in ((2, "integer"), (1, "continuous")):
        [cell] = copy_of(OPEN._replace(possible=Possible(at_least, 2), **reached)).cells
        assert (cell.verdict, cell.basis) == ("protected", basis)


def test_what_is_missing_stays_missing_and_what_is_only_a_finding_goes():
    missing = ONE._replace(status="missing", sensitive=False)
    assert [cell.status for cell in copy_of(missing).cells] == ["missing"]
    withheld = ONE._replace(status="secondary", sensitive=False)
    assert [cell.status for cell in copy_of(withheld).cells] == ["withheld"]
    by_sap = ONE._replace(status="published", sensitive=True, reason="sap")
    assert copy_of(by_sap).cells == ()
    unlimited = OPEN._replace(status="published", sensitive=False, lower=None, upper=None, attained=(None, None))
    assert len(copy_of(unlimited).cells) == 1
