"""What a report says as a whole: verdict, figures, risk side by side, notes; the same for the page in a file and for
the pages of the service."""

from dataclasses import dataclass

from tableseal.audit.language import gettext as _
from tableseal.audit.language import grouped, phrase, put
from tableseal.audit.model.release import Release
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.model import Report
from tableseal.audit.report.next_step import next_step
from tableseal.audit.report.words import HTML, applied, figure, headline, number, printable
from tableseal.audit.version import engine_version


@dataclass(frozen=True)
class Front:
    """A report as a whole, in words.

    judgement: the verdict's class name; called: what it is called. tiles: (figure, label, remark, class) of the
    summary. facts: name and value of what identifies the audit. panel: (title, figures, tells, does not tell) of every
    measure of risk. columns: columns of a list of cells that not every report needs.
    """

    title: str
    confidential: bool
    judgement: str
    called: str
    headline: str
    applied: str
    following: str
    tiles: list[tuple[str, str, str, str]]
    facts: list[tuple[str, str]]
    panel: list[tuple[str, list[str], str, str]]
    notes: list[str]
    columns: list[str]


def front_of(report: Report, release: Release, asked: Asked | None = None) -> Front:
    """The report as a whole. asked: in whose words advice is (None: those of the command)."""
    asked = asked or Call()
    following = next_step(report, asked)
    return Front(
        title=printable(report.title) or _("Untitled release"),
        confidential=report.confidential,
        judgement=report.verdict,
        called=_(report.called),
        headline=grouped(headline(report)),
        applied=applied(report),
        following=put("Next: {what}", what=following) if following else "",
        tiles=_tiles(report),
        facts=_facts(report),
        panel=[
            (phrase(e.title), [figure(f, HTML) for f in e.figures], phrase(e.tells), phrase(e.does_not_tell))
            for e in report.risk_panel
        ],
        notes=[phrase(asked.words(note.text)) for note in report.notes],
        columns=_columns(report, release),
    )


def _tiles(report: Report) -> list[tuple[str, str, str, str]]:
    """(figure, label, remark, class) of the summary."""
    s = report.summary
    continuous = ""
    if s.protected_continuous:
        continuous = put("{n} on a continuous basis", n=number(s.protected_continuous, HTML))
    wasted = _("withheld for nothing") if s.secondary_exposed else ""
    tiles = [
        (s.cells, _("cells"), "", ""),
        (s.published, _("published"), "", ""),
        (s.withheld, _("withheld"), "", ""),
        (s.exposed, _("exposed"), "", "bad" if s.exposed else ""),
        (
            s.secondary_exposed,
            _("secondary exposed"),
            wasted,
            "warn" if s.secondary_exposed else "",
        ),
        (s.underprotected, _("underprotected"), "", "bad" if s.underprotected else ""),
        (s.undecided, _("undecided"), "", "warn" if s.undecided else ""),
        (s.protected, _("protected"), continuous, "good" if s.protected else ""),
        (s.not_judged, _("not judged"), "", ""),
    ]
    hidden = () if report.confidential else (_("secondary exposed"), _("underprotected"))
    return [(number(n, HTML), label, remark, css) for n, label, remark, css in tiles if label not in hidden]


def _facts(report: Report) -> list[tuple[str, str]]:
    """Name and value of what identifies the audit."""
    s = report.summary
    facts = [
        (_("Bounds"), printable(report.bounds)),
        (_("Rank of the released system"), number(s.rank, HTML)),
        (_("Degrees of freedom"), number(s.degrees_of_freedom, HTML)),
        (_("Independent components"), number(s.components, HTML)),
        (_("Engine"), f"tableseal {engine_version()}"),
    ]
    if report.confidential:
        facts.append((_("Release (SHA-256)"), report.release_sha256 or ""))
        facts.append((_("Policy (SHA-256)"), report.policy_sha256 or _("none: no rule was applied")))
    return facts


def _columns(report: Report, release: Release) -> list[str]:
    """Columns of the list that not every report needs."""
    needed = {
        "measure": len(release.measures) > 1,
        "insider_risk": any(cell.insider_risk is not None for cell in report.cells),
        "over_tables": any(cell.over_tables is not None for cell in report.cells),
        "truth": any(cell.truth is not None for cell in report.cells),
        "required": any(cell.required is not None for cell in report.cells),
        "rule": any(cell.rule is not None for cell in report.cells),
    }
    return [name for name, is_needed in needed.items() if is_needed]
