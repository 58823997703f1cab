"""Status of a cell, and the status letters of other tools."""

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

_P, _S, _W, _U, _Z = (
    Status.PUBLISHED,
    Status.SECONDARY,
    Status.WITHHELD,
    Status.PRIMARY,
    Status.STRUCTURAL_ZERO,
)

SCHEMES: Mapping[str, Mapping[str, Status]] = {
    "words": WORDS,
    # tau-ARGUS: <SAFE> S, <UNSAFE> U, <PROTECT> P; M is written for secondary suppressions; numbers 1-14 (CellStatus).
    "tau-argus": {"": _P, "S": _P, "P": Status.MUST_PUBLISH, "U": _U, "M": _S, "X": _S, "Z": _Z}
    # E: empty, the published zero of a cell without contributors; it is not sensitive.
    | {"E": _P}
    | {"1": _P, "2": _P, "3": _U, "4": _U, "5": _U, "6": _U, "7": _U, "8": _U, "9": _U}
    | {"10": Status.MUST_PUBLISH, "11": _S, "12": _S, "13": _Z, "14": _Z},
    # SBS output of tau-ARGUS: A frequency, B and C dominance, D secondary, V safe.
    "sbs": {"": _P, "V": _P, "A": _U, "B": _U, "C": _U, "D": _S},
    "sdctable": {"": _P, "s": _P, "z": Status.MUST_PUBLISH, "u": _U, "x": _S, "w": Status.MISSING},
    # gconfid: Status S sensitive / V valid; OutStatus P primary / X secondary.
    "gconfid": {"": _P, "V": _P, "S": _U, "P": _U, "X": _S},
    # CL_CONF_STATUS
    "sdmx-conf": {"": _P, "F": _P, "A": _U, "G": _U, "M": _U, "O": _U, "T": _U, "X": _U, "D": _S, "S": _S}
    | {"C": _W, "N": _W, "E": _W},
    # CL_OBS_STATUS: only M (cannot exist), Q (suppressed), L and O (not there) say something about disclosure.
    "sdmx-obs": {"": _P}
    | dict.fromkeys(("A", "B", "D", "E", "F", "I", "P", "S", "U", "V", "N", "W"), _P)
    | {"M": _Z, "Q": _W, "L": Status.MISSING, "O": Status.MISSING, "K": Status.MISSING},
}
"""Scheme name -> letter as written in files -> status. Sources: the tools' manuals and code lists."""
