"""How a report is put in words and figures for people; shared by the terminal table and the HTML page.

Figures are rounded here and only here; the JSON report keeps full precision.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tableseal.audit.attacks.confidence import CONFIDENCE_CODES
from tableseal.audit.attacks.confidence import OPEN as CONFIDENCE_OPEN
from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.language import counted, numerals, phrase, put, words_of
from tableseal.audit.language import gettext as _
from tableseal.audit.measures.risk.requirement import TABLE_RISK_CODES, TABLE_RISK_OPEN
from tableseal.audit.model.release import Release
from tableseal.audit.report.applied import AS_LISTED, applied_words, shouted
from tableseal.audit.report.called import accepted_exposed, unjudged_words
from tableseal.audit.report.model import BeyondHelp, Figure, InsiderFinding, OverTables, Report, ReportCell
from tableseal.audit.report.wider import WIDER
from tableseal.audit.rules.too_fine import CODE as TOO_FINE


@dataclass(frozen=True)
class Signs:
    """Signs that differ between a page and plain text: end of an unlimited interval, group and "about"
    sign."""

    infinity: str
    thousands: str
    about: str
    minus: str


ASCII = Signs(infinity="inf", thousands="", about="~", minus="-")
HTML = Signs(infinity="∞", thousands="\u202f", about="≈\u202f", minus="−")

VERDICTS: Mapping[str, str] = words_of(
    {
        "exposed": "exposed",
        "underprotected": "underprotected",
        "protected": "protected",
        "undecided": "undecided",
        "not_judged": "not judged",
    }
)
REASONS: Mapping[str, str] = words_of(
    {
        "sensitive_published": "published although sensitive",
        "insider": "an insider gets too close",
        "ranks": "contributors know each other whatever is withheld",
        "protection": "narrower than required",
        "risk": "risk above the policy's limit",
        "sap": "attribution probability above the policy's limit",
        "implied": "no row lists it, and it can be worked out",
    }
)

STATUSES = words_of(
    (
        *("published", "primary", "secondary", "withheld", "frozen", "must publish", "structural zero", "missing"),
        *("implied", "safe", "unsafe", "safe as listed", "withheld here, released otherwise"),
    )
)
"""Statuses of cells, and what releases are called."""


def number(value: Fraction | int, signs: Signs, places: int = 0) -> str:
    """A number with at least `places` decimals; one without a finite decimal expansion is rounded and says
    so."""
    exact = decimal_text(Fraction(value))
    if exact is None:
        return signs.about + number(round(Fraction(value), 4), signs)
    whole, _, decimals = exact.lstrip("-").partition(".")
    if signs.thousands and len(whole) > 3:
        whole = f"{int(whole):,}".replace(",", signs.thousands)
    decimals = decimals.ljust(places, "0")
    return (signs.minus if value < 0 else "") + whole + (numerals(f"0.{decimals}")[1:] if decimals else "")


def interval(low: Fraction | None, high: Fraction | None, signs: Signs) -> str:
    """`[0, 406]`, open towards an end without limit: `[0, inf)`."""
    left = f"({signs.minus}{signs.infinity}" if low is None else f"[{number(low, signs)}"
    right = f"{signs.infinity})" if high is None else f"{number(high, signs)}]"
    return numerals(f"{left}, {right}")


def possible(cell: ReportCell, signs: Signs) -> str:
    """How many values the cell can take."""
    least, most = cell.possible.at_least, cell.possible.at_most
    if most is None or least is None:
        return _("no limit")
    return (
        number(most, signs)
        if least == most
        else put("{low} to {high}", low=number(least, signs), high=number(most, signs))
    )


def risk(value: float | None, signs: Signs) -> str:
    """Disclosure risk 1/log2(values): infinite where one value is left, 0 where there is no limit."""
    if value is None:
        return signs.infinity
    return "0" if value == 0 else numerals(f"{value:.4f}")


def figure(found: Figure, signs: Signs) -> str:
    """A figure of the risk panel with its label: `fewest bits: 1.585`."""
    value = found.value
    if value is None:
        return phrase(f"{found.label}: none")
    shown = number(value, signs) if isinstance(value, int) else numerals(format(value, ".4g"))
    return phrase(f"{found.label}: ") + shown


def over_tables(found: OverTables | None, signs: Signs) -> str:
    """Entropy over tables: `2.96`; sampled: `2.96, 2.90 to 3.01`, with `?` where chains have not converged."""
    if found is None:
        return ""
    text = numerals(f"{found.entropy_bits:.2f}")
    if found.method == "sampled":
        text = (
            f"{signs.about}{text}, "
            + numerals(put("{low} to {high}", low=f"{found.ci[0]:.2f}", high=f"{found.ci[1]:.2f}"))
            + ("" if converged(found) else " ?")
        )
    return text


def converged(found: OverTables) -> bool:
    """Exact, or the chains agree (split R-hat at most 1.05) and are worth 100 independent tables at least."""
    agree = found.rhat is not None and found.rhat <= 1.05 and found.ess is not None and found.ess >= 100
    return found.method == "exact" or agree


def verdict(cell: ReportCell) -> str:
    """Verdict with what it rests on."""
    text = _(VERDICTS[cell.verdict])
    if secondary_exposure(cell):
        return f"{text}{_(': ')}{_('withheld for nothing')}"
    if cell.reason is not None:
        return f"{text}{_(': ')}{_(REASONS[cell.reason])}"
    return f"{text} ({_('continuous')})" if cell.basis == "continuous" else text


def secondary_exposure(cell: ReportCell) -> bool:
    """An exposed cell that is not sensitive itself: withheld for nothing. In a public copy nobody is told
    which."""
    return cell.verdict == "exposed" and cell.sensitive is False


def severity(cell: ReportCell) -> tuple[int, bool, int, int]:
    """Sort key, worst first; equally bad cells by how few values they can take."""
    most = cell.possible.at_most
    order = ("exposed", "exposed secondary", "underprotected", "undecided", "protected", "not_judged")
    name = "exposed secondary" if secondary_exposure(cell) else cell.verdict
    return order.index(name), most is None, most or 0, cell.possible.at_least or 0


def worst_first(report: Report) -> list[tuple[int, ReportCell]]:
    """(position in the report, cell), worst first; ties stay in the order of the report."""
    return sorted(enumerate(report.cells), key=lambda entry: severity(entry[1]))


def cell_name(cell: tuple[tuple[str, str], ...], totals: Mapping[str, str | None]) -> str:
    """`size=5, region=N1`: variables that stand at their total are left out, as in "the total of everything
    else"."""
    named = [f"{variable}={code}" for variable, code in cell if totals.get(variable) != code]
    return printable(", ".join(named)) or _("grand total")


