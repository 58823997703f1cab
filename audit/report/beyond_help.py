"""Cells whose contributors know each other whatever is withheld, and what is accepted of them."""

from collections.abc import Mapping, Sequence

from tableseal.audit.attackers.answer import Finding
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.keys import KeySpace, Lookup, named_keys
from tableseal.audit.model import ACCEPT_UNCHECKED, Consent, Note, Release
from tableseal.audit.report.described import Decimals, DescribedCell
from tableseal.audit.report.model import Accepted, BeyondHelp, InsiderFinding


def in_force(release: Release, cells: Cells) -> Mapping[int, Consent]:
    """Cell -> why it is accepted that its contributors know each other; not what ended before the release's date."""
    held = [a for a in release.accepted if not _ended(release, a)]
    keys = KeySpace.of(release).keys(cells.measure, cells.codes)
    found = Lookup.of(keys).find(named_keys(release, held))
    return {cell: a for cell, a in zip(found.tolist(), held, strict=True) if cell >= 0}


def beyond_help(
    cell: DescribedCell, measure: str, insiders: Sequence[Finding], decimals: Decimals, accepted: Consent | None
) -> BeyondHelp:
    """What the report says of such a cell."""
    until = None if accepted is None or accepted.until is None else accepted.until.isoformat()
    return BeyondHelp(
        cell.tables[0],
        measure,
        cell.codes,
        tuple(finding(insider, decimals) for insider in insiders),
        None if accepted is None else Accepted(accepted.reason, accepted.by, until),
    )


def finding(found: Finding, decimals: Decimals) -> InsiderFinding:
    """What an insider finds out, in decimals of the measure."""
    return InsiderFinding(found.who, found.whose, (decimals.of(found.lower), decimals.of(found.upper)))


def notes_on_accepted(release: Release, found: Sequence[BeyondHelp]) -> tuple[Note, ...]:
    """What is accepted and counts for nothing: it has ended, or there is nothing to accept."""
    there = {(b.measure, b.cell) for b in found}
    notes = []
    for accepted in release.accepted:
        codes = release.cell_codes(accepted.codes)
        name = ", ".join(f"{v}={c}" for v, c in codes.items())
        name += f" of {accepted.measure}" if len(release.measures) > 1 else ""
        what = f"cell {name}: that its contributors know each other is accepted by {accepted.by}"
        if _ended(release, accepted):
            notes.append(Note("accept_ended", f"{what}, but only until {accepted.until}, before {release.day}"))
        elif (accepted.measure, tuple(codes.items())) not in there:
            notes.append(Note("accept_needless", f"{what}, but their ranks do not say it: there is nothing to accept"))
        elif accepted.until is not None and release.day is None:
            text = f"{what} until {accepted.until}, which was not checked: the release gives no date"
            notes.append(Note(ACCEPT_UNCHECKED, text))
    return tuple(notes)


def _ended(release: Release, accepted: Consent) -> bool:
    return release.day is not None and accepted.until is not None and accepted.until < release.day
