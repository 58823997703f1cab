"""Forms over a reduced system, cut into parts that lie in one component each."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Component
from audit.bounds.components import Components
from audit.linear.reduce import Reduced
from audit.sparse import csr


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
    asked = sorted(targets)
    rows = [target for c in asked for target in targets[c]]
    first = np.cumsum([0, *(len(targets[c]) for c in asked)]).tolist()
    weights = csr(
        np.array([weight for row in rows for _, weight in row], dtype=np.int64),
        np.array([column for row in rows for column, _ in row], dtype=np.int64),
        np.cumsum([0, *(len(row) for row in rows)]),
        (len(rows), forms.shape[1]),
    )
    cut = Components(reduced)
    components = {c: cut.component(c, weights, a, b) for c, (a, b) in zip(asked, pairwise(first), strict=True)}
    return Split(tuple(constant), tuple(parts), components, {c: cut.columns(c) for c in asked})
