"""The outcome of a suppression in words."""

from collections.abc import Sequence
from fractions import Fraction

from tableseal.audit.linear.naming import plural
from tableseal.audit.report.applied import applied_words
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.frame import framed
from tableseal.audit.report.model import Report
from tableseal.audit.report.words import (
    ASCII,
    BEYOND_HELP,
    WAYS_PAST,
    applied,
    beyond_help_words,
    cell_name,
    printable,
    totals_of,
    verdict_line,
)
from tableseal.audit.said import Do
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.costs import FACTOR
from tableseal.suppression.reasons.needed import Need
from tableseal.suppression.reasons.seen import short_name
from tableseal.suppression.report.next_step import next_step
from tableseal.suppression.report.widths import required_widths
from tableseal.suppression.search.result import GUARANTEES, most_rank_words

SHOWN_NEEDS = 4
"""Sensitive cells that are named for one secondary cell."""


def suppression_text(
    result: Suppression,
    *,
    limit: int | None,
    asked: Asked | None = None,
    output: str | None = None,
    confidential: str | None = None,
    seconds: bool = False,
) -> str:
    """What was found, what it costs, why each cell is withheld, and what the audit says.

    limit: longest list of cells; what is left out is counted. None: no limit. asked: how it was asked for; output,
    confidential: the files that were to be written, and are not unless the audit says safe. seconds: with how long each
    step took.
    """
    report = result.report
    asked = asked or Call(verb=("suppress",))
    following = next_step(result, asked, output, confidential)
    if report is None:
        assert result.conflict is not None
        verdict, rule = "IMPOSSIBLE: no pattern is safe.", applied_words(result.problem.rules, True)
        body = [result.conflict.text]
    else:
        verdict, rule = verdict_line(report), applied(report)
        body = _found(result, report, limit, asked)
    if result.verdict != "safe":
        body += [
            f"{file} was not written: only a release whose audit says safe goes out."
            for file in (output, confidential)
            if file
        ]
    if seconds:
        body += ["How long it took:", *(f"  {name}: {s:.3f} s" for name, s in result.seconds)]
    return "\n".join(map(printable, framed(verdict, [rule], following, body))) + "\n"


def _found(result: Suppression, report: Report, limit: int | None, asked: Asked) -> list[str]:
    """Figures of the pattern, and its cells."""
    lines = figures(result)
    lines += _listed("Withheld besides", _reasons(result), limit)
    lines += unexplained(result, asked.spelled(Do("explain")))
    lines += _listed("Withheld for nothing, ready to be given back", _names(result, result.idle), limit)
    lines += _listed("Width that has to stay possible, wherever it lies", _widths(result), limit)
    lines += _listed("Decided by hand", decisions_words(result), limit)
    lines += _listed(BEYOND_HELP, _beyond_help(result, report), limit)
    if any(found.accepted is None for found in report.beyond_help):
        lines.append(WAYS_PAST)
    return lines


def figures(result: Suppression) -> list[str]:
    """What a pattern costs, what is proved of that, and how it differs from last period's."""
    found, problem = result.found, result.problem
    cost, bound = (Fraction(c, problem.scale) for c in (found.cost, found.bound))
    cells = f"{plural(result.secondary, 'secondary cell')} for {plural(int(problem.primary.sum()), 'sensitive cell')}"
    if problem.unlisted:
        cells += f" and {problem.unlisted} that no row lists"
    lines = [f"{result.method}: {cells}; cost {_number(cost)} (by {result.costs.kind})."]
    if found.last_resort:
        lines.append("The time was over before a pattern was found: everything is withheld that may be.")
    if GUARANTEES[found.guarantee]:
        lines.append(f"{result.method}: {GUARANTEES[found.guarantee]}.")
    if found.rank is not None:
        named = {"with margins": found.rank.with_margins, "without margins": found.rank.without_margins}
        words = [f"{n:,} {name}" for name, n in named.items()]
        words[not found.rank.margins] += " (maximised)"
        lines.append(f"Rank taken from the released system: {', '.join(words)}.")
    if most_rank_words(found):
        lines.append(f"{most_rank_words(found).capitalize()}.")
    if found.status == "optimal" and result.verdict == "unsafe":
        lines.append("No cheaper pattern protects the cells that a pattern can protect.")
    elif found.status == "optimal":
        lines.append("Proved: no safe pattern is cheaper.")
    elif found.bound > 0:
        assert found.gap is not None
        lines.append(f"No safe pattern costs less than {_number(bound)}: at most {100 * found.gap:.1f}% too dear.")
    if result.changes is not None:
        c = result.changes
        lines.append(
            f"Last period's pattern (its cells {FACTOR} times cheaper): {c.kept} kept, {c.new} new, "
            f"{c.returned} given back."
        )
    return lines


