"""Forms over a reduced system, cut into parts that lie in one component each."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Component
from audit.linear.reduce import Reduced


@dataclass(frozen=True)
class Split:
    """Every form as a constant plus targets of components.

    constant: (forms). parts: of each form (component, target) pairs. components: label -> the component; columns: label
    -> its columns in the system.
    """

    constant: tuple[int, ...]
    parts: tuple[tuple[tuple[int, int], ...], ...]
    components: dict[int, Component]
    columns: dict[int, NDArray[np.int64]]


def split(reduced: Reduced, forms: csr_array, skip: NDArray[np.bool_]) -> Split:
    """Cut the forms; of those to skip only the constant is right. forms: int64 (forms x columns)."""
    constant: list[int] = []
    parts: list[tuple[tuple[int, int], ...]] = []
    targets: dict[int, dict[tuple[tuple[int, int], ...], int]] = {}
    for f, (a, b) in enumerate(pairwise(forms.indptr.tolist())):
        columns, weights = forms.indices[a:b], forms.data[a:b]
        fixed = reduced.fixed[columns]
        constant.append(int(weights[fixed] @ reduced.value[columns[fixed]]))
        pieces: dict[int, list[tuple[int, int]]] = {}
        if not skip[f]:
            for column, weight in sorted(zip(columns[~fixed].tolist(), weights[~fixed].tolist(), strict=True)):
                pieces.setdefault(int(reduced.component[column]), []).append((column, weight))
        own = []
        for c, piece in sorted(pieces.items()):
            known = targets.setdefault(c, {})
            own.append((c, known.setdefault(tuple(piece), len(known))))
        parts.append(tuple(own))
    order = np.argsort(reduced.component, kind="stable")
    first = np.searchsorted(reduced.component[order], np.arange(reduced.components + 1))
    row_label = reduced.component[reduced.matrix.indices[reduced.matrix.indptr[:-1]]]
    row_order = np.argsort(row_label, kind="stable")
    row_first = np.searchsorted(row_label[row_order], np.arange(reduced.components + 1))
    members = {c: order[first[c] : first[c + 1]] for c in sorted(targets)}
    components = {
        c: _component(reduced, row_order[row_first[c] : row_first[c + 1]], columns, list(targets[c]))
        for c, columns in members.items()
    }
    return Split(tuple(constant), tuple(parts), components, members)


def _component(
    reduced: Reduced,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    targets: list[tuple[tuple[int, int], ...]],
) -> Component:
    indptr = np.concatenate([[0], np.cumsum([len(t) for t in targets])]).astype(np.int64)
    at = np.searchsorted(columns, [column for t in targets for column, _ in t])
    weight = np.array([weight for t in targets for _, weight in t], dtype=np.int64)
    return Component(
        csr_array(reduced.matrix[rows][:, columns]),
        reduced.lower[rows],
        reduced.upper[rows],
        reduced.column_lower[columns],
        reduced.column_upper[columns],
        csr_array((weight, at, indptr), shape=(len(targets), len(columns))),
    )
