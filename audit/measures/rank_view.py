"""The rank view of a release: what withholding takes away from the equations, and what is withheld for nothing."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.linear.reduce import Reduced
from audit.measures.rank import Vector, dependencies


@dataclass(frozen=True)
class RankView:
    """Rank decreases of the withheld cells of a release; the equations are all that is known exactly.

    decrease: of withholding all of them.
    alone: bool (cells), whether withholding this one cell would take one off the rank if all others were released.
    recomputable: bool (cells), whether the equations give the cell although it is withheld: publishing it again changes
        neither rank nor any interval (withheld for nothing, O03 section 4.5.3).
    """

    decrease: int
    alone: NDArray[np.bool_]
    recomputable: NDArray[np.bool_]


def rank_view(reduced: Reduced, forms: csr_array) -> RankView:
    """The rank view of withheld cells. forms: int64 (withheld cells x columns of the system)."""
    rests = _rests(reduced, forms)
    used: set[int] = set()
    found = dependencies(rests)
    for dependency in found:
        used |= dependency.keys()
    count = forms.shape[0]
    return RankView(
        decrease=count - len(found),
        alone=np.array([k not in used for k in range(count)], np.bool_),
        recomputable=np.array([not rest for rest in rests], np.bool_),
    )


def _rests(reduced: Reduced, forms: csr_array) -> list[Vector]:
    """What the equations leave of each form, over the columns that they leave free, in whole numbers."""
    given = np.zeros(forms.shape[1], np.bool_)
    given[[column for column, _, _ in reduced.singletons]] = True
    rows: list[Vector] = []
    for a, b in pairwise(forms.indptr.tolist()):
        rest: dict[int, Fraction | int] = {}
        for column, weight in zip(forms.indices[a:b].tolist(), forms.data[a:b].tolist(), strict=True):
            if given[column]:
                continue
            part = reduced.parts[at] if (at := int(reduced.part_of[column])) >= 0 else None
            local = int(np.searchsorted(part.columns, column)) if part is not None else -1
            if part is None or local not in part.echelon.rows:
                rest[column] = rest.get(column, 0) + weight
                continue
            for other, entry in part.echelon.rows[local].items():
                place = int(part.columns[other])
                rest[place] = rest.get(place, 0) - weight * entry
        scale = lcm(*(Fraction(e).denominator for e in rest.values()))
        rows.append({c: int(e * scale) for c, e in rest.items() if e})
    return rows
