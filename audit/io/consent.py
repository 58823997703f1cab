"""Agreements to publication, and the day of publication."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document import ConsentDocument
from tableseal.audit.io.tables import Setting, cell_positions, choose_measure
from tableseal.audit.model import Consent, Table
from tableseal.audit.wording import quoted

_SAY = {
    "consent": "say why the cell may be published",
    "accept": "say why its contributors may know each other",
}


def read_consents(
    documents: Sequence[ConsentDocument], setting: Setting, tables: Sequence[Table], top: Place, key: str = "consent"
) -> tuple[Consent, ...]:
    """The agreements that a release states under a key: `consent` or `accept`.

    Raises
    ------
    InputError: an unknown variable, code or measure, no reason, nobody who agreed, a date that is none, a cell that no
        table has or that two entries name.
    """
    found: dict[tuple[str, tuple[int, ...]], Consent] = {}
    for at, entry in enumerate(documents):
        where = top / key / at
        for name, text in (("reason", entry.reason), ("by", entry.by)):
            if not text.strip():
                raise InputError(f"is empty; {_SAY[key]}, and who agreed.", at=where / name)
        measure = choose_measure(entry.measure, setting.measures, where).name
        codes = cell_positions(entry.cell, setting.variables, where / "cell")
        if not any(_has(table, measure, codes) for table in tables):
            raise InputError("no table of the release has this cell.", at=where / "cell")
        if (measure, codes) in found:
            raise InputError("another entry names this cell already.", at=where / "cell")
        until = None if entry.until is None else read_day(entry.until, where / "until")
        found[measure, codes] = Consent(measure, codes, entry.reason, entry.by, until)
    return tuple(found.values())


def read_day(text: str, where: Place) -> date:
    """A day written as 2026-11-28.

    Raises
    ------
    InputError: it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(found=quoted(text), expected="a date such as 2026-11-28", at=where) from None


def _has(table: Table, measure: str, codes: tuple[int, ...]) -> bool:
    """The table lists the cell, or may compute it."""
    if table.measure != measure:
        return False
    return table.absent.totals == "compute" or bool((table.codes == np.array(codes)).all(axis=1).any())
