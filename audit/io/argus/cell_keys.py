"""What an .rda file says of the cell key method: of the record key, and of each variable with magnitudes.

Source: `Metadata.java` of tau-ARGUS 4.2 (`<CKM>` N, M, D, V or T(k); `<SCALING>` N(s, e2, ...) or
F(s0, s1, x, q, e2, ...)).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.words import Word
from tableseal.audit.io.numbers import decimal

By = Literal["top", "mean", "range", "sum"]

_BY: Final[dict[str, By]] = {"T": "top", "M": "mean", "D": "range", "V": "sum"}
_CALL: Final = re.compile(r"([A-Z])(?:\((.*)\))?")
KEYWORDS: Final = (
    "<CKM>", "<INCLUDEZEROS>", "<PARITY>", "<SEPARATION>", "<SCALING>", "<PFILE>", "<PFILE_FREQ>", "<PFILE_CONT>",
    "<PFILE_SEP>",
)  # fmt: skip
_MOST_TOP: Final = 10


@dataclass(frozen=True)
class CellKeyWords:
    """Of a variable.

    by: what scales its changes (None: they are not to be changed); top: of how many contributions. zeros: records that
    contribute nothing have a part in cell keys. parity: even and odd numbers of contributors have rows of their own.
    separation: small contributions have a table of their own. scaling: the numbers of `<SCALING>`; flex: its kind is F.
    counts, values, small: files of perturbation tables, of the record key.
    """

    by: By | None = None
    top: int = 1
    zeros: bool = False
    parity: bool = False
    separation: bool = False
    scaling: tuple[Fraction, ...] = ()
    flex: bool = False
    counts: Word | None = None
    values: Word | None = None
    small: Word | None = None


NOTHING_SAID: Final = CellKeyWords()


def with_word(found: CellKeyWords, keyword: Word, rest: Sequence[Word]) -> CellKeyWords:
    """The same with what one keyword says.

    Raises
    ------
    InputError: nothing behind the keyword, or what it does not know.
    """
    if not rest:
        raise InputError(f"nothing stands behind {keyword.text}.", at=keyword.at)
    said = "".join(word.text for word in rest).replace(" ", "")
    match keyword.text:
        case "<CKM>":
            return _kind(found, rest[0], said)
        case "<SCALING>":
            return _scaling(found, rest[0], said)
        case "<INCLUDEZEROS>":
            return replace(found, zeros=_yes(rest[0]))
        case "<PARITY>":
            return replace(found, parity=_yes(rest[0]))
        case "<SEPARATION>":
            return replace(found, separation=_yes(rest[0]))
        case "<PFILE_CONT>":
            return replace(found, values=rest[0])
        case "<PFILE_SEP>":
            return replace(found, small=rest[0])
    return replace(found, counts=rest[0])


def _kind(found: CellKeyWords, word: Word, said: str) -> CellKeyWords:
    call = _CALL.fullmatch(said.upper())
    name, inside = call.groups() if call else ("", None)
    expected = f"N, M, D, V or T(k) with k from 1 to {_MOST_TOP}"
    if name == "T" and inside is not None and inside.isascii() and inside.isdigit() and 1 <= int(inside) <= _MOST_TOP:
        return replace(found, by="top", top=int(inside))
    if inside is not None or name not in ("N", "M", "D", "V"):
        raise InputError(found=word.shown, expected=expected, at=word.at)
    return replace(found, by=_BY.get(name), top=1)


def _scaling(found: CellKeyWords, word: Word, said: str) -> CellKeyWords:
    call = _CALL.fullmatch(said.upper())
    name, inside = call.groups() if call else ("", None)
    expected = "N(share, weights...) or F(large, small, point, power, weights...)"
    try:
        numbers = tuple(decimal(text) for text in (inside or "").split(","))
    except ValueError:
        numbers = ()
    least = {"N": 1, "F": 4}.get(name, 0)
    if not least or len(numbers) < least:
        raise InputError(found=word.shown, expected=expected, at=word.at)
    return replace(found, scaling=numbers, flex=name == "F")


def _yes(word: Word) -> bool:
    said = word.text.strip().upper()
    if said not in ("Y", "N"):
        raise InputError(found=word.shown, expected="Y or N", at=word.at)
    return said == "Y"
