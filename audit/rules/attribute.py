"""Attribute rule for counts: all members of a group share an attribute (Smith & Elliot 2007, Table 2.1)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.integers import bound_sum
from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.rules.facts import COUNTS, Facts
from tableseal.audit.rules.judgement import Judgement, check, unprotected
from tableseal.audit.rules.rule import Parameter, Rule


@dataclass(frozen=True)
class Attribute(Rule):
    """Attribute disclosure in counts: all members of a group share a characteristic.

    A line is a cell with one of its codes replaced by the codes directly below it. It is judged if at least
    one of the variables in `given` stands below its total, if all its cells are cells of the release, and if
    one more of them could have been populated (structural zeros that the file lists could not). Nothing is
    required beyond that the cells are not disclosed exactly.
    """

    given: Annotated[tuple[str, ...], Parameter("texts", "variables that the intruder knows of a person")]
    populated: Annotated[
        int, Parameter("count", "a line whose total sits in at most this many cells is disclosive")
    ] = 1

    key: ClassVar = "attribute"
    kinds: ClassVar = COUNTS
    of_lines: ClassVar = True

    @property
    def text(self) -> str:
        """`attribute (given region, populated 1)`."""
        given = f"given {' + '.join(self.given)}, " if self.given else ""
        return f"attribute ({given}populated {self.populated})"

    @property
    def variables(self) -> tuple[str, ...]:
        """Those that are given."""
        return self.given

    def sentence(self, counts: bool) -> str:
        """What tells too much."""
        return f"Sensitive: {', '.join(self.given)} tell more of a person."

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """Where the value is known."""
        return facts.value.known

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: the populated cells and the total of a line whose total sits in at most `populated` of its
        cells.

        Raises
        ------
        InputError: values without which a line cannot be judged; a meaningless parameter.
        """
        check(self.populated >= 1, self.text, f"populated of {self.populated}", "populated of at least 1")
        sensitive = np.zeros(len(facts.cells), dtype=np.bool_)
        open_cells = sensitive.copy()
        for m, measure in enumerate(facts.release.measures.values()):
            if measure.kind != "count":
                continue
            for v, (name, hierarchy) in enumerate(facts.release.variables.items()):
                if name not in self.given:
                    for parent in hierarchy.parents:
                        lines = _lines(facts, self, m, v, parent)
                        _judge_lines(facts, lines, self.populated, sensitive, open_cells)
        facts.refuse(
            open_cells,
            self.text,
            "the true values of a line of withheld cells",
            'add a column of true values and name it as "truth", or add microdata',
        )
        return unprotected(sensitive & facts.counts)


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
