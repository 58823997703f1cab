"""Keys of records, and of cells.

A cell's key is the sum of its records' keys modulo a number, so it depends on who is in the cell and on nothing else:
not on the table, the order of rows, the process or the day. Keys in [0, 1) are whole numbers of their last decimal,
with a modulus that is a power of ten: sums of floats would depend on the order of rows.

Source: Fraser & Wooton 2006 (cell keys); whole keys with a modulus: ONS; fractional parts of sums:
cellKey and tau-ARGUS.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.numbers import decimal
from tableseal.audit.model import MISSING_KEYS, Note
from tableseal.audit.wording import quoted

LARGEST_MODULUS = 10**12
"""Leaves room in 64 bits for sums over nine million records."""


@dataclass(frozen=True, repr=False)
class RecordKeys:
    """The key of each record (agency knowledge).

    Attributes
    ----------
    units: int64 (records), 0 to modulus - 1; 0 where not known.
    known: bool (records).
    modulus: keys are added up modulo this.
    """

    units: NDArray[np.int64]
    known: NDArray[np.bool_]
    modulus: int

    def __len__(self) -> int:
        return len(self.units)


def keys_from_column(entries: Sequence[str | None], modulus: int | None, where: Place | None = None) -> RecordKeys:
    """Keys that the records have already.

    entries: whole numbers from 0 to modulus - 1, or without a modulus decimals from 0 to below 1; None or "": missing.

    Raises
    ------
    InputError: a key that is none of these (its row, not its value), a modulus that is none or goes with other keys.
    """
    known = np.array([bool(entry and entry.strip()) for entry in entries], np.bool_)
    found = [None if not ok else _number(entry or "") for entry, ok in zip(entries, known.tolist(), strict=True)]
    if modulus is not None and any(number is not None and 0 < number < 1 for number in found):
        text = "keys are decimals from 0 to below 1, as those made of identifiers are; leave it out."
        raise InputError(text, at=OptionName("modulus", str(modulus)))
    digits = 0
    if modulus is None:
        decimals = [number is not None and 0 <= number < 1 for number in found]
        numbers = [number for number in found if number is not None]
        whole = bool(numbers) and all(number.denominator == 1 for number in numbers)
        hint = ("; of whole numbers say ", OptionName("modulus")) if whole else ()
        _refuse_entries(known & ~np.array(decimals, np.bool_), where, "a decimal from 0 to below 1", *hint)
        for entry in entries:
            text = (entry or "").strip()
            digits = max(digits, len(text.partition(".")[2]) if "e" not in text.lower() else 12)
        if 10**digits > LARGEST_MODULUS:
            raise InputError("keys of more than 12 decimals; round them.", at=where)
    size = 10 ** max(digits, 1) if modulus is None else modulus
    _refuse_modulus(size)
    scale = size if modulus is None else 1
    scaled = [None if number is None else number * scale for number in found]
    fits = [unit is not None and unit.denominator == 1 and 0 <= unit < size for unit in scaled]
    _refuse_entries(known & ~np.array(fits, np.bool_), where, f"a whole number from 0 to {size - 1}")
    return RecordKeys(np.array([int(unit or 0) for unit in scaled], np.int64), known, size)


def _refuse_entries(wrong: NDArray[np.bool_], where: Place | None, expected: str, *hint: str | OptionName) -> None:
    """Name the first row that is no key, without what stands there, and count them."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        at = replace(where or Place("keys"), row=int(rows[0]) + 1)
        more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
        raise InputError(f"is no key{more}; expected {expected}", *hint, ".", at=at, expected=expected)


def _number(text: str) -> Fraction | None:
    try:
        return decimal(text.strip())
    except ValueError:
        return None


def _refuse_modulus(modulus: int) -> None:
    if not 2 <= modulus <= LARGEST_MODULUS:
        text = f"a whole number from 2 to {LARGEST_MODULUS}"
        raise InputError(at=OptionName("modulus"), found=quoted(str(modulus)), expected=text)


ENOUGH_KEYS, ENOUGH_VALUES = 20, 10
"""Of fewer keys, or smaller moduli, chance may make most of them the same."""


def key_notes(keys: RecordKeys, where: Place | None = None, *, missing_keys: bool = False) -> tuple[Note, ...]:
    """A note of how many records have no key; these count in cells all the same, but not in cell keys.

    missing_keys: it is said that some have none.

    Raises
    ------
    InputError: some have none and nobody said so, more than half have none, or more than half the same: most cells
        would change alike.
    """
    alike = int(np.unique(keys.units[keys.known], return_counts=True)[1].max(initial=0))
    given = int(keys.known.sum())
    if given >= ENOUGH_KEYS and keys.modulus >= ENOUGH_VALUES and 2 * alike > given:
        text = (
            f"{alike} of {given} records have the same key; keys are drawn at random, so that cells change differently."
        )
        raise InputError(text, at=where)
    missing = int((~keys.known).sum())
    if 2 * missing > len(keys):
        raise InputError(f"{missing} of {len(keys)} records have no key; more than half is too many.", at=where)
    if missing and not missing_keys:
        at = replace(where or Place("keys"), row=int(np.argmin(keys.known)) + 1)
        text = f"has no key ({missing} of {len(keys)} records have none); if that is as it should be, say "
        more = ": they are counted, and change no cell key."
        raise InputError(text, OptionName("missing_keys"), more, at=at, expected="a key")
    text = f"{missing} of {len(keys)} records have no key. They are counted, and change no cell key"
    return (Note(MISSING_KEYS, text, missing),) if missing else ()


def cell_keys(keys: RecordKeys, members: csr_array) -> NDArray[np.int64]:
    """The key of each cell: the sum of its records' keys modulo the modulus.

    members: int64 (cells x records), 1 where a record is in a cell.

    Raises
    ------
    InputError: so many records that sums leave 64 bits.
    """
    if len(keys) * keys.modulus >= 2**63:
        text = f"keys up to {keys.modulus} of {len(keys)} records add up to more than 64 bits hold; use a smaller one."
        raise InputError(text, at=OptionName("modulus"))
    added: NDArray[np.int64] = members @ keys.units
    return added % keys.modulus


def rotated(key: NDArray[np.int64], modulus: int, times: int) -> NDArray[np.int64]:
    """Keys with digits moved from the front to the end: decimal ones if the modulus is a power of ten, else bits of a
    power of two. Further keys of a cell, uniform if the first are.

    Raises
    ------
    InputError: a modulus that is neither.
    """
    base = next((b for b in (10, 2) if _is_power(modulus, b)), None)
    if base is None:
        raise InputError(f"modulus {modulus}: expected a power of 10 or of 2, so that keys have digits to be moved.")
    for _ in range(times):
        first, rest = np.divmod(key, modulus // base)
        key = rest * base + first
    return key


def _is_power(number: int, base: int) -> bool:
    while number % base == 0:
        number //= base
    return number == 1
