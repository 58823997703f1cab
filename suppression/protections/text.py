"""A protection that changes values, in words."""

from collections.abc import Iterator

from tableseal.audit.codec.public import public_part
from tableseal.audit.language import phrase
from tableseal.audit.linear.naming import decimal, plural
from tableseal.audit.report.build import NO_RULE
from tableseal.audit.report.call import Call
from tableseal.audit.report.frame import framed
from tableseal.audit.report.model import ReportCell
from tableseal.audit.report.next_step import LONGER
from tableseal.audit.report.public import public_copy
from tableseal.audit.report.wider import WIDER
from tableseal.audit.report.words import applied, cell_name, printable, totals_of, verdict_line
from tableseal.audit.wording import listing
from tableseal.suppression.protections.adjustment.limits import ENOUGH
from tableseal.suppression.protections.protect import Protection
from tableseal.suppression.protections.statement import Statement

_ABOVE = ("not_judged", NO_RULE.code)  # the headline, and the line of rules

NOT_WRITTEN = "was not written: only a release whose audit says safe goes out."


def protection_text(
    found: Protection,
    *,
    limit: int | None = None,
    call: Call | None = None,
    unwritten: tuple[str, ...] = (),
    public: bool = False,
) -> str:
    """What was done, how far values moved, and what the audit says of what is released.

    limit: longest list of cells. call: how it was asked for. unwritten: files that were to be written, and are not.
    public: only what everybody may know.
    """
    statement = public_part(found.statement) if public else found.statement
    report = public_copy(found.report) if public else found.report
    body = list(_done(statement))
    if not public:
        body += [*_figures(found), *_exposed(found, limit), *_notes(found)]
    body += [f"{file} {NOT_WRITTEN}" for file in unwritten]
    # What to do next repeats the command, and with it the seed.
    following = None if public else next_step(found, call or Call(verb=("protect",)))
    return "\n".join(map(printable, framed(verdict_line(report), [applied(report)], following, body))) + "\n"


def next_step(found: Protection, call: Call) -> str | None:
    """What the agency does next; None: nothing."""
    if found.verdict == "unsafe":
        withhold = call.by("suppress")
        more = "a larger base" if "base" in found.statement.settings else "other settings"
        bad = _unprotected(found)
        if not bad or not all(map(_never_zero, bad)):
            return f"this leaves too little open; {more}, or withhold cells: {withhold}"
        name = cell_name(bad[0].cell, totals_of(found.release))
        cells = f"{name} is" if len(bad) == 1 else f"{len(bad):,} cells ({name} first) are"
        base = "take a larger base, " if "base" in found.statement.settings else ""
        return (
            f"readers know that {cells} not 0, and the rule asks that 0 stays possible; {base}{ENOUGH}, or withhold "
            f"cells: {withhold}"
        )
    if found.verdict == "undecided" and any(note.code == "time_limit" for note in found.report.notes):
        return call.words(LONGER)
    wider = any(note.code == WIDER for note in found.report.notes)  # it would not be written; details say what to do
    if wider or call.options("-o", "--output"):
        return None
    return f"write it: {call.again('-o', call.beside('protected'))}"


def _never_zero(cell: ReportCell) -> bool:
    """Whether readers know that it is not 0, and its rule asks that 0 stays possible."""
    asked = cell.verdict == "underprotected" and cell.required is not None and cell.required[0] <= 0
    return asked and cell.lower is not None and cell.lower > 0


def _done(said: Statement) -> Iterator[str]:
    settings = ", ".join(f"{name} {value}" for name, value in said.settings.items())
    settings = settings and f" ({settings})"
    seed = "" if said.seed is None else f"; seed {said.seed}, which stays with the agency"
    yield f"{said.method}{settings}: {said.words}{seed}."
    yield from (f"{one.variable}: {one.code} stands for {listing(one.parts, 12)}." for one in said.combined)
    yield "Published tables add up." if said.additive else "Published totals need not be the sums of published parts."
    yield from (f"{detail}." for detail in said.details)
    if said.confidence is not None:
        yield f"A published small count is the true one with probability {said.confidence:.6g}."
    if said.optimum is not None:
        best = said.optimum
        if best.proved:
            yield f"{best.proved}."
        if best.status == "optimal":
            better = "loses less" if said.combined else "is nearer"
            yield f"Proved: no other choice {better} ({best.what} {best.distortion:,})."
        else:
            yield (
                f"{best.what[0].upper()}{best.what[1:]} {best.distortion:,}; proved: none is below {best.bound:,.6g} "
                f"(gap {100 * best.gap:.3g}%)."
            )


def _figures(found: Protection) -> Iterator[str]:
    for m in found.measures:
        gone = "no longer published" if found.statement.combined else "withheld"
        withheld = f", {m.withheld:,} {gone}" if m.withheld else ""
        small = "" if m.ones_and_twos is None else f"; {100 * m.ones_and_twos:.3g}% of ones and twos"
        yield (
            f"{m.measure}: {m.changed:,} of {plural(m.cells, 'cell')} changed{withheld}{small}; largest change "
            f"{decimal(1, m.largest) if m.largest else 0}, mean absolute change {m.mean:.4g}, mean change {m.bias:.4g}."
        )
    for t in found.tables:
        if t.undefined is not None:
            yield f"{t.table}: no risk and utility ({t.undefined.removesuffix('.')})."
        else:
            yield (
                f"{t.table}: risk R1 {t.risk_before:.4f} before, R2 {t.risk_after:.4f} after; Hellinger distance "
                f"{t.hellinger:.4g}, utility {t.utility:.4f}."
            )


def _notes(found: Protection) -> list[str]:
    """What the reading of the release, the method and the audit remark, without what the lines above say."""
    said = {f"{detail}." for detail in found.statement.details}
    notes = [note for note in found.report.notes if note.code not in _ABOVE and note.text not in said]
    return ["Notes:", *(f"  - {phrase(note.text)}" for note in notes)] if notes else []


def _unprotected(found: Protection) -> list[ReportCell]:
    return [cell for cell in found.report.cells if cell.verdict in ("exposed", "underprotected")]


def _exposed(found: Protection, limit: int | None) -> list[str]:
    if found.verdict == "safe":
        return []  # what else can be computed is not sensitive
    bad = _unprotected(found)
    if not bad:
        return []
    totals = totals_of(found.release)
    shown = bad if limit is None else bad[:limit]
    more = [f"  ... and {len(bad) - len(shown)} more"] if len(shown) < len(bad) else []
    return ["Not protected:", *(f"  - {cell_name(c.cell, totals)}: {c.verdict}" for c in shown), *more]
