"""Commands of a job of tau-ARGUS (.arb), each a frozen description with its place."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from tableseal.audit.errors import Place


@dataclass(frozen=True)
class Command:
    """Any of them. at: the keyword."""

    at: Place


@dataclass(frozen=True)
class OpenData(Command):
    """<OPENTABLEDATA> or <OPENMICRODATA>."""

    file: str
    micro: bool


@dataclass(frozen=True)
class OpenMetadata(Command):
    """<OPENMETADATA>."""

    file: str


@dataclass(frozen=True)
class SpecifyTable(Command):
    """<SPECIFYTABLE>. cost: a variable, or -1 (number of contributors), -2 (one), -3 (distance); None: the response.
    power: costs are raised to it (0: their logarithm)."""

    variables: tuple[str, ...]
    response: str
    shadow: str | None = None
    cost: str | None = None
    power: Fraction = Fraction(1)


@dataclass(frozen=True)
class RuleCall:
    """One rule of a <SAFETYRULE>, with its numbers."""

    name: str
    numbers: tuple[Fraction, ...]
    at: Place


@dataclass(frozen=True)
class SafetyRule(Command):
    """<SAFETYRULE>."""

    rules: tuple[RuleCall, ...]


@dataclass(frozen=True)
class ReadTable(Command):
    """<READTABLE>. totals: 0 as given, 1 computed, 2 as given and need not add up. keep: computed ones keep the status
    of the file."""

    totals: int
    keep: bool = False


@dataclass(frozen=True)
class ReadMicrodata(Command):
    """<READMICRODATA>."""


@dataclass(frozen=True)
class Apriori(Command):
    """<APRIORI>. lenient: lines that cannot be used are passed over. trivial: codes with a single code below them (or
    above) change with it."""

    file: str
    table: int
    separator: str
    lenient: bool = True
    trivial: bool = False


@dataclass(frozen=True)
class RecodeTable(Command):
    """<RECODE>: by a file, or to a level."""

    table: int
    variable: str
    by: str | int


@dataclass(frozen=True)
class Suppress(Command):
    """<SUPPRESS>. table: 0 for all as linked. arguments: behind the table, as written. behind: of CKM, what stands
    behind the brackets, between bars (empty: left out)."""

    method: str
    table: int
    arguments: tuple[str, ...]
    behind: tuple[str, ...] = ()


@dataclass(frozen=True)
class WriteTable(Command):
    """<WRITETABLE>. options: two letters -> on or off, as far as said. number: said in place of options, as versions
    before 4 did."""

    table: int
    type: int
    options: Mapping[str, bool]
    file: str
    number: int | None = None


@dataclass(frozen=True)
class WriteText(Command):
    """<LOGBOOK> or <VERSIONINFO>: a file of text."""

    file: str
    what: Literal["logbook", "version"]


@dataclass(frozen=True)
class Clear(Command):
    """<CLEAR>: all tables are forgotten."""


@dataclass(frozen=True)
class PassedOver(Command):
    """A command that means nothing here. why: in words."""

    keyword: str
    why: str


OPTIONS: Final[Mapping[str, str]] = {
    "AS": "add the status",
    "AR": "add the audit's intervals",
    "FL": "variable names on the first line",
    "HI": "numbers of holdings",
    "HL": "levels of the hierarchy",
    "QU": "codes in quotes",
    "SE": "leave out empty cells",
    "SO": "status only",
    "TR": "leave out trivial levels",
    "AO": "add original values",
    "AD": "add differences",
    "AC": "add cell keys",
}
"""Options of <WRITETABLE>."""

NUMBERED: Final[Mapping[int, str]] = {2: "AS", 3: "AS", 4: "HL"}
"""Type of output -> the option that a number above 0 in place of options turns on (versions before 4)."""

RULES: Final[Mapping[str, tuple[int, int]]] = {
    "P": (1, 3),
    "NK": (2, 2),
    "FREQ": (2, 2),
    "ZERO": (1, 1),
    "REQ": (3, 4),
    "WGT": (1, 1),
    "MIS": (1, 1),
    "MAN": (1, 1),
}
"""Rule of <SAFETYRULE> -> fewest and most numbers in its brackets."""

METHODS: Final = ("GH", "MOD", "OPT", "NET", "RND", "CTA", "CKM")
"""Methods of <SUPPRESS>."""
