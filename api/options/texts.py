"""Values of options that are written as text, taken apart in one way for all of them."""

from collections.abc import Iterable

from tableseal.audit.errors import InputError, OptionName


def numbers(text: str, option: str) -> tuple[float, ...]:
    """`0.1,0.8,0.1`.

    Raises
    ------
    InputError: names the option.
    """
    try:
        return tuple(float(entry) for entry in text.split(","))
    except ValueError:
        expected = 'numbers separated by commas, such as "0.1,0.8,0.1"'
        raise InputError(expected=expected, at=OptionName(option, text)) from None


def names(text: str) -> tuple[str, ...]:
    """`a, b,c`: each once, in order, without blanks around them."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",")))


def pairs(texts: Iterable[str], option: str, expected: str, sign: str = "=") -> list[tuple[str, str]]:
    """`NAME=VALUE` of each text, parted at the first sign.

    Raises
    ------
    InputError: a text without the sign; names the option and what was expected.
    """
    found = []
    for text in texts:
        name, parted, value = text.partition(sign)
        if not parted:
            raise InputError(expected=expected, at=OptionName(option, text))
        found.append((name, value))
    return found
