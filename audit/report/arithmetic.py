"""The arithmetic that reveals a cell, in words and as terms over released cells."""

from fractions import Fraction

from audit.bounds.reveal import Argument
from audit.bounds.unfold import Multipliers
from audit.linear.naming import cell_name, decimal
from audit.linear.system import SEPARATOR
from audit.prepare import Prepared
from audit.report.model import Reveals, Term

SHOWN = 16
"""Terms that a text spells out."""

ZEROS = 3
"""Known zeros that a text still spells out; of more it only says how many there are."""


def reveals(prepared: Prepared, cell: int, argument: Argument, value: int) -> Reveals:
    """Argument for the only value (in units) of a cell as terms and text."""
    name, unit = _name(prepared, cell), _unit(prepared, cell)
    found = decimal(value, unit)
    if argument.kind == "equation":
        if value == 0 and prepared.cells.absent_zero[cell] and _is_own_row(prepared, cell, argument.lower):
            text = f"{name} = 0, because a table that should list it has no row for it (absent: leaves: zero)"
            return Reveals("equation", _terms(prepared, argument.lower, unit), text)
        told = _told(prepared, argument.lower, False)
        numbers = _numbers(prepared, told, unit)
        result = found if numbers == found else f"{numbers} = {found}"
        text = f"{name} = {_spelled(prepared, told, False, unit)} = {result}"
        return Reveals("equation", _terms(prepared, argument.lower, unit), text)
    low, high = decimal(argument.lower_value, unit), decimal(argument.upper_value, unit)
    parts = [
        _side(prepared, cell, True, argument.upper, argument.zeros_upper, high),
        _side(prepared, cell, False, argument.lower, argument.zeros_lower, low),
    ]
    if argument.kind == "integer":
        step = "whole number" if unit == 1 else f"multiple of {decimal(1, unit)}"
        only = f"the only {step} is {found}"
        ruled_out = f"every {step} but {found} is ruled out case by case"
        parts.append(f"between {low} and {high} {ruled_out if argument.by_cases else only}")
    side = argument.upper if argument.upper else argument.lower
    return Reveals(argument.kind, _terms(prepared, side, unit), "; ".join(parts))


def _side(prepared: Prepared, cell: int, upper: bool, y: Multipliers, zeros: bool, value: str) -> str:
    """One end in words: what it follows from, its numbers, its value."""
    because = ", because no value is below 0" if zeros else ""
    name, unit, sign = _name(prepared, cell), _unit(prepared, cell), "<=" if upper else ">="
    if not y:
        return f"{name} {sign} {value}{because}"
    if _is_own_row(prepared, cell, y):
        return f"{name} {sign} {value}, as is known of it"
    told = _told(prepared, y, upper)
    numbers = _numbers(prepared, told, unit)
    result = value if numbers == value else f"{numbers} = {value}"
    return f"{name} {sign} {_spelled(prepared, told, upper, unit)} = {result}{because}"


def _is_own_row(prepared: Prepared, cell: int, y: Multipliers) -> bool:
    """True if the argument is nothing but what is known of the cell itself."""
    return len(y) == 1 and all(prepared.system.cell[row] == cell and factor == 1 for row, factor in y.items())


def _name(prepared: Prepared, cell: int) -> str:
    """ "turnover North / Retail"; the measure only where there are several."""
    name = cell_name(prepared.release, prepared.cells, cell)
    measures = list(prepared.release.measures)
    return f"{measures[int(prepared.cells.measure[cell])]} {name}" if len(measures) > 1 else name


def _ordered(prepared: Prepared, y: Multipliers) -> list[tuple[int, Fraction]]:
    """One (row, multiplier) per cell or link, added terms first, so that a text does not begin with a minus. Rows that
    make base tables agree state nothing that was released and are left out."""
    system = prepared.system
    merged: dict[tuple[int, int], tuple[int, Fraction]] = {}
    for row, factor in sorted(y.items()):
        key = (int(system.cell[row]), int(system.link[row]))
        if key == (SEPARATOR, SEPARATOR):
            continue
        before = merged.get(key)
        merged[key] = (row, factor) if before is None else (before[0], before[1] + factor)
    return sorted((item for item in merged.values() if item[1]), key=lambda item: (item[1].numerator < 0, item[0]))


