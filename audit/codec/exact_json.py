"""JSON with exact numbers: 3.3 in the tables is 3.3 in the file, and 9007199254740993 keeps its last digit.

Writing is deterministic: the order of keys is kept, nothing depends on the machine. Reading gives int for
whole numbers and Fraction for all others, so that nothing is lost on the way back.
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tableseal.audit.errors import InputError


class Written(ABC):
    """Something that writes its own text."""

    @abstractmethod
    def text(self, line: str, step: str) -> str:
        """Its JSON. `line`: what a line of its depth begins with, its line end included; `step`: what a line of the
        next depth has more; empty: all stands on one line."""


Json = None | bool | str | int | float | Fraction | Decimal | Sequence["Json"] | Mapping[str, "Json"] | Written
"""What can be written."""

DIGITS = 12
"""Significant digits of measures: the last ones of a float depend on the processor's logarithm."""

LARGEST_EXPONENT = 400
"""Numbers read may have at most this decimal exponent: 1e999999999 would fill the memory when made exact."""


def decimal_text(value: Fraction) -> str | None:
    """A fraction as a plain decimal literal without exponent; None if its decimal expansion never ends.

    >>> decimal_text(Fraction(33, 10)), decimal_text(Fraction(406)), decimal_text(Fraction(1, 3))
    ('3.3', '406', None)
    """
    rest = value.denominator
    if rest == 1:
        return str(value.numerator)
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def number_text(value: int | float | Fraction | Decimal) -> str:
    """A number as JSON: exact where a finite decimal exists, else (1/3, and floats) the shortest float for
    it.

    Raises
    ------
    ValueError: not a number, or infinite; JSON has no such thing.
    """
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError(f"{value} cannot be written as JSON")
    return _fraction_text(value if isinstance(value, Fraction) else Fraction(value))


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")
    return repr(value + 0.0)  # + 0.0 turns -0.0 into 0.0


def _fraction_text(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    exact = decimal_text(value)
    if exact is not None:
        return exact
    try:
        return repr(float(value))
    except OverflowError:
        return str(round(value))


def significant(value: float) -> float:
    """A measured number with the digits that every machine agrees on."""
    return float(f"{value:.{DIGITS}g}")


def dumps(value: Json, *, indent: int | None = None) -> str:
    """`value` as JSON text; with `indent`, one entry a line."""
    return _text(value, "\n", "" if indent is None else " " * indent)


def _text(value: Any, line: str, step: str) -> str:
    """`line`: what a line of this depth begins with, its line end included."""
    plain = _WRITERS[type(value)]
    if plain is not None:
        return plain(value)
    if isinstance(value, Written):
        return value.text(line, step)
    named = _NAMED[type(value)]
    deeper = line + step if step else ""
    texts = tuple(
        [
            plain(entry) if (plain := _WRITERS[type(entry)]) is not None else _text(entry, deeper, step)
            for entry in (value.values() if named else value)
        ]
    )
    if named:
        return _object(tuple(value), line, step) % texts
    return _pair(line, step) % texts if len(texts) == 2 else _bracketed("[]", texts, line, step)


def array(entries: Sequence[str], line: str, step: str) -> str:
    """An array of what is written already; see `Written` for `line` and `step`."""
    return _bracketed("[]", entries, line, step)


def object_of(entries: Sequence[str], line: str, step: str) -> str:
    """An object of what `entry` has written."""
    return _bracketed("{}", entries, line, step)


def entry(key: str, value: Json, line: str, step: str) -> str:
    """A key with its value, for an object whose entries stand at this depth."""
    return f"{_string(key)}: {_text(value, line, step)}"


def _bracketed(brackets: str, texts: Collection[str], line: str, step: str) -> str:
    if not texts:
        return brackets
    first, between, last = (line + step, "," + line + step, line) if step else ("", ", ", "")
    return f"{brackets[0]}{first}{between.join(texts)}{last}{brackets[1]}"


@lru_cache(maxsize=2**10)
def _pair(line: str, step: str) -> str:
    """An array with a place (`%s`) for each of two entries: intervals are the most common arrays of a report."""
    return _bracketed("[]", ["%s", "%s"], line, step)


@lru_cache(maxsize=2**10)  # objects of the same kind have the same keys
def _object(keys: tuple[str, ...], line: str, step: str) -> str:
    """An object with a place (`%s`) for each of its values."""
    return _bracketed("{}", [_string(key).replace("%", "%%") + ": %s" for key in keys], line, step)


@lru_cache(maxsize=2**16)  # keys and codes come again and again
def _string(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8 form: such a string is written in escapes.
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)


_Writer = Callable[[Any], str]


class _Writers(dict[type, _Writer | None]):
    """How entries of a type are written; None where they have parts. Looked for once for each type."""

    def __missing__(self, kind: type) -> _Writer | None:
        found = next((write for known, write in list(self.items()) if write and issubclass(kind, known)), None)
        self[kind] = found
        return found


_WRITERS = _Writers(
    {
        bool: lambda value: "true" if value else "false",
        int: str,
        float: _float_text,
        Fraction: _fraction_text,
        Decimal: number_text,
        str: _string,
        type(None): lambda value: "null",
    }
)


class _Named(dict[type, bool]):
    """Whether what has parts is an object or an array. Looked for once for each type."""

    def __missing__(self, kind: type) -> bool:
        if not issubclass(kind, Mapping | Sequence):
            raise TypeError(f"{kind.__name__} cannot be written as JSON")
        self[kind] = found = issubclass(kind, Mapping)
        return found


_NAMED = _Named()


def loads(text: str, *, what: str = "The text") -> Json:
    """Read JSON exactly.

    Raises
    ------
    InputError: not JSON, or a number beyond what is sensible; `what` is the subject of the sentence.
    """
    try:
        read: Json = json.loads(text, parse_float=_exact, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"{what} is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except RecursionError:
        raise InputError(f"{what} is not valid JSON: it is nested too deeply.") from None
    except ValueError as error:
        raise InputError(f"{what} cannot be read: {error}.") from None
    return read


def _exact(text: str) -> Fraction:
    value = Decimal(text)
    if abs(value.adjusted()) > LARGEST_EXPONENT:
        raise ValueError(f"the number {text[:40]} is out of range")
    return Fraction(value)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON knows")
