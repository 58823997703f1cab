"""The least whole value of a target, from the vertex where its least real value is: cuts, and splits in between."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.tableaux.cuts import with_cuts
from tableseal.audit.bounds.tableaux.dictionary import BUDGET, CUT, DONE, EMPTY, Aim, Dictionary, Ints, copied
from tableseal.audit.bounds.tableaux.fixing import narrowed
from tableseal.audit.bounds.tableaux.splits import dive

PIVOTS = 3000
"""Pivots that one round of cuts may take."""

SMALL = 100_000
"""Entries up to which the first splits are tried with all that can move: nearly all ends are closed by them, in less
time than it takes to find out what cannot (384 x 110: 0.2 ms). Larger ones are copied at every split."""

FEW = 6
"""Splits tried first on a small dictionary: what they leave open, cuts close sooner than more splits do (mh3d_mid with
a pattern of tau-ARGUS: 0.11 instead of 0.15 s). On large ones that leaves ends to integer programs, for minutes."""


def least_whole(
    kernel: ModuleType,
    d: Dictionary,
    aim: Aim,
    best: int,
    witness: Callable[[NDArray[Any]], int],
    boxes: tuple[int, ...],
) -> bool:
    """Look for tables with less than `best` until one has the goal, or it is proved that there are none.

    Parameters
    ----------
    d: a dictionary at the minimum of the aim; it is left as it is.
    witness: told w of the columns of a whole vertex, says what is best now.
    boxes: splits to try, in turn with rounds of cuts.

    Returns
    -------
    True if it is proved that nothing less than what is best now is possible.
    """
    fixed: Ints = np.zeros(aim.columns, np.int64)
    own, face = len(d.span), d if d.T.size <= SMALL else narrowed(d, aim, best, fixed)
    for at, nodes in enumerate(boxes):
        if face is None:
            return True
        if nodes:
            tried = min(FEW, nodes) if face is d else nodes
            closed, found = dive(kernel, copied(face), aim, best, lambda w: witness(w + fixed), tried)
            if closed:
                return True
            if found < best or face is d:
                best = found
                face = narrowed(face, aim, best, fixed)
                if face is None:
                    return True
        if at + 1 == len(boxes):
            break
        face = with_cuts(face, aim, own)
        face.state[BUDGET] = PIVOTS
        code = int(kernel.reoptimise(face, aim.variable, aim.sign, best))
        if code in (EMPTY, CUT):
            return True
        if code != DONE:
            return False
        face = narrowed(face, aim, best, fixed)
    return False
