"""Files of transition probabilities: a matrix and, where the first line says so, the multipliers of its method."""

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.matrix import read_numbers
from tableseal.audit.measures.risk.transition import GivenMatrix

MULTIPLIERS = "multipliers"
"""Word that the first line begins with: `multipliers,0.75,0.9`, of small and of large counts."""


def read_transition(text: str, source: str) -> GivenMatrix:
    """The matrix with what is said of its multipliers.

    Raises
    ------
    InputError: rows of different lengths, an entry that is no number, multipliers that are not two from 0 to 1.
    """
    first, _, rest = text.partition("\n")
    word, *said = (part.strip() for part in first.split(","))
    if word.lower() != MULTIPLIERS:
        return GivenMatrix(read_numbers(text, source))
    try:
        found = tuple(float(part) for part in said)
    except ValueError:
        found = ()
    if len(found) != 2 or not all(0 <= factor <= 1 for factor in found):
        expected = f"{MULTIPLIERS},SMALL,LARGE with two numbers from 0 to 1, such as {MULTIPLIERS},0.75,0.9"
        raise InputError(expected=expected, at=Place(source, line=1))
    return GivenMatrix(read_numbers("\n" + rest, source), found)
