"""The intermediate format of tau-ARGUS: a .tab file with its .rda and .hrc files, which it reads again.

It holds true values beside statuses: it is the agency's own, never for readers. A value that is not known is `x`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.shown import WITHHELD, ShownCell, ShownTable
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Hierarchy, Status
from tableseal.audit.wording import quoted

SEPARATOR = ";"
LETTERS: Mapping[Status, str] = {
    Status.PUBLISHED: "S",
    Status.CONSENT: "S",
    Status.MUST_PUBLISH: "P",
    Status.FROZEN: "P",
    Status.STRUCTURAL_ZERO: "E",
    Status.MISSING: "M",
    Status.SECONDARY: "M",
    Status.WITHHELD: "U",
    Status.PRIMARY: "U",
}
"""Status -> letter. What is not released is withheld, whatever the reason."""

_LEADING = "@#%~^!|"
"""Characters of which one begins no code of a hierarchy."""

Interval = tuple[Fraction | None, Fraction | None]


def intermediate_files(
    shown: ShownTable,
    stem: str,
    *,
    simple: bool = False,
    quotes: bool = True,
    leave_out_empty: bool = False,
    audited: Mapping[tuple[str, ...], Interval] | None = None,
) -> dict[str, str]:
    """Name -> text of STEM.rda, of STEM_VARIABLE.hrc for each hierarchy (also where rows do not tell all codes
    in their order), and of STEM.tab.

    simple: without shadow and largest contributions. audited: intervals that a reader can find, added as columns.

    Raises
    ------
    InputError: codes that the format cannot hold.
    """
    columns = _Layout(shown, simple=simple, audited=audited is not None)
    described, files = described_dimensions(shown, stem)
    files[f"{stem}.rda"] = described + columns.metadata()
    lines = [
        SEPARATOR.join(
            [*(code_text(code, quotes=quotes) for code in cell.codes), *columns.entries(cell, audited or {})]
        )
        for cell in shown.cells
        if not (leave_out_empty and cell.empty and cell.released)
    ]
    files[f"{stem}.tab"] = "\n".join(lines) + "\n"
    return files


def described_dimensions(shown: ShownTable, stem: str) -> tuple[str, dict[str, str]]:
    """The beginning of an .rda file, with the classifications of a table; and name -> text of STEM_VARIABLE.hrc for
    each hierarchy (also where rows do not tell all codes in their order).

    Raises
    ------
    InputError: codes that the format cannot hold.
    """
    files: dict[str, str] = {}
    leading = {h.name: _leading(h) for h in shown.dimensions}
    listed = [list(dict.fromkeys(cell.codes[at] for cell in shown.cells)) for at in range(len(shown.dimensions))]
    trees = {
        h.name: hrc_name(stem, h.name)
        for h, codes in zip(shown.dimensions, listed, strict=True)
        if _nested(h) or [code for code in codes if code != h.total] != [code for code in h.codes if code != h.total]
    }
    for hierarchy in shown.dimensions:
        _refuse_codes(hierarchy, tree=hierarchy.name in trees)
        if hierarchy.name in trees:
            files[trees[hierarchy.name]] = _hrc_text(hierarchy, leading[hierarchy.name])
    lines = [f'<SEPARATOR> "{SEPARATOR}"', '<SAFE> "S"', '<UNSAFE> "U"', '<PROTECT> "P"']
    for h in shown.dimensions:
        lines += [_word(h.name), "  <RECODEABLE>", f'  <TOTCODE> "{h.total}"']
        if h.name in trees:
            lines += ["  <HIERARCHICAL>", f'  <HIERCODELIST> "{trees[h.name]}"']
            lines += [f'  <HIERLEADSTRING> "{leading[h.name]}"']
    return "\n".join(lines) + "\n", files


class _Layout:
    """Which columns there are, in order."""

    def __init__(self, shown: ShownTable, *, simple: bool, audited: bool) -> None:
        self._shown, self._audited = shown, audited
        cells = shown.cells
        self._frequency = not shown.counts and any(cell.frequency is not None for cell in cells)
        self._shadow = not simple and not shown.counts
        self._cost = any(cell.cost is not None for cell in cells)
        self._tops = 0 if simple or shown.counts else max((len(cell.tops) for cell in cells), default=0)
        self._limits = any(cell.lower is not None or cell.upper is not None for cell in cells)
        self._taken = {h.name.casefold() for h in shown.dimensions}

    def metadata(self) -> str:
        """The .rda file, behind the classifications."""
        shown = self._shown
        lines: list[str] = []
        if shown.counts:
            lines += [self._name(shown.table.measure), "  <FREQUENCY>"]
        else:
            lines += [self._name(shown.table.measure), "  <NUMERIC>", f"  <DECIMALS> {shown.decimals}"]
        numeric = (
            (self._frequency, "Freq", "<FREQUENCY>"),
            (self._shadow, "Shadow", "<NUMERIC> <SHADOW>"),
            (self._cost, "Cost", "<NUMERIC> <COST>"),
            *((True, f"Top{at + 1}", "<MAXSCORE>") for at in range(self._tops)),
            (True, "Status", "<STATUS>"),
            (self._limits, "LowerProtection", "<NUMERIC> <LOWERPL>"),
            (self._limits, "UpperProtection", "<NUMERIC> <UPPERPL>"),
        )
        for there, name, role in numeric:
            if there:
                lines += [self._name(name), f"  {role}"]
        for name in _AUDITED if self._audited else ():
            lines += [self._name(name)]
        return "\n".join(lines) + "\n"

    def entries(self, cell: ShownCell, audited: Mapping[tuple[str, ...], Interval]) -> list[str]:
        """Of a line, behind the codes."""
        shown = self._shown
        value = WITHHELD if cell.value is None else shown.number(cell.value)
        found = [value]
        if self._frequency:
            found.append("" if cell.frequency is None else str(cell.frequency))
        if self._shadow:
            found.append(value if cell.shadow is None else shown.number(cell.shadow))
        if self._cost:
            found.append("" if cell.cost is None else decimal_text(cell.cost))
        for at in range(self._tops):
            top = cell.tops[at] if at < len(cell.tops) else None
            found.append("" if top is None else shown.number(top))
        letter = "E" if cell.empty and cell.released and cell.status == Status.PUBLISHED else LETTERS[cell.status]
        found.append(letter)
        if self._limits:
            found += ["" if limit is None else shown.number(limit) for limit in (cell.lower, cell.upper)]
        if self._audited:
            found += _audit(shown, cell, audited.get(cell.codes))
        return found

    def _name(self, name: str) -> str:
        return free_word(name, self._taken)


_AUDITED = ("RealizedLower", "RealizedUpper", "RealizedWidth", "LowerPercent", "UpperPercent", "WidthPercent")


def _audit(shown: ShownTable, cell: ShownCell, interval: Interval | None) -> list[str]:
    """Ends and width of the interval, then the same as percentages of the value; an end that there is not is `-`."""
    if cell.released or interval is None:
        return ["0"] * len(_AUDITED)
    low, high = interval
    width = None if low is None or high is None else high - low
    found = ["-" if end is None else shown.number(end) for end in (low, high, width)]
    value = cell.value
    if not value:
        return [*found, "0", "0", "0"]
    parts = (None if low is None else value - low, None if high is None else high - value, width)
    return found + ["-" if part is None else f"{float(100 * part / value):.2f}" for part in parts]


def _refuse_codes(hierarchy: Hierarchy, *, tree: bool) -> None:
    for code in hierarchy.codes:
        if not code.strip() or "\n" in code or "\r" in code:
            text = f"the code {quoted(code)} of {quoted(hierarchy.name)} is empty or has several lines"
            raise InputError(f"{text}, which files of tau-ARGUS cannot hold.")
        if tree and code != code.rstrip():
            text = f"the code {quoted(code)} of {quoted(hierarchy.name)} ends with a blank"
            raise InputError(f"{text}, which .hrc files cannot hold.")
    total = hierarchy.total or ""
    if '"' in total:
        raise InputError(f"the total {quoted(total)} has a quotation mark, which .rda files cannot hold.")
    if sum(code.strip() == total.strip() for code in hierarchy.codes) > 1:
        raise InputError(f"a code of {quoted(hierarchy.name)} differs from the total in blanks only.")


def _nested(hierarchy: Hierarchy) -> bool:
    top = hierarchy.total_index
    return any(parent not in (-1, top) for parent in hierarchy.parents[0].tolist())


def _leading(hierarchy: Hierarchy) -> str:
    taken = {code[:1] for code in hierarchy.codes}
    free = next((sign for sign in _LEADING if sign not in taken), None)
    if free is None:
        raise InputError(f"codes of {quoted(hierarchy.name)} begin with all of {_LEADING}; none is left to lead with.")
    return free


def _hrc_text(hierarchy: Hierarchy, leading: str) -> str:
    below: dict[int, list[int]] = {}
    for code, parent in enumerate(hierarchy.parents[0].tolist()):
        if code != hierarchy.total_index:
            below.setdefault(parent, []).append(code)
    lines: list[str] = []

    def walk(codes: Sequence[int], depth: int) -> None:
        for code in codes:
            lines.append(leading * depth + hierarchy.codes[code])
            walk(below.get(code, ()), depth + 1)

    walk(below.get(hierarchy.total_index, ()), 0)
    return "\n".join(lines) + "\n"


def hrc_name(stem: str, variable: str) -> str:
    """Of the file of a hierarchy."""
    plain = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in variable)
    return f"{stem}_{plain}.hrc"


def free_word(name: str, taken: set[str]) -> str:
    """A name that no other variable has, in any letter case, as it stands in an .rda file. taken: in lower case."""
    while name.casefold() in taken:
        name += "_"
    taken.add(name.casefold())
    return _word(name)


def _word(name: str) -> str:
    """A name in an .rda file."""
    if '"' in name or "\n" in name or "\r" in name or name.startswith("//"):
        raise InputError(f"the name {quoted(name)} cannot stand in an .rda file.")
    plain = name.isalnum() or all(sign.isalnum() or sign in "_-." for sign in name)
    return name if plain else f'"{name}"'


def code_text(code: str, *, quotes: bool) -> str:
    """A code in a data file; one that would not be read back without quotes has them anyway."""
    needed = quotes or SEPARATOR in code or '"' in code or code != code.strip()
    return f'"{code.replace(chr(34), chr(34) * 2)}"' if needed else code
