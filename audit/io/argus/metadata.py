"""Metadata of tau-ARGUS (.rda): what the columns of a data file hold. A text file, not one of R.

Source: manual of tau-ARGUS 4.1, pp. 110-116; keywords as its own reader knows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import cell_keys
from tableseal.audit.io.argus.cell_keys import NOTHING_SAID, CellKeyWords
from tableseal.audit.io.argus.words import Word, lines_of, unknown_keyword, whole_number, words
from tableseal.audit.wording import quoted

Role = Literal[
    "none", "code", "response", "shadow", "cost", "lower", "upper", "frequency", "top", "status", "weight", "holding",
    "request", "record key",
]  # fmt: skip
"""What a column holds."""

_ROLES: Final[Mapping[str, Role]] = {
    "<RECODEABLE>": "code",
    "<RECODABLE>": "code",
    "<NUMERIC>": "response",
    "<SHADOW>": "shadow",
    "<COST>": "cost",
    "<COSTVAR>": "cost",
    "<LOWERPL>": "lower",
    "<UPPERPL>": "upper",
    "<FREQUENCY>": "frequency",
    "<MAXSCORE>": "top",
    "<STATUS>": "status",
    "<WEIGHT>": "weight",
    "<HOLDING>": "holding",
    "<REQUEST>": "request",
    "<RECORDKEY>": "record key",
}
_TABULAR: Final = frozenset(("shadow", "cost", "lower", "upper", "frequency", "top", "status"))
"""Roles that only columns of tables have."""

_HEADER: Final = ("<SEPARATOR>", "<SAFE>", "<UNSAFE>", "<PROTECT>", "<SPSS>")
_DETAILS: Final = (
    "<TOTCODE>", "<DECIMALS>", "<CODELIST>", "<HIERARCHICAL>", "<HIERLEVELS>", "<HIERCODELIST>", "<HIERLEADSTRING>",
    "<DISTANCE>", "<TRUNCABLE>",
)  # fmt: skip
KEYWORDS: Final = (*_HEADER, *_ROLES, *_DETAILS, *cell_keys.KEYWORDS)


@dataclass(frozen=True)
class Variable:
    """One column of the data file.

    start, width: of fixed columns, from 1 (free ones: only the width of microdata). missing: codes of a missing entry.
    total: code of the total. levels: digits of each level of a hierarchy, hierarchy: its file, leading: string before
    its codes. requests: codes of those who ask for protection. cell_keys: what is said of the cell key method.
    """

    name: str
    at: Place
    start: int | None = None
    width: int | None = None
    missing: tuple[str, ...] = ()
    role: Role = "none"
    total: str = "Total"
    decimals: int | None = None
    code_list: str | None = None
    levels: tuple[int, ...] = ()
    hierarchy: str | None = None
    leading: str = "@"
    distance: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    cell_keys: CellKeyWords = NOTHING_SAID


@dataclass(frozen=True)
class Metadata:
    """All that an .rda file says. separator: None where columns are fixed. safe, unsafe, protect: status letters."""

    source: str
    variables: tuple[Variable, ...]
    separator: str | None = None
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"

    def of_role(self, role: Role) -> tuple[int, ...]:
        """Positions of the columns that hold this."""
        return tuple(at for at, variable in enumerate(self.variables) if variable.role == role)

    def position(self, name: str) -> int | None:
        """Of the variable with that name, in any letter case; None: there is none."""
        wanted = name.strip().casefold()
        return next((at for at, v in enumerate(self.variables) if v.name.casefold() == wanted), None)

    @property
    def of_a_table(self) -> bool:
        """Whether a column has a role that only columns of tables have."""
        return any(variable.role in _TABULAR for variable in self.variables)


def read_metadata(text: str, source: str, *, tabular: bool) -> Metadata:
    """What an .rda file says of a table, or of microdata.

    Raises
    ------
    InputError: an unknown keyword, one that lacks what stands behind it, a variable without its positions, one that is
        declared twice; names the line and the column.
    """
    header = Metadata(source, ())
    variables: list[Variable] = []
    for number, line in enumerate(lines_of(text), start=1):
        found = words(line, Place(source, line=number))
        if not found or found[0].text.startswith("//"):
            continue
        if found[0].kind != "keyword":
            variables.append(_declared(found, fixed=not tabular and header.separator is None, tabular=tabular))
            continue
        for keyword, rest in _commands(found, source):
            if keyword.text in _HEADER:
                header = _with_header(header, keyword, rest, first=not variables)
            elif not variables:
                raise InputError(f"{keyword.text} says something of a variable, but none is named yet.", at=keyword.at)
            else:
                variables[-1] = _with(variables[-1], keyword, rest)
    if tabular and header.separator is None:
        header = replace(header, separator=";")
    _check(variables, source)
    return replace(header, variables=tuple(variables))


def _commands(found: list[Word], source: str) -> list[tuple[Word, list[Word]]]:
    """Keywords of a line, each with the words behind it."""
    commands: list[tuple[Word, list[Word]]] = []
    for word in found:
        if word.kind == "keyword":
            if word.text not in KEYWORDS:
                raise unknown_keyword(word, KEYWORDS)
            commands.append((word, []))
        else:
            commands[-1][1].append(word)
    return commands


def _declared(found: list[Word], *, fixed: bool, tabular: bool) -> Variable:
    """`name start width missing...`, `name width missing...` or `name missing...`."""
    name, rest = found[0], found[1:]
    if not name.text.strip():
        raise InputError("is empty, expected the name of a variable.", at=name.at)
    start = width = None
    wanted = 0 if tabular else 2 if fixed else 1
    if len(rest) < wanted:
        what = "its first position and its width" if fixed else "its width"
        raise InputError(f"variable {quoted(name.text)} lacks {what}.", at=name.at)
    if fixed:
        start = whole_number(rest[0], "the first position", 1)
    if wanted:
        width = whole_number(rest[wanted - 1], "the width", 1)
    missing = tuple(word.text for word in rest[wanted:] if word.text.strip())
    if len(missing) > 2:
        raise InputError(found=quoted(missing[2]), expected="at most two missing codes", at=rest[wanted + 2].at)
    return Variable(name.text.strip(), name.at, start, width, missing)


def _with_header(header: Metadata, keyword: Word, rest: list[Word], *, first: bool) -> Metadata:
    if keyword.text == "<SPSS>":
        text = "the data are in an SPSS system file; export them as text, and name the separator with <SEPARATOR>."
        raise InputError(text, at=keyword.at)
    value = _value(keyword, rest)
    if keyword.text == "<SEPARATOR>":
        if not first:
            raise InputError("<SEPARATOR> stands before the first variable.", at=keyword.at)
        if len(value) != 1 and value.lower() != "\\t":
            raise InputError(found=quoted(value), expected='one character, such as ";"', at=keyword.at)
        return replace(header, separator="\t" if value.lower() == "\\t" else value)
    letter = value.strip().upper()
    if keyword.text == "<SAFE>":
        return replace(header, safe=letter)
    return replace(header, unsafe=letter) if keyword.text == "<UNSAFE>" else replace(header, protect=letter)


def _with(variable: Variable, keyword: Word, rest: list[Word]) -> Variable:
    """A variable with what one keyword says of it."""
    key = keyword.text
    if key in _ROLES:
        if variable.role not in ("none", "response") and _ROLES[key] != "response":
            text = f"variable {quoted(variable.name)} is given two roles, {variable.role} and {_ROLES[key]}."
            raise InputError(text, at=keyword.at)
        role = variable.role if _ROLES[key] == "response" and variable.role != "none" else _ROLES[key]
        return replace(variable, role=role, requests=tuple(word.text for word in rest) if role == "request" else ())
    if key in cell_keys.KEYWORDS:
        return replace(variable, cell_keys=cell_keys.with_word(variable.cell_keys, keyword, rest))
    if key in ("<HIERARCHICAL>", "<TRUNCABLE>"):
        return variable
    value = _value(keyword, rest)
    match key:
        case "<TOTCODE>":
            return replace(variable, total=value)
        case "<DECIMALS>":
            decimals = whole_number(rest[0], "decimals")
            if decimals > 15:
                raise InputError(found=str(decimals), expected="at most 15 decimals", at=rest[0].at)
            return replace(variable, decimals=decimals)
        case "<CODELIST>":
            return replace(variable, code_list=value)
        case "<HIERCODELIST>":
            return replace(variable, hierarchy=value)
        case "<HIERLEADSTRING>":
            if not value:
                raise InputError('is empty, expected a string such as "@".', at=keyword.at)
            return replace(variable, leading=value)
        case "<DISTANCE>":
            return replace(variable, distance=tuple(word.text for word in rest))
    levels = tuple(whole_number(word, "digits of a level") for word in rest)
    if not any(levels):
        raise InputError("all levels are without digits.", at=keyword.at)
    if variable.width is not None and sum(levels) != variable.width:
        text = f"the levels of {quoted(variable.name)} have {sum(levels)} digits, but its width is {variable.width}."
        raise InputError(text, at=keyword.at)
    return replace(variable, levels=levels)


def _value(keyword: Word, rest: list[Word]) -> str:
    if not rest:
        raise InputError(f"nothing stands behind {keyword.text}.", at=keyword.at)
    return rest[0].text


def _check(variables: list[Variable], source: str) -> None:
    if not variables:
        raise InputError("names no variable.", at=source)
    seen: dict[str, Variable] = {}
    for variable in variables:
        before = seen.setdefault(variable.name.casefold(), variable)
        if before is not variable:
            text = f"variable {quoted(variable.name)} was named in line {before.at.line} already"
            raise InputError(f"{text} (letter case says nothing in tau-ARGUS).", at=variable.at)
        if variable.levels and variable.hierarchy is not None:
            text = f"variable {quoted(variable.name)} has both <HIERLEVELS> and <HIERCODELIST>; expected one of them."
            raise InputError(text, at=variable.at)