def totals_of(release: Release | None) -> Mapping[str, str | None]:
    """Code of the total of every variable; without a release none is known and nothing is left out."""
    return {} if release is None else {name: tree.total for name, tree in release.variables.items()}


def printable(text: str) -> str:
    """Text in which control and direction characters are written as escapes: a code must not steer a
    terminal."""
    if text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c
        for c in text
    )


_WHOSE = words_of(
    {
        "value": "the value of this cell",
        "largest": "the largest contribution to this cell",
        "second_largest": "the second largest contribution to this cell",
        "largest_of_others": "the largest contribution of somebody else to this cell",
    }
)

BEYOND_HELP = words_of("Contributors who know each other whatever is withheld")
"""Heading of what no pattern mends."""

WAYS_PAST = words_of(
    "Their ranks alone say it, so no pattern mends it. Ask those whose contribution it is for their consent, or accept "
    "it, and write reason and by whom under `accept` of the release (`accept_ranks` among the decisions of "
    "`suppress`); or leave such contributors out (`intruder: {insiders: [singletons, holdings]}`), or ask for less "
    "distance (`insider: {p_percent: ...}` of the policy)."
)
"""What the agency can do about it."""


def insider_words(insider: InsiderFinding, signs: Signs) -> str:
    """ "second largest of k can place the largest contribution to this cell within [40, 60]"."""
    return put(
        "{who} can place {what} within {interval}",
        who=phrase(printable(insider.who)),
        what=_(_WHOSE[insider.whose]),
        interval=interval(*insider.estimates, signs),
    )


