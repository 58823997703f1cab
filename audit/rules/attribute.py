"""Attribute rule for counts: all members of a group share an attribute (Smith & Elliot 2007, Table 2.1)."""

from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.integers import bound_sum
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model import Amounts, Attribute, Release, Status
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, unprotected


def judge(rule: Attribute, facts: Facts) -> Judgement:
    """Sensitive: the populated cells and the total of a line whose total sits in at most `populated` of its
    cells.

    A line is a cell with one of its codes replaced by the codes directly below it. It is judged if at least
    one of the variables in `given` stands below its total, if all its cells are cells of the release, and if
    one more of them could have been populated (structural zeros that the file lists could not). Nothing is
    required beyond that the cells are not disclosed exactly.

    Raises
    ------
    InputError: an unknown variable in `given`; values without which a line cannot be judged; a meaningless
    parameter.
    """
    given = f"given {' + '.join(rule.given)}, " if rule.given else ""
    text = f"attribute ({given}populated {rule.populated})"
    check(rule.populated >= 1, text, f"populated of {rule.populated}", "populated of at least 1")
    _refuse_unknown(rule, facts.release, text)
    sensitive = np.zeros(len(facts.cells), dtype=np.bool_)
    open_cells = sensitive.copy()
    for m, measure in enumerate(facts.release.measures.values()):
        if measure.kind != "count":
            continue
        for v, (name, hierarchy) in enumerate(facts.release.variables.items()):
            if name not in rule.given:
                for parent in hierarchy.parents:
                    lines = _lines(facts, rule, m, v, parent)
                    _judge_lines(facts, lines, rule.populated, sensitive, open_cells)
    facts.refuse(
        open_cells,
        text,
        "the true values of a line of withheld cells",
        'add a column of true values and name it as "truth", or add microdata',
    )
    return unprotected(text, sensitive & facts.counts)


def _refuse_unknown(rule: Attribute, release: Release, text: str) -> None:
    for name in rule.given:
        if name not in release.variables:
            near = get_close_matches(name, release.variables, 1)
            hint = f' (did you mean "{near[0]}"?)' if near else ""
            names = ", ".join(f'"{v}"' for v in release.variables)
            raise InputError(
                f'policy: rule "{text}" is given the variable "{name}", which the release does not have'
                f"{hint}; expected one of {names}."
            )


@dataclass(frozen=True)
class _Lines:
    """Complete lines of one variable in one grouping.

    child, line: int64 (children), the cell of each child and its line. total: int64 (lines), the cell that is
    the line's total, -1 where the release does not have it.
    """

    child: NDArray[np.int64]
    line: NDArray[np.int64]
    total: NDArray[np.int64]


def _lines(facts: Facts, rule: Attribute, measure: int, variable: int, parent: NDArray[np.int32]) -> _Lines:
    """Lines of one measure over one variable whose children are all known to be cells of the release."""
    cells, release = facts.cells, facts.release
    own = np.flatnonzero(cells.measure == measure)
    codes = cells.codes[own]
    child = own[_is_given(codes, rule, release) & (parent[codes[:, variable]] >= 0)]
    above = cells.codes[child].copy()
    above[:, variable] = parent[above[:, variable]]
    space = KeySpace.of(release)
    keys, line = np.unique(space.keys(cells.measure[child], above), return_inverse=True)
    line = line.ravel().astype(np.int64)
    present = np.bincount(line, minlength=len(keys))
    expected = np.zeros(len(keys), dtype=np.int64)
    expected[line] = np.bincount(parent[parent >= 0], minlength=len(parent))[above[:, variable]]
    silent = (cells.status[child] == Status.MISSING) & ~facts.value.known[child]
    complete = (present == expected) & (np.bincount(line, silent, len(keys)) == 0)
    number = np.cumsum(complete) - 1
    kept = complete[line]
    position = Lookup.of(space.keys(cells.measure[own], codes)).find(keys[complete])
    total = np.where(position >= 0, own[position], -1)
    return _Lines(child[kept], number[line[kept]], total)


def _is_given(codes: NDArray[np.int32], rule: Attribute, release: Release) -> NDArray[np.bool_]:
    """Cells in which one of the given variables stands below its total (no variables given: all cells)."""
    if not rule.given:
        return np.ones(len(codes), dtype=np.bool_)
    given = [v for v, name in enumerate(release.variables) if name in rule.given]
    totals = np.array([list(release.variables.values())[v].total_index for v in given])
    result: NDArray[np.bool_] = (codes[:, given] != totals).any(axis=1)
    return result


def _judge_lines(
    facts: Facts, lines: _Lines, populated: int, sensitive: NDArray[np.bool_], open_cells: NDArray[np.bool_]
) -> None:
    """Mark cells of disclosive lines in `sensitive`, unknown cells of undecided lines in `open_cells`."""
    n = len(lines.total)
    known, units = facts.value.known[lines.child], facts.value.units[lines.child]
    nonzero = known & (units != 0)
    gaps = np.bincount(lines.line, ~known, n).astype(np.int64)
    has_total = lines.total >= 0
    total = facts.value.take(np.maximum(lines.total, 0))
    rest = Amounts(total.units - bound_sum(np.where(known, units, 0), lines.line, n), has_total & total.known)
    sure = np.bincount(lines.line, nonzero, n).astype(np.int64)
    fewest = sure + (rest.known & (rest.units != 0) & (gaps > 0))
    most = sure + np.where(rest.known, np.minimum(gaps, np.abs(rest.units)), gaps)
    impossible = (facts.cells.status == Status.STRUCTURAL_ZERO) & (facts.cells.row >= 0)
    possible = np.bincount(lines.line, ~impossible[lines.child], n).astype(np.int64)
    limit = np.minimum(populated, possible - 1)
    disclosive = (fewest >= 1) & (most <= limit)
    undecided = ~disclosive & (limit >= 1) & (fewest <= limit) & (most >= 1)
    concerned = nonzero | (~known & ~(rest.known & (rest.units == 0))[lines.line])
    touched = concerned & facts.judgeable[lines.child]
    matters = np.bincount(lines.line, touched, n) > 0
    matters |= has_total & facts.judgeable[np.maximum(lines.total, 0)]
    sensitive[lines.child[concerned & disclosive[lines.line]]] = True
    sensitive[lines.total[disclosive & has_total]] = True
    open_cells[lines.child[~known & (undecided & matters)[lines.line]]] = True
