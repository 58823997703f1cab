"""The copy of a report that may be shown outside the agency.

A public copy holds only what anyone could work out from the published tables: what the fields of a report say is PUBLIC
(`model`), and what stands here in neutral terms. All else is left out. Why it is:

* True values, the arithmetic of exposures, insiders' estimates: they are the agency's own knowledge.
* `required`, `sensitive` and `rule`: they come from true values and from contributors, and the parameters of
  the rules are often secret themselves. For the same reason a published cell that is listed only because a
  rule finds it sensitive is dropped: to say "this value is dominated by one firm" is a disclosure.
* Statuses: `primary`, `secondary` and `withheld` all become `withheld`, the three released ones `published`.
  Which of two withheld cells is the small one is what secondary suppression hides.
* Verdicts `underprotected` and their reasons. Each cell is judged again by public knowledge alone, as if
  nothing but exact disclosure mattered: `exposed` where one value is possible, `protected` where two tables
  in hand differ, `undecided` otherwise. The verdict on the whole release stays the agency's own; a note says
  so.
* An attained interval that is not proved tight: it says how far our search got, which is no business of the
  reader's. The proved outer interval stays.
* Digests. The release's digest covers true values: whoever knows everything but one withheld cell could try
  its few hundred possible values until the digest fits. The policy's digest gives its parameters away in the
  same manner.
* Cells that no row lists (`implied`): they are listed only where a rule finds them sensitive.
* Measures of the risk panel that rest on true values or on which cells are sensitive; entropies over tables that were
  weighed by a prior.
* Notes, unless their code is known to say nothing but how the published tables were read.

Not possible at all where the intervals themselves start from true values (an intruder with prior knowledge, a what-if
that publishes secondary cells, growth that is assumed where it is true).
"""

from collections import Counter

from tableseal.audit.codec.public import public_part
from tableseal.audit.errors import InputError
from tableseal.audit.model.note import WHAT_IF, Note
from tableseal.audit.model.status import WORDS, Status
from tableseal.audit.periods import GROWTH_ASSUMED
from tableseal.audit.report.model import Report, ReportCell, Summary, Verdict

PRIOR_NOTE = "prior_knowledge"
"""Code of the note that intervals start from `intruder.prior`, that is from true values."""

WEIGHED = Note("weighed_tables", "Entropies over tables weigh every table by a prior that was given.")
"""That entropies over tables rest on more than what is published."""

PUBLIC_NOTES = frozenset({"absent_computed", "absent_zero", "time_limit"})
"""Codes of notes that hold nothing confidential; every other note stays inside the agency."""

ABOUT_COPY = Note(
    "public_copy",
    "Public copy: cells are judged by exact disclosure only, from what is published. "
    "The verdict on the whole release is the agency's and also rests on its rules, which are not shown.",
)


def public_copy(report: Report) -> Report:
    """The report without anything that rests on the agency's own knowledge; a public copy is returned as it
    is.

    Raises
    ------
    InputError: the intruder was given prior knowledge of true values, so that every interval would tell them.
    """
    if not report.confidential:
        return report
    if any(note.code == WHAT_IF for note in report.notes):
        raise InputError(
            "A public copy of a what-if cannot be made: it publishes true values that the release withholds, and "
            "withholds exactly the cells that rules call sensitive. Audit the release itself for a public copy."
        )
    if any(note.code == PRIOR_NOTE for note in report.notes):
        raise InputError(
            "A public copy of this report cannot be made: its intervals start from what the intruder is "
            "taken to know of the true values (intruder: prior), so they would give these values away. "
            "Audit the release without a prior first."
        )
    if any(note.code == GROWTH_ASSUMED for note in report.notes):
        raise InputError(
            "A public copy of this report cannot be made: its intervals rest on how much outsiders are taken to assume "
            "that values changed since the earlier period, where that is true. For a public copy audit this period's "
            "tables by themselves."
        )
    cells = tuple(_public_cell(cell) for cell in report.cells if not _only_a_finding(cell))
    if any(note.code == WEIGHED.code for note in report.notes):
        cells = tuple(cell._replace(over_tables=None) for cell in cells)
    return public_part(
        report,
        confidential=False,
        summary=_public_summary(report.summary, cells),
        cells=cells,
        notes=(ABOUT_COPY, *(public_part(note) for note in report.notes if note.code in PUBLIC_NOTES)),
        risk_panel=tuple(public_part(entry) for entry in report.risk_panel if entry.public),
    )


def _status(cell: ReportCell) -> Status:
    return WORDS.get(cell.status, Status.WITHHELD)


def _only_a_finding(cell: ReportCell) -> bool:
    """A cell whose exact value is released, listed because of a finding; a rounded cell left with one value
    is none.

    All of them go, not only the sensitive ones: which are left would tell which are sensitive.
    """
    released = not _status(cell).withheld and _status(cell) is not Status.MISSING
    known = cell.lower is not None and cell.lower == cell.upper
    listed_anyway = cell.sensitive and cell.reason != "sap"
    return cell.reason == "sensitive_published" or (released and known and not listed_anyway)


def _public_cell(cell: ReportCell) -> ReportCell:
    status = _status(cell)
    verdict = _public_verdict(cell)
    integer = _several(cell)
    return public_part(
        cell,
        status="withheld" if status.withheld else "published" if status.released else status.word,
        attained=cell.attained if cell.exact else None,
        verdict=verdict,
        basis=("integer" if integer else "continuous") if verdict == "protected" else None,
    )


def _several(cell: ReportCell) -> bool:
    """Tables of whole units in hand give the cell two values or more."""
    return cell.possible.at_least is None or cell.possible.at_least >= 2


def _public_verdict(cell: ReportCell) -> Verdict:
    if _status(cell) is Status.MISSING:
        return "not_judged"
    if cell.lower is not None and cell.lower == cell.upper:
        return "exposed"
    two_tables = cell.attained is not None and (None in cell.attained or cell.attained[0] != cell.attained[1])
    return "protected" if two_tables or _several(cell) else "undecided"


def _public_summary(summary: Summary, cells: tuple[ReportCell, ...]) -> Summary:
    """Counts by public verdict; how many exposed cells are secondary is not told."""
    count = Counter(cell.verdict for cell in cells)
    return public_part(
        summary,
        exposed=count["exposed"],
        secondary_exposed=0,
        underprotected=0,
        protected=sum(cell.basis == "integer" for cell in cells),
        protected_continuous=sum(cell.basis == "continuous" for cell in cells),
        undecided=count["undecided"],
        not_judged=count["not_judged"],
    )
