"""Cells that are published by agreement of their contributors."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.keys import Keys, Lookup, named_keys
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import CONSENT_UNCHECKED, Consent, Note, Release


def consented(release: Release, keys: Keys, by_status: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], list[Note]]:
    """Cells whose contributors agree to publication (bool, cells), and what the report says of them.

    An agreement that has ended before the release's `date` counts for nothing. There is no other clock: the same
    release is judged in the same way on any day.

    Parameters
    ----------
    keys: of the cells. by_status: bool (cells), a table says `consent`.
    """
    found, notes = by_status.copy(), []
    stated = np.zeros(len(found), np.bool_)
    at = Lookup.of(keys).find(named_keys(release, release.consents))
    for consent, cell in zip(release.consents, at.tolist(), strict=True):
        if cell < 0:
            continue
        stated[cell] = True
        ended = release.day is not None and consent.until is not None and consent.until < release.day
        found[cell] = not ended
        notes.append(_note(release, consent, ended=ended))
    silent = int((by_status & ~stated).sum())
    if silent:
        text = (
            f"{plural(silent, 'cell is', 'cells are')} published by consent, and the release does not say why and by "
            "whom; list them under `consent` with reason and by"
        )
        notes.append(Note("consent_unexplained", text, silent))
    return found, notes


def _note(release: Release, consent: Consent, *, ended: bool) -> Note:
    cell = ", ".join(f"{v}={c}" for v, c in release.cell_codes(consent.codes).items())
    measure = f" of {consent.measure}" if len(release.measures) > 1 else ""
    why = f"{consent.reason} (by {consent.by}"
    if ended:
        text = f"cell {cell}{measure}: the consent to publish it ended on {consent.until}, before {release.day}"
        return Note("consent_ended", f"{text}; it is judged like any other cell: {why})")
    until, code = "", "consent"
    if consent.until is not None:
        until = f", until {consent.until}"
        if release.day is None:
            until, code = f"{until}, not checked: the release gives no date", CONSENT_UNCHECKED
    return Note(code, f"cell {cell}{measure} is published by consent, judged by no rule: {why}{until})")
