"""Status of a cell."""

from collections.abc import Mapping
from enum import IntEnum


class Status(IntEnum):
    """What is (to be) published of a cell. Ordered: of two statuses of one row the larger wins (most restrictive)."""

    PUBLISHED = 0
    """The value is released."""
    CONSENT = 1
    """Released by agreement of its contributors: judged by no rule."""
    MUST_PUBLISH = 2
    """Released, and the search may not withhold it."""
    FROZEN = 3
    """Released earlier: it is out and can no longer be withheld."""
    STRUCTURAL_ZERO = 4
    """A zero that everyone knows."""
    MISSING = 5
    """Not released and not sensitive: listed in the report, not judged."""
    SECONDARY = 6
    """Withheld to protect another cell."""
    WITHHELD = 7
    """Withheld, no reason given: treated as sensitive."""
    PRIMARY = 8
    """Withheld because it is sensitive by itself."""

    @property
    def word(self) -> str:
        """The word used in release files and reports."""
        return self.name.lower()

    @property
    def released(self) -> bool:
        """True if the value itself is released."""
        return self <= Status.FROZEN

    @property
    def withheld(self) -> bool:
        """True for primary, secondary and withheld."""
        return self >= Status.SECONDARY


WORDS: Mapping[str, Status] = {"": Status.PUBLISHED} | {status.word: status for status in Status}
