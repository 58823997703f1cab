"""Forms over a reduced system, cut into parts that lie in one component each."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.components import Components
from tableseal.audit.bounds.split_forms import cut_forms
from tableseal.audit.linear.reduce import Reduced


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
    pieces = cut_forms(reduced, forms, skip)
    label = np.repeat(np.arange(reduced.components), np.diff(pieces.start))[pieces.piece]
    target = pieces.piece - pieces.start[label]
    pairs = list(zip(label.tolist(), target.tolist(), strict=True))
    ends = np.searchsorted(pieces.form, np.arange(forms.shape[0] + 1)).tolist()
    parts = tuple(tuple(pairs[a:b]) for a, b in pairwise(ends))
    cut = Components(reduced)
    asked = np.flatnonzero(np.diff(pieces.start)).tolist()
    components = {c: cut.component(c, pieces.weights, pieces.start[c], pieces.start[c + 1]) for c in asked}
    return Split(tuple(pieces.constant.tolist()), parts, components, {c: cut.columns(c) for c in asked})