def beyond_help_words(found: BeyondHelp, signs: Signs) -> str:
    """Who estimates whose contribution, and why that is accepted."""
    text = "; ".join(insider_words(insider, signs) for insider in found.insiders)
    if found.accepted is None:
        return text
    until = put(", until {day}", day=found.accepted.until) if found.accepted.until is not None else ""
    why = {"reason": printable(found.accepted.reason), "by": printable(found.accepted.by), "until": until}
    return text + put("; accepted: {reason} (by {by}{until})", **why)


def steps_words(cell: ReportCell, signs: Signs) -> str:
    """What is left of a cell after each table: "after by_size [0, 12], after by_region [3, 5]"."""
    return ", ".join(
        put("after {table} {interval}", table=printable(step.table), interval=interval(step.lower, step.upper, signs))
        for step in cell.steps
    )


def verdict_line(report: Report) -> str:
    """The first and the last line of a text: "UNSAFE: This release ...", "SAFE as listed; 12 further cells ..."."""
    word = report.called
    if word == AS_LISTED:
        return f"{shouted(_(word))}; {unjudged_words(report)}. {_answer(report)}"
    return put("{verdict}: {headline}", verdict=shouted(_(word)), headline=headline(report))


def applied(report: Report) -> str:
    """By which rule the release was judged; a public copy does not say it."""
    if report.confidential:
        return printable(applied_words(report.rules, report.judged))
    return _("Rule: the agency's, not shown.") if report.judged else _("No rule.")


def headline(report: Report) -> str:
    """The answer in one or two sentences, and what goes out that nobody judged."""
    unjudged = unjudged_words(report)
    return (
        _too_fine(report)
        + _answer(report)
        + (f" {unjudged[0].upper()}{unjudged[1:]}." if report.judged and unjudged else "")
    )


_PROTECTED = {
    (False, False): lambda: _("This release may go out: every sensitive cell is protected."),
    (False, True): lambda: _("This release may go out: every sensitive cell that is judged is protected."),
    (True, False): lambda: _("This release may go out: every other sensitive cell is protected."),
    (True, True): lambda: _("This release may go out: every other sensitive cell that is judged is protected."),
}
"""(some are accepted, some are not judged) -> what is said of a safe release."""


class _Sensitive:
    """What is said of so many cells to the agency: they are the sensitive ones."""

    def exposed(self, n: int) -> str:
        return counted(n, "{n} sensitive cell exposed", "{n} sensitive cells exposed")

    def narrow(self, n: int) -> str:
        return counted(n, "{n} sensitive cell not protected enough", "{n} sensitive cells not protected enough")

    def helpless(self, n: int) -> str:
        return counted(
            n,
            "{n} sensitive cell whose contributors know each other whatever is withheld",
            "{n} sensitive cells whose contributors know each other whatever is withheld",
        )

    def accepted(self, n: int) -> str:
        return counted(
            n,
            "Of {n} sensitive cell it is accepted that contributors know each other.",
            "Of {n} sensitive cells it is accepted that contributors know each other.",
        )


class _Any(_Sensitive):
    """The same for a public copy, which tells nobody which cells are sensitive."""

    def exposed(self, n: int) -> str:
        return counted(n, "{n} cell exposed", "{n} cells exposed")

    def narrow(self, n: int) -> str:
        return counted(n, "{n} cell not protected enough", "{n} cells not protected enough")

    def helpless(self, n: int) -> str:
        return counted(
            n,
            "{n} cell whose contributors know each other whatever is withheld",
            "{n} cells whose contributors know each other whatever is withheld",
        )

    def accepted(self, n: int) -> str:
        return counted(
            n,
            "Of {n} cell it is accepted that contributors know each other.",
            "Of {n} cells it is accepted that contributors know each other.",
        )


