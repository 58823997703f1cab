"""Which cells hang together: what somebody knows of one may tell something of the others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.reduce import Reduced


class Neighbourhood:
    """Which targets hang together with which.

    targets: positions among the forms.
    """

    def __init__(self, reduced: Reduced, forms: csr_array, targets: NDArray[np.int64]) -> None:
        self.reduced, self.forms, self.targets = reduced, forms, targets
        members: dict[int, list[int]] = {}
        for k in targets.tolist():
            for component in self.components(k):
                members.setdefault(component, []).append(k)
        self._members = {c: np.array(own, np.int64) for c, own in members.items()}

    def components(self, k: int) -> list[int]:
        """Open components that form k reaches into."""
        label = self.reduced.component[self.forms.indices[self.forms.indptr[k] : self.forms.indptr[k + 1]]]
        return sorted({int(c) for c in label.tolist() if c >= 0})

    def of(self, known: Sequence[int]) -> NDArray[np.int64]:
        """int64, targets that share an open component with any of these, ascending."""
        involved = {c for k in known for c in self.components(k)}
        found = [self._members[c] for c in sorted(involved) if c in self._members]
        return np.unique(np.concatenate([*found, np.empty(0, np.int64)]))
