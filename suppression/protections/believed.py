"""How far readers may believe published small counts, exactly: by what a method does to counts, and how many there are.

Bayes: of the cells that are expected to show a count, those that have it. Readers who know the matrix and how many
cells have which counts can compute it as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from tableseal.audit.attacks.confidence import USUAL_LIMIT, small_below
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import BELIEVABLE, Note, Policy
from tableseal.suppression.protections.method import Changed


def believed(
    chances: Iterable[tuple[int, int, Mapping[int, Fraction]]], below: int, *, least: int = 1
) -> Fraction | None:
    """The a-posteriori probability that a published count from `least` to below `below` is the true one; None: none
    is published.

    chances: a count, how many cells have it, and what it may become with which probability.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> believed([(1, 4, {1: half, 2: half}), (2, 2, {2: Fraction(1)}), (9, 5, {9: Fraction(1)})], 3)
    Fraction(2, 3)
    """
    shown = right = Fraction(0)
    for count, cells, row in chances:
        for become, probability in row.items():
            if least <= become < below:
                shown += cells * probability
                right += cells * probability if become == count else 0
    return right / shown if shown else None


def judged(changed: Changed, policy: Policy, method: str) -> Changed:
    """What a method gives, with a note where readers may believe small counts and the policy sets no limit.

    Raises
    ------
    InputError: above the limit of the policy; nothing is to be released.
    """
    if changed.confidence is None:
        return changed
    limit, below = policy.require.confidence, small_below(policy)
    said = f"a published count from 1 to {below - 1} is the true one with probability {float(changed.confidence):.6g}"
    if limit is not None and changed.confidence > limit:
        text = f"with these settings {said}, and the policy allows {float(limit):.6g} (require: confidence)."
        raise InputError(text, at=OptionName("method", method))
    if limit is not None or changed.confidence <= USUAL_LIMIT:
        return changed
    note = Note(BELIEVABLE, f"{said[0].upper()}{said[1:]}: nearly nothing is protected.", 1)
    return replace(changed, notes=(*changed.notes, note))
