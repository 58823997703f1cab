"""What may leave the agency with a report, and what may not."""

from fractions import Fraction

import pytest

from audit.errors import InputError
from audit.model import Note
from audit.report import (
    InsiderFinding,
    Possible,
    Report,
    ReportCell,
    Reveals,
    Step,
    Summary,
    public_copy,
    report_json,
)
from audit.report.public import PRIOR_NOTE

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
    insider=InsiderFinding("secret insider", (SECRET, None)),
    steps=(Step("t", Fraction(0), None, 0.0),),
)
ONE = OPEN._replace(lower=Fraction(7), upper=Fraction(7), attained=(Fraction(7), Fraction(7)), verdict="exposed")
SUMMARY = Summary(36, 30, 6, 1, 1, 1, 3, 1, 0, 0, 24, 1, 1)


def copy_of(*cells, notes=()):
    report = Report("unsafe", "Title", "d" * 64, "e" * 64, "integer", SUMMARY, cells, tuple(notes), confidential=True)
    return public_copy(report)


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
