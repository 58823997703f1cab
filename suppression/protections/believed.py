"""How far readers may believe published small counts, exactly: by what a method does to counts, and how many there are.

Bayes: of the cells that are expected to show a count, those that have it. Readers who know the matrix and how many
cells have which counts can compute it as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tableseal.audit.attacks.confidence import USUAL_LIMIT, judge_confidence, small_below
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import BELIEVABLE, UNSTATED, Note, Policy, Release
from tableseal.suppression.protections.method import Changed
from tableseal.suppression.protections.subject import Subject


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


def counted(release: Release, policy: Policy) -> Fraction | None:
    """The same of a method that draws nothing: the share of changed small counts that are the true ones, as the audit
    counts them.

    release: with changed values.
    """
    cells, _ = merge_cells(release)
    found = judge_confidence(release, cells, policy)
    return Fraction(found.right, found.shown) if found.shown else None


def judged(subject: Subject, changed: Changed, policy: Policy, name: str) -> Changed:
    """What a method gives, with a note where readers may believe small counts and the policy sets no limit, or where it
    is not computed how far they may.

    Raises
    ------
    InputError: above the limit of the policy; nothing is to be released.
    """
    limit, below = policy.require.confidence, small_below(policy)
    if changed.confidence is None:
        counts = np.array([measure.kind == "count" for measure in subject.release.measures.values()], np.bool_)
        shown = changed.shown.units[changed.shown.known & counts[subject.cells.measure]]
        small = int(((shown >= 1) & (shown < below)).sum())
        if not small:
            return changed
        text = f"With which probability a published count from 1 to {below - 1} is the true one is not computed here"
        note = Note(UNSTATED, f"{text}.", small)
        return replace(changed, notes=(*changed.notes, note), details=(*changed.details, text))
    said = f"a published count from 1 to {below - 1} is the true one with probability {float(changed.confidence):.6g}"
    if limit is not None and changed.confidence > limit:
        text = f"with these settings {said}, and the policy allows {float(limit):.6g} (require: confidence)."
        raise InputError(text, at=OptionName("method", name))
    if limit is not None or changed.confidence <= USUAL_LIMIT:
        return changed
    note = Note(BELIEVABLE, f"{said[0].upper()}{said[1:]}: nearly nothing is protected.", 1)
    return replace(changed, notes=(*changed.notes, note))