def unexplained(result: Suppression, anyway: str) -> list[str]:
    """Whether anybody looked for what needs each secondary cell. anyway: how to look whatever it takes."""
    secondary = result.secondary
    if result.explained or result.found.guarantee != "intervals" or not secondary:
        return []
    if result.needs:
        of = f"{len(result.needs):,} of {secondary:,}"
        return [f"What needs each cell was found out of {of}: the time was over; {anyway}."]
    why = {
        "no time": f"the time was over; {anyway}",
        "entangled": f"too many cells hang together; {anyway}",
        "not asked": "nobody asked",
    }
    return [f"What needs each cell was not looked for: {why[result.explanation]}."]


def _reasons(result: Suppression) -> list[str]:
    """ "North / M (needed by South / F, North / F; accepted by hand)"."""
    found = []
    for cell in result.secondary_cells:
        (name,), words = _names(result, [cell]), reason(result, cell)
        found.append(f"{name} ({words})" if words else name)
    return found


def reason(result: Suppression, cell: int) -> str:
    """Why a secondary cell is withheld; empty: nobody looked."""
    needs = result.needs.get(cell)
    words = [f"needed by {_needed(result, needs)}"] if needs else []
    if result.decided.accept[cell]:
        words.append("accepted by hand")
    elif result.problem.stays[cell]:
        words.append("withheld by a rounded table, which cannot give it back")
    elif needs == ():
        words.append("needed by nothing")
    return "; ".join(words)


def _needed(result: Suppression, needs: Sequence[Need]) -> str:
    names = list(dict.fromkeys(_names(result, [n.cell for n in needs])))
    more = len(names) - SHOWN_NEEDS
    shown = ", ".join(names[:SHOWN_NEEDS]) + (f" and {more} more" if more > 0 else "")
    plain = [e.text for e in needs[0].equations if None not in (c for _, c in e.terms)]
    return f"{shown}, through {plain[0]}" if plain else shown


def _widths(result: Suppression) -> list[str]:
    """ "North / F: 12 required, 3 to 20 possible"."""
    found = []
    for width in required_widths(result):
        (name,) = _names(result, [width.cell])
        low, high = ("no limit" if end is None else _number(end) for end in (width.lower, width.upper))
        found.append(f"{name}: {_number(width.required)} required, {low} to {high} possible")
    return found


def decisions_words(result: Suppression) -> list[str]:
    """Decisions by hand: cell, what was decided, by whom, when and why."""
    words = {
        "keep_published": "kept published",
        "accept": "accepted as withheld",
        "accept_ranks": "accepted that contributors know each other",
    }
    return [
        f"{name}: {words[d.kind]} by {d.name}, {d.date}: {d.reason}"
        for (name,), d in ((_names(result, [cell]), d) for cell, d in result.decided.every)
    ]


def _beyond_help(result: Suppression, report: Report) -> list[str]:
    """ "North: second largest of North can place the largest contribution to this cell within [40, 60]"."""
    totals = totals_of(result.problem.release)
    return [f"{cell_name(found.cell, totals)}: {beyond_help_words(found, ASCII)}" for found in report.beyond_help]


def _names(result: Suppression, found: Sequence[int]) -> list[str]:
    release, cells = result.problem.release, result.problem.cells
    return [short_name(release, cells, cell) for cell in found]


def _listed(title: str, entries: Sequence[str], limit: int | None) -> list[str]:
    if not entries:
        return []
    shown = entries if limit is None else entries[:limit]
    more = [f"  ... and {len(entries) - len(shown)} more"] if len(shown) < len(entries) else []
    return [f"{title}:", *(f"  - {entry}" for entry in shown), *more]


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.3f}"
