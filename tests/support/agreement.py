"""What an audit says, compared with what the oracle knows; and the arithmetic of exposures, checked by hand."""

import re
from collections.abc import Mapping
from fractions import Fraction
from math import inf

import numpy as np
from oracle import WITHHELD, Cell, Document, Oracle, possible_values, read

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, ReportCell
from tableseal.audit.report.model import Linked, Reveals, Term


def report_of(document: Document, **options: object) -> Report | None:
    """The audit's report; None if it refuses the release."""
    release = release_from_document(document)
    try:
        return audit(release, **options).report  # type: ignore[arg-type]
    except InputError:
        return None


def by_name(report: Report) -> dict[Cell, ReportCell]:
    """Open cells of a report by measure and codes."""
    return {
        (cell.measure, tuple(code for _, code in cell.cell)): cell
        for cell in report.cells
        if cell.reason != "sensitive_published"
    }


def assert_agrees(document: Document, *, tables: np.ndarray, oracle: Oracle, report: Report | None) -> None:
    """Everything a report says of every open cell is what the list of all tables says."""
    assert (report is None) == (len(tables) == 0), "a release is refused exactly if no table fits it"
    if report is None:
        return
    found = by_name(report)
    together = document.get("intruder", {}).get("coalition", 1)
    contradictory = (
        len(_fitting(oracle, tables, [n for n in oracle.open_cells if oracle.cells[n].status != "missing"])) == 0
    )
    exposed = left_open = False
    for name in oracle.open_cells:
        cell, unit = found.pop(name), oracle.units[name[0]]
        values = list(possible_values(tables, oracle.forms[name]))
        ends = (values[0] * unit, values[-1] * unit)
        assert (cell.lower, cell.upper) == ends, name
        assert cell.attained == ends, name
        assert cell.exact, name
        assert cell.lp is not None, name
        assert cell.lp[0] <= ends[0], name
        assert cell.lp[1] >= ends[1], name
        assert cell.possible.at_least <= len(values) <= cell.possible.at_most, name
        known = oracle.cells[name]
        assert cell.status == known.status, name
        assert cell.sensitive == known.sensitive, name
        if known.status == "missing":
            assert cell.verdict == "not_judged", name
            continue
        verdict = "protected" if len(values) > 1 else "exposed"
        if verdict == "protected" and known.sensitive and insiders_know(oracle, tables, name, together):
            verdict = "underprotected"
        unfit = known.sensitive and some_insider_does_not_fit(oracle, tables, name, together)
        stated = known.truth is not None
        if stated and not values[0] <= known.truth <= values[-1]:  # CONVENTION 569
            assert cell.verdict == ("undecided" if verdict == "protected" else verdict), name
        elif verdict == "protected" and (unfit or (stated and contradictory)):
            assert cell.verdict in (verdict, "undecided"), name
        else:
            assert cell.verdict == verdict, name
        exposed |= known.sensitive and verdict != "protected"
        left_open |= known.sensitive and cell.verdict == "undecided"
    # Beside open cells only published ones that another table withholds may be listed.
    for name, cell in found.items():
        assert oracle.cells[name].exact or oracle.cells[name].derived or oracle.cells[name].computed, name
        assert cell.verdict == "exposed", name
    contradicted = any(c.reason == "sensitive_published" for c in report.cells)
    verdict = "unsafe" if exposed or contradicted else "undecided" if left_open else "safe"
    # Where nothing says what is sensitive, nothing is shown to be safe.
    assert report.verdict == (verdict if report.judged else "undecided")
    assert report.judged or not any(oracle.cells[name].sensitive for name in oracle.open_cells)
    assert report.summary.rank == oracle.rank()
    assert_arithmetic(document, oracle, report)


def insiders_know(oracle: Oracle, tables: np.ndarray, target: Cell, together: int) -> bool:
    """Whether all units counted in some withheld cell, at most `together`, who know it, are left one value of the
    target."""
    if oracle.cells[target].status not in WITHHELD:
        return False
    for name in oracle.open_cells:
        values = np.rint(tables @ oracle.forms[name])
        if name == target or not _attacks(oracle, name, together) or len(np.unique(values)) == 1:
            continue
        held = _held(oracle, name)
        if target in held and oracle.cells[target].truth is not None:
            continue  # it holds nobody but the insiders, as far as the agency says
        left = _fitting(oracle, tables, held)
        if len(left) and len(list(possible_values(left, oracle.forms[target]))) == 1:
            return True
    return False


def some_insider_does_not_fit(oracle: Oracle, tables: np.ndarray, target: Cell, together: int) -> bool:
    """Whether the true values of withheld counts that some insiders know are impossible together, so that nothing is
    shown of them."""
    return any(
        name != target and _attacks(oracle, name, together) and len(_fitting(oracle, tables, _held(oracle, name))) == 0
        for name in oracle.open_cells
    )


