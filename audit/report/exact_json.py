"""JSON with exact numbers: 3.3 in the tables is 3.3 in the file, and 9007199254740993 keeps its last digit.

Writing is deterministic: the order of keys is kept, nothing depends on the machine. Reading gives int for
whole numbers and Fraction for all others, so that nothing is lost on the way back.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from typing import Any

from audit.errors import InputError

Json = None | bool | str | int | float | Fraction | Decimal | Sequence["Json"] | Mapping[str, "Json"]
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
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")
    if isinstance(value, float):
        return repr(value + 0.0)  # + 0.0 turns -0.0 into 0.0
    return _fraction_text(value if isinstance(value, Fraction) else Fraction(value))


def _fraction_text(value: Fraction) -> str:
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
    parts: list[str] = []
    _write(value, parts, "\n", "" if indent is None else " " * indent)
    return "".join(parts)


def _write(value: Json, parts: list[str], line: str, step: str) -> None:
    plain = _PLAIN.get(type(value))  # nearly all that is written, and quicker than asking what it is an instance of
    if plain is not None:
        parts.append(plain(value))
    elif type(value) is dict:
        _write_all(_keys(tuple(value)), list(value.values()), "{}", parts, line, step)
    elif type(value) is list or type(value) is tuple:
        _write_all(repeat(""), value, "[]", parts, line, step)
    elif isinstance(value, str):
        parts.append(_string(value))
    elif isinstance(value, int | float | Fraction | Decimal):
        parts.append(number_text(value))
    elif isinstance(value, Mapping):
        _write_all(_keys(tuple(value)), list(value.values()), "{}", parts, line, step)
    elif isinstance(value, Sequence):
        _write_all(repeat(""), value, "[]", parts, line, step)
    else:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _write_all(
    keys: Iterable[str], entries: Sequence[Json], brackets: str, parts: list[str], line: str, step: str
) -> None:
    deeper = line + step if step else ""
    between = "," + deeper if step else ", "
    start = brackets[0] + deeper
    for key, entry in zip(keys, entries, strict=False):
        plain = _PLAIN.get(type(entry))
        if plain is not None:
            parts.append(start + key + plain(entry))
        else:
            parts.append(start + key)
            _write(entry, parts, deeper, step)
        start = between
    parts.append((line if step else "") + brackets[1] if entries else brackets)


@lru_cache(maxsize=2**10)  # objects of the same kind have the same keys
def _keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_string(key) + ": " for key in keys)


@lru_cache(maxsize=2**16)  # keys and codes come again and again
def _string(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8 form: such a string is written in escapes.
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)


_PLAIN: dict[type, Callable[[Any], str]] = {
    str: _string,
    int: str,
    float: number_text,
    Fraction: _fraction_text,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
}
"""How what has no parts is written."""


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