def _in_decimals(prepared: Prepared, row: int, factor: Fraction, unit: Fraction) -> Fraction:
    """Multiplier of a row in units -> coefficient of what is released, in decimals; `unit`: that of the target."""
    if prepared.system.link[row] >= 0:
        # A link row is `scale` times the statement, which is in decimals already.
        return factor * int(prepared.system.scale[row]) * unit
    own = _unit(prepared, int(prepared.system.cell[row]))
    return factor if own is unit or own == unit else factor * unit / own


def _unit(prepared: Prepared, cell: int) -> Fraction:
    return list(prepared.release.measures.values())[int(prepared.cells.measure[cell])].unit


def _terms(prepared: Prepared, y: Multipliers, unit: Fraction) -> tuple[Term, ...]:
    system, cells, release = prepared.system, prepared.cells, prepared.release
    names = list(release.measures)
    terms = []
    for row, factor in _ordered(prepared, y):
        coefficient, link = _in_decimals(prepared, row, factor, unit), int(system.link[row])
        if link >= 0:
            terms.append(Term(coefficient, None, (), link=link + 1))
        else:
            cell = int(system.cell[row])
            codes = tuple(release.cell_codes(cells.codes[cell]).items())
            table = release.tables[int(cells.table[cell])].name
            measure = names[int(cells.measure[cell])] if len(names) > 1 else None
            terms.append(Term(coefficient, table, codes, measure=measure))
    return tuple(terms)


_Told = tuple[list[tuple[int, Fraction, int]], int]


def _told(prepared: Prepared, y: Multipliers, upper: bool) -> _Told:
    """(row, multiplier, value used) of what a text spells out, and how many known zeros it leaves out."""
    system = prepared.system
    used = [
        (row, factor, int(system.upper[row] if (factor > 0) == upper else system.lower[row]))
        for row, factor in _ordered(prepared, y)
    ]
    zeros = sum(value == 0 for _, _, value in used)
    if zeros <= ZEROS:
        return used, 0
    return [item for item in used if item[2] != 0], zeros


def _spelled(prepared: Prepared, told: _Told, upper: bool, unit: Fraction) -> str:
    system = prepared.system
    used, zeros = told
    words: list[tuple[Fraction, str]] = []
    for row, factor, _ in used[:SHOWN]:
        coefficient = _in_decimals(prepared, row, factor, unit)
        if system.link[row] >= 0:
            words.append((coefficient, f"(link {int(system.link[row]) + 1})"))
        else:
            words.append((coefficient, _bounded_name(prepared, row, (factor > 0) == upper)))
    return _joined(words, len(used)) + (f" (and {zeros} known zeros)" if zeros else "")


def _bounded_name(prepared: Prepared, row: int, at_most: bool) -> str:
    """Name of a row's cell; where only an interval is known of it, with the side that is used."""
    system = prepared.system
    name = _name(prepared, int(system.cell[row]))
    if system.lower[row] == system.upper[row]:
        return name
    return f"({name}, at {'most' if at_most else 'least'})"


def _numbers(prepared: Prepared, told: _Told, unit: Fraction) -> str:
    system = prepared.system
    words: list[tuple[Fraction, str]] = []
    for row, factor, value in told[0][:SHOWN]:
        coefficient = _in_decimals(prepared, row, factor, unit)
        if system.link[row] >= 0:
            words.append((coefficient, decimal(Fraction(value, int(system.scale[row])), Fraction(1))))
        else:
            words.append((coefficient, decimal(value, _unit(prepared, int(system.cell[row])))))
    return _joined(words, len(told[0]))


def _joined(words: list[tuple[Fraction, str]], terms: int) -> str:
    """The first of so many terms as a sum."""
    text = ""
    for factor, word in words:
        size = abs(factor)
        part = word if size == 1 else f"{size} * {word}"
        text += (f" - {part}" if factor < 0 else f" + {part}") if text else (f"-{part}" if factor < 0 else part)
    if terms > len(words):
        text += f" ... ({terms} terms in all)"
    return text or "0"
