"""How many values a file may say that it has: what takes memory must stand in some relation to what came."""

from typing import Final

from tableseal.audit.errors import LimitError, Place

FREE: Final = 1_000_000
"""Values up to which the size of a file does not matter."""
MOST_A_BYTE: Final = 20
"""Values for each byte of the file beyond that; files that list all their values have less than one."""


def most_entries(size: int) -> int:
    """Values that a file of so many bytes may say that it has."""
    return FREE + MOST_A_BYTE * size


def check_entries(entries: int, size: int, where: Place | str) -> None:
    """Nothing if a file of so many bytes may have so many values.

    Raises
    ------
    LimitError: it is small, and says that it is large.
    """
    if entries > most_entries(size):
        most = f"more than {most_entries(size):,} are not believed"
        text = f"says that it has {entries:,} values in {size:,} bytes; {most}."
        raise LimitError(text, at=where)
