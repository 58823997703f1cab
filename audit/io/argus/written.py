"""Tables as tau-ARGUS writes them for readers (csv, pivot, code-value), and for the statistical office of Europe (SBS).

Withheld values are `x` in all that is for readers, even where the status stands beside them. SBS files go from office
to office: they hold all values, with a letter for why one is confidential.
"""

from fractions import Fraction
from typing import Final

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.shown import EMPTY, WITHHELD, ShownCell, ShownTable, status_number
from tableseal.audit.model import Status
from tableseal.audit.wording import quoted

SAFE, SECONDARY, FREQUENCY, BY_ONE, BY_MORE, ESTIMATED = "V", "D", "A", "B", "C", "F"
"""Letters of SBS files; F: a p% rule, where the second largest contributor estimates the largest."""


def csv_text(shown: ShownTable, *, quotes: bool) -> str:
    """Type 1: the last variable across, the one before it down, a block for each combination of the others."""
    cells = {cell.codes: cell for cell in shown.cells}
    dimensions = shown.dimensions
    across = dimensions[-1].codes if len(dimensions) > 1 else None
    down = dimensions[-2].codes if len(dimensions) > 1 else dimensions[0].codes
    outer = list(dict.fromkeys(cell.codes[:-2] for cell in shown.cells)) if len(dimensions) > 2 else [()]
    lines = []
    for block in outer:
        if block:
            named = zip(dimensions, block, strict=False)
            lines.append(",".join(_code(f"{h.name}: {code}", quotes=quotes) for h, code in named))
        if across is not None:
            lines.append(",".join(["", *(_code(code, quotes=quotes) for code in across)]))
        for code in down:
            keys = [(*block, code, other) for other in across] if across is not None else [(code,)]
            if not any(key in cells for key in keys):
                continue
            entries = (_value(shown, cells[key]) if key in cells else EMPTY for key in keys)
            lines.append(",".join([_code(code, quotes=quotes), *entries]))
        lines.append("")
    return "\n".join(lines) + "\n"


def code_value_text(shown: ShownTable, *, status: bool, header: bool, quotes: bool, leave_out_empty: bool) -> str:
    """Types 2 and 3: a line for each cell, with its codes, its value and perhaps the number of its status."""
    lines = []
    if header:
        value = "Freq" if shown.counts else shown.table.measure
        names = [*(h.name for h in shown.dimensions), value, *(["Status"] if status else [])]
        lines.append(",".join(_code(name, quotes=quotes) for name in names))
    for cell in shown.cells:
        if cell.empty and cell.released and leave_out_empty:
            continue
        codes = [_code(code, quotes=quotes) for code in cell.codes]
        lines.append(",".join([*codes, _value(shown, cell), *([str(status_number(cell))] if status else [])]))
    return "\n".join(lines) + "\n"


def sbs_text(shown: ShownTable, *, levels: bool, quotes: bool) -> str:
    """Type 4: codes (perhaps with their levels), value, number of contributors, letter; of cells that are sensitive by
    another rule than a threshold, shares of the response (of the shadow variable) in percent, where they are known: of
    the two largest contributions, each by itself if the table has a p% rule, else together, or of the only one that the
    table has. Empty cells are left out.

    Source: `WriteSBSStaart` of libtauargus.

    Raises
    ------
    InputError: a cell whose value is not known.
    """
    depths = [_depths(shown, at) for at in range(len(shown.dimensions))]
    lines = []
    estimated = any(cell.rule is not None and cell.rule.startswith(_ESTIMATES) for cell in shown.cells)
    for cell in shown.cells:
        if cell.empty and cell.released:
            continue
        entries: list[str] = []
        for at, code in enumerate(cell.codes):
            entries += [_code(code, quotes=quotes), *([str(depths[at][code])] if levels else [])]
        letter = _letter(cell, estimated)
        known = _known(shown, cell)
        contributors = known if shown.counts else "" if cell.frequency is None else str(cell.frequency)
        entries += [known, contributors, letter]
        if letter in (BY_ONE, BY_MORE, ESTIMATED):
            entries += _shares(cell, estimated)
        lines.append(",".join(entries))
    return "\n".join(lines) + "\n"


_ESTIMATES: Final = ("p%", "pq")
"""How rules begin for which the second largest contributor estimates the largest."""
_BY_CONCENTRATION: Final = ("dominance", *_ESTIMATES)


def _letter(cell: ShownCell, estimated: bool) -> str:
    """estimated: the table has a p% rule."""
    if cell.released:
        return SAFE
    if cell.status in (Status.SECONDARY, Status.MISSING):
        return SECONDARY
    if cell.rule is not None and cell.rule.startswith("threshold"):
        return FREQUENCY
    if cell.rule is None or not cell.rule.startswith(_BY_CONCENTRATION):
        return BY_ONE  # by hand, a request, a zero
    return ESTIMATED if estimated else BY_MORE if len(cell.tops) > 1 else BY_ONE


def _shares(cell: ShownCell, estimated: bool) -> list[str]:
    whole = cell.value if cell.shadow is None else cell.shadow
    tops = [Fraction(0) if top is None else top for top in cell.tops[:2]]
    if not whole or not any(cell.tops):
        return []
    shown = tops if estimated else [sum(tops, Fraction(0))]
    return [f"{float(100 * each / whole):.1f}" for each in shown]


def _known(shown: ShownTable, cell: ShownCell) -> str:
    if cell.value is None:
        text = f"the value of the cell {', '.join(cell.codes)} is not known, and this type of output holds all values."
        raise InputError(text)
    return shown.number(cell.value)


def _value(shown: ShownTable, cell: ShownCell) -> str:
    """What readers see."""
    if not cell.released or cell.value is None:
        return WITHHELD
    return EMPTY if cell.empty else shown.number(cell.value)


def _code(code: str, *, quotes: bool) -> str:
    """A code; one that would not be read back without quotes has them anyway."""
    if "\n" in code or "\r" in code:
        raise InputError(f"the code {quoted(code)} has several lines, which files of tau-ARGUS cannot hold.")
    needed = quotes or any(sign in code for sign in ',;"') or code != code.strip()
    return f'"{code.replace(chr(34), chr(34) * 2)}"' if needed else code


def _depths(shown: ShownTable, at: int) -> dict[str, int]:
    """Code -> its level, the total at 0."""
    hierarchy = shown.dimensions[at]
    parents = hierarchy.parents[0].tolist()

    def depth(code: int) -> int:
        return 0 if parents[code] < 0 else 1 + depth(parents[code])

    return {code: depth(number) for number, code in enumerate(hierarchy.codes)}