def _fitting(oracle: Oracle, tables: np.ndarray, held: list[Cell]) -> np.ndarray:
    """The tables in which cells have their true values, as far as these are given."""
    stated = [name for name in held if oracle.cells[name].truth is not None]
    return tables[np.all([np.rint(tables @ oracle.forms[name]) == oracle.cells[name].truth for name in stated], axis=0)]


def _attacks(oracle: Oracle, name: Cell, together: int) -> bool:
    known = oracle.cells[name]
    return (
        name[0] in oracle.counts
        and known.status in WITHHELD
        and known.truth is not None
        and 1 <= known.truth <= together
    )


def _held(oracle: Oracle, name: Cell) -> list[Cell]:
    """Open cells that lie inside one around the insiders' cell which counts nobody else, their own among them."""
    counts = {cell: form for cell, form in oracle.forms.items() if cell[0] == name[0]}
    alike = {cell for cell in counts if cell in oracle.cells and oracle.cells[cell].truth == oracle.cells[name].truth}
    own = {name}
    while True:  # what holds the same insiders and nobody else, and what lies inside that
        around = {cell for cell in alike if any((counts[cell] >= counts[part]).all() for part in own)}
        inside = {cell for cell, form in counts.items() if any((form <= counts[whole]).all() for whole in around)}
        if inside & alike <= own:
            return [cell for cell in oracle.open_cells if cell in inside]
        own |= inside & alike


def assert_arithmetic(document: Document, oracle: Oracle, report: Report) -> None:
    """Every exposed cell comes with an argument, and an equation gives exactly its value."""
    for name, cell in by_name(report).items():
        if name not in oracle.open_cells:
            continue
        if cell.lower is None or cell.lower != cell.upper:
            assert cell.reveals is None, name
            continue
        assert cell.reveals is not None, name
        if cell.reveals.kind == "equation":
            total = sum((t.coefficient * _stated(t, document, oracle) for t in cell.reveals.terms), Fraction(0))
            assert total == cell.lower, (name, cell.reveals.text)
        assert_spelled(cell.reveals, cell.lower)


def _stated(term: Term, document: Document, oracle: Oracle) -> Fraction:
    """What is released of the cell or link of a term: one value."""
    if isinstance(term.of, Linked):
        link = document["links"][term.of.link - 1]
        assert link["lower"] == link["upper"]
        return Fraction(link["lower"])
    measure = term.of.measure or next(iter(oracle.units))
    known = oracle.cells[measure, tuple(code for _, code in term.of.cell)]
    assert known.low == known.high not in (inf, -inf)
    return int(known.low) * oracle.units[measure]


def assert_spelled(reveals: Reveals, value: Fraction) -> None:
    """The text ends in the value (or says it), and adds up where it is one chain of sums."""
    numbers = [Fraction(n) for n in re.findall(r"(?<![\w.=])-?\d+(?:\.\d+|/\d+)?(?![\w.])", reveals.text)]
    assert value in numbers, reveals.text
    if reveals.kind != "equation" or "..." in reveals.text:
        return
    if len(reveals.terms) == 1 and " = " not in reveals.text.split(f" = {decimal_text(value)}", 1)[1]:
        return  # what another table says of the cell itself
    name, cells, *numbers_then_result = reveals.text.split(" = ")
    assert name
    assert cells
    *spelled, result = numbers_then_result  # one cell alone is not repeated in numbers
    assert Fraction(result) == value, reveals.text
    assert [_sum(s) for s in spelled] in ([], [value]), reveals.text


def _sum(text: str) -> Fraction:
    """3 + 2 * 5 - 1/2 as a pocket calculator has it."""
    total = Fraction(0)
    for sign, factor, number in re.findall(r"(^-|^| [+-] )(?:([\d/.]+) \* )?(-?[\d/.]+)", text):
        total += (-1 if "-" in sign else 1) * Fraction(factor or "1") * Fraction(number)
    return total


def assert_same_bounds(one: Mapping[Cell, ReportCell], other: Mapping[Cell, ReportCell]) -> None:
    """Same cells, same intervals, same verdicts."""
    assert one.keys() == other.keys()
    for name, cell in one.items():
        twin = other[name]
        fields = ("lower", "upper", "attained", "exact", "lp", "verdict", "basis", "status", "sensitive")
        assert [getattr(cell, f) for f in fields] == [getattr(twin, f) for f in fields], name


def oracle_of(document: Document) -> tuple[Oracle, np.ndarray | None]:
    """The oracle and all tables (None: unlimited or too many to list)."""
    oracle = read(document)
    return oracle, oracle.tables()
