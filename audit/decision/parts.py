"""What a pattern leaves open falls into parts that share no relation: each is a small table of its own.

What is asked of one part costs as much as that part, whatever the size of the release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.decision.equations import Equations
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.witnesses import FeasibleTable

SPARSE = 8
"""Times the cells of the largest part up to which a table is asked as a whole; in larger ones what is done for all
cells at each question takes longer than the question (66,810 cells, parts of at most 700: 30 s and 3 s)."""


@dataclass(frozen=True)
class Part:
    """What a pattern leaves open of one connected part of the table.

    cells: int64, positions of its cells, which its own oracle numbers in this order. asked: positions of its
    requirements.
    """

    cells: NDArray[np.int64]
    asked: tuple[int, ...]
    oracle: Oracle


def parts(oracle: Oracle, pattern: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> list[Part]:
    """An oracle for each part of a pattern, which answers for all patterns within it; they know the tables in hand that
    serve it. The whole one for everything where little would be gained, and where it watches for more.

    among: bool (cells); only parts with some of these; None: all.
    """
    equations = oracle.equations
    label = equations.groups(equations.opened(pattern))
    size = np.bincount(label[label >= 0], minlength=1)
    wanted = np.append(np.full(len(size), among is None), False)  # the last one: of what is published
    if among is not None:
        wanted[label[: equations.cells][among & pattern]] = True
    if oracle.watched or SPARSE * size[wanted[:-1]].max(initial=0) > len(pattern):
        return [Part(np.arange(len(pattern)), tuple(range(len(oracle.requirements))), oracle)]
    inside = np.flatnonzero(wanted[label])
    inside = inside[np.argsort(label[inside], kind="stable")]
    asked: dict[int, list[int]] = {}
    for q, need in enumerate(oracle.requirements):
        asked.setdefault(int(label[need.cell]), []).append(q)
    found: list[Part] = []
    part_of = np.full(equations.cells, -1, np.int64)
    place = np.full(equations.cells, -1, np.int64)
    for columns in np.split(inside, np.flatnonzero(np.diff(label[inside])) + 1):
        own = tuple(asked.get(int(label[columns[0]]), ())) if len(columns) else ()
        cells = columns[columns < equations.cells]
        part_of[cells], place[cells] = len(found), np.arange(len(cells))
        needs = _renumbered(oracle.requirements, own, columns)
        found.append(Part(cells, own, oracle.alike(restricted(equations, columns), needs)))
    learnt: list[list[FeasibleTable]] = [[] for _ in found]
    for table in oracle.tables(pattern):
        # Parts share no relation: what a table does in each of them is a table by itself.
        for number in np.unique(part_of[table.cells]).tolist():
            if number < 0:
                continue
            here = part_of[table.cells] == number
            learnt[number].append(FeasibleTable(place[table.cells[here]], table.moves[here], table.denominator))
    for part, tables in zip(found, learnt, strict=True):
        part.oracle.learn(tables)
    return found


def alone(oracle: Oracle, columns: NDArray[np.int64], asked: Sequence[int]) -> Part:
    """Some cells (int64, ascending) while everything else stands still: what moves then is a table of the whole.

    asked: positions of the requirements that are asked of them.
    """
    needs = _renumbered(oracle.requirements, asked, columns)
    return Part(columns, tuple(asked), oracle.alike(restricted(oracle.equations, columns), needs, hasty=True))


def learn_from(oracle: Oracle, part: Part, pattern: NDArray[np.bool_]) -> None:
    """Let the whole remember the tables of a part that serve a pattern (bool, cells of the part)."""
    if part.oracle is oracle:
        return
    oracle.learn([replace(table, cells=part.cells[table.cells]) for table in part.oracle.tables(pattern)])


def restricted(equations: Equations, columns: NDArray[np.int64]) -> Equations:
    """The relations as they are with all columns published but these (int64, ascending), which are numbered anew.

    It has no short relations: what these say of published cells is no sum of columns that are left.
    """
    part = equations.component(columns, csr_array((0, len(columns)), dtype=np.int64))
    return Equations(
        part.matrix,
        csr_array(part.matrix.T.tocsr()),
        csr_array((0, len(columns)), dtype=np.int64),
        part.lower,
        part.upper,
        equations.column_lower[columns],
        equations.column_upper[columns],
        equations.value[columns],
        equations.always_open[columns],
        int(np.count_nonzero(columns < equations.cells)),
        equations.further[columns[columns >= equations.cells] - equations.cells],
    )


def _renumbered(
    requirements: Sequence[Requirement], asked: Sequence[int], columns: NDArray[np.int64]
) -> tuple[Requirement, ...]:
    """Requirements of one part; what an attacker knows of other parts does not matter in it."""
    place = {column: at for at, column in enumerate(columns.tolist())}
    return tuple(
        replace(
            requirements[q],
            cell=place[requirements[q].cell],
            attacker=_within(requirements[q].attacker, place),
            sure=True,  # of a part everything is asked, whatever a search may do without
        )
        for q in asked
    )


def _within(attacker: Attacker, place: Mapping[int, int]) -> Attacker:
    """What an attacker knows of some cells."""
    return replace(attacker, known=tuple(place[c] for c in attacker.known if c in place))
