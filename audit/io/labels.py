"""Columns of codes of a bare data file that say the same as another one: codes and their names."""

from collections.abc import Mapping, Sequence

from tableseal.audit.io.columns import Columns
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.totals import NAMES
from tableseal.audit.model import Note
from tableseal.audit.wording import quoted


def without_labels(columns: Columns, names: Sequence[str], hints: Hints, notes: list[Note]) -> list[str]:
    """The classifications but for those whose codes stand one to one for those of another one; each is noted.

    Kept is the one that hints speak of, else one with a code that is called a total, else the first. Where combinations
    without a row are no zeros it would matter which are kept, and all are.

    Parameters
    ----------
    names: of the classifications.
    """
    absent = hints.table.get("absent")
    if len(names) < 2 or (isinstance(absent, Mapping) and absent.get("leaves") == "not_released"):
        return list(names)
    kept: list[str] = []
    for name in names:
        same = next((other for other in kept if _same(columns, name, other)), None)
        if same is None:
            kept.append(name)
            continue
        first, second = sorted((same, name), key=lambda each: _rank(columns, each, hints), reverse=True)
        kept[kept.index(same)] = first
        text = f"{columns.source}: {quoted(second)} says the same as {quoted(first)}, code for code, and is left out."
        notes.append(Note("assumed_label", text))
    return [name for name in names if name in kept]


def _same(columns: Columns, one: str, other: str) -> bool:
    """Whether two columns of three codes or more tell the same rows apart."""
    a, b = columns.data[one], columns.data[other]
    if not 3 <= len(a.texts) == len(b.texts):
        return False
    return len(set(zip(a.number.tolist(), b.number.tolist(), strict=True))) == len(a.texts)


def _rank(columns: Columns, name: str, hints: Hints) -> tuple[bool, bool]:
    """How much speaks for a column: what is said of it, and a code that is called a total."""
    codes = [(code or "").strip() for code in columns.data[name].texts]
    said = name in hints.trees or (name in hints.totals if isinstance(hints.totals, Mapping) else hints.totals in codes)
    return bool(hints.totals is not None or hints.trees) and said, any(code.casefold() in NAMES for code in codes)
