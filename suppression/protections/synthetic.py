"""A synthetic table: drawn from all that have the margins of the true one, each as likely.

Inner cells are replaced, and every other cell keeps its true value. What is shown of inner cells depends on the others
alone, so it tells nothing: a reader knows what the margins say, no more. Source of the notion: Oganian & Domingo-Ferrer
2003, section 1.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, eye_array

from tableseal.audit.errors import LimitError
from tableseal.audit.measures.feasible_tables.draw import drawn_table
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.protections.inner_cells import listed_cells
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.ranges import within
from tableseal.suppression.protections.subject import Subject

NO_END = 2**62


@dataclass(frozen=True)
class Synthetic:
    """Nothing is to be said."""


def synthesise(subject: Subject, settings: Synthetic, tools: Tools) -> Changed:
    """Draw inner cells, which are the finest that the tables list.

    Raises
    ------
    InputError: a measure that is no count, a count that may be negative or is in no total. LimitError: too many inner
        cells, or the time is over.
    """
    kinds = np.array([m.kind != "count" for m in subject.release.measures.values()])
    subject.refuse(kinds[subject.cells.measure], "is no count; counts are drawn")
    negative = (subject.value < 0) if subject.nonnegative else np.ones(len(subject.cells), np.bool_)
    subject.refuse(negative, "may be negative; counts are drawn")
    inner = listed_cells(subject)
    assert inner.owner is not None
    margin = np.ones(len(subject.cells), np.bool_)
    margin[inner.owner] = False
    forms = csr_array(inner.forms[np.flatnonzero(margin)]).tocoo()
    most = np.full(len(inner.owner), NO_END)
    np.minimum.at(most, forms.col, subject.value[margin][forms.row])
    fixed = subject.known_zero[inner.owner]
    unbounded = np.zeros(len(margin), np.bool_)
    unbounded[inner.owner[(most == NO_END) & ~fixed]] = True
    subject.refuse(unbounded, "is in no total, so that nothing bounds what could be drawn; list a total of it")
    columns = np.sort(inner.owner[~fixed])
    upper = np.zeros(len(margin), np.int64)
    upper[inner.owner] = np.where(fixed, 0, most)
    component = subject.equations.component(columns, csr_array(eye_array(len(columns), dtype=np.int64)))
    zeros = np.zeros(len(columns), np.int64)
    component = replace(component, column_lower=zeros, column_upper=upper[columns])
    drawn = drawn_table(component, tools.seed, Highs(), tools.limits)
    if drawn is None:
        raise LimitError("no table was drawn: too many inner cells, or not enough time.")
    shown = subject.value.copy()
    shown[columns] = drawn
    low, high = np.where(margin, shown, 0), np.where(margin, shown, upper)
    return within(subject, shown, low, high)