def _which(confidential: bool) -> _Sensitive:
    return _Sensitive() if confidential else _Any()


def _answer(report: Report) -> str:
    if not report.judged:
        said = (phrase(note.text) for note in report.notes if note.code == "not_judged")
        return next(said, _("Nothing says what is sensitive."))
    summary = report.summary
    which = _which(report.confidential)
    found: list[str] = []
    accepted_too = accepted_exposed(report)
    if summary.exposed and not accepted_too:
        found.append(which.exposed(summary.exposed))
    helpless = sum(cell.reason == "ranks" for cell in report.cells)
    if summary.underprotected > helpless:
        found.append(which.narrow(summary.underprotected - helpless))
    if helpless:
        found.append(which.helpless(helpless))
    if summary.undecided:
        found.append(counted(summary.undecided, "{n} cell undecided", "{n} cells undecided"))
    if report.implied and not accepted_too:
        found.append(
            counted(
                len(report.implied),
                "{n} sensitive cell that no row lists given away",
                "{n} sensitive cells that no row lists given away",
            )
        )
    tail = " " + _listed(found) + "." if found else ""
    accepted = sum(found.accepted is not None for found in report.beyond_help)
    if accepted:
        tail += " " + which.accepted(accepted)
    tail += "".join(
        f" {phrase(note.text)}" for note in report.notes if note.code in (*TABLE_RISK_CODES, *CONFIDENCE_CODES)
    )
    waste = summary.secondary_exposed
    if waste:
        tail += " " + counted(
            waste,
            "{n} secondary cell can be computed exactly: withheld for nothing.",
            "{n} secondary cells can be computed exactly: withheld for nothing.",
        )
    if report.verdict == "safe":
        sensitive = [cell.verdict for cell in report.cells if cell.sensitive]
        if report.confidential and not accepted_too and not sensitive:
            none = _("no cell is sensitive, by rule or by status")
            if summary.withheld and summary.implied is not None:  # withheld for what no row lists
                none = _("no cell that it lists is sensitive, and none that no row lists is given away")
            return put("This release may go out: {why}.", why=none) + tail
        return _PROTECTED[bool(accepted_too), "not_judged" in sensitive]() + tail
    if report.verdict == "unsafe":
        return _("This release must not go out as it is.") + (tail or _(" The agency's rules are not met."))
    if any(note.code == "impossible_truth" for note in report.notes):
        return _("Not judged to the end: true values are stated that cannot be (see the notes).") + tail
    if not summary.undecided and any(note.code == TABLE_RISK_OPEN for note in report.notes):
        return _("Not judged to the end: the policy limits the risk of whole tables.") + tail
    if not summary.undecided and any(note.code == CONFIDENCE_OPEN for note in report.notes):
        return _("Not judged to the end: the policy limits how far small counts may be believed.") + tail
    if not summary.undecided and any(note.code == WIDER for note in report.notes):
        return _("Not shown: ranges are told wider than what may be found out (see the notes).") + tail
    if not summary.undecided and any(note.code == "implied_required" for note in report.notes):
        return _("Not judged to the end: the policy asks that whatever can be computed is judged.") + tail
    return _("Not proved either way: a limit was reached before every cell was decided.") + tail


def _too_fine(report: Report) -> str:
    """That rounding can never meet the threshold, before what it did not meet; else nothing."""
    if report.verdict == "safe" or not any(note.code == TOO_FINE for note in report.notes):
        return ""
    return _("Rounding can never meet the threshold here, whatever is rounded (see the notes). ")


def implied_line(cell: ReportCell, totals: Mapping[str, str | None], signs: Signs) -> str:
    """A finding that no row lists: its name, its interval and the arithmetic."""
    value = interval(cell.lower, cell.upper, signs)
    rule = f" ({phrase(printable(cell.rule))})" if cell.rule else ""
    told = phrase(printable(cell.reveals.text)) if cell.reveals else _("every value that is left is sensitive")
    return f"{cell_name(cell.cell, totals)} ({printable(cell.measure)}): {value}{rule}: {told}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + _(" and ") + parts[-1]
