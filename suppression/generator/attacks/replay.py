"""Attacks against a generator, with its memory and without, measured by true counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated

import numpy as np

from tableseal.audit.codec.declared import SPARSE
from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.progress import Progress, silent
from tableseal.suppression.generator.attacks.averaging import averaging, found_range
from tableseal.suppression.generator.attacks.differences import areas, nested, shifted, trackers
from tableseal.suppression.generator.attacks.reconstruction import reconstruction
from tableseal.suppression.generator.attacks.user import Attack, Target, User
from tableseal.suppression.generator.policy import MemoryRule
from tableseal.suppression.generator.steps import Generator

ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "nested": nested,
        "shifted": shifted,
        "areas": areas,
        "trackers": trackers,
        "averaging": averaging,
        "reconstruction": reconstruction,
    }
)
"""Name -> attack."""


@dataclass(frozen=True)
class Replay:
    """What an attack brought (agency knowledge)."""

    attack: Annotated[str, "Its name."]
    remembered: Annotated[bool, "The generator has a memory of what was answered."]
    asked: Annotated[int, "Questions."]
    refused: Annotated[int, "Of these, refused."]
    targets: Annotated[int, "Base cells that were aimed at."]
    small: Annotated[int, "Of these, those with a small count."]
    claimed: Annotated[int, "Counts of which the attacker is certain."]
    right: Annotated[int, "Of these, the true ones."]
    recovered: Annotated[int, "Small counts that are claimed and true."]
    reach: Annotated[int | None, "No count changes by more, as the first attack of Asghar and Kaafar says.", SPARSE] = (
        None
    )


def replay(
    generator: Generator,
    base: BaseCells,
    modulus: int,
    targets: Sequence[Target],
    names: Sequence[str] = tuple(ATTACKS),
    seed: int = 1,
    progress: Progress = silent,
) -> tuple[Replay, ...]:
    """Each attack by a new user, with the memory of the policy (the usual one, if it has none) and without."""
    remembering = replace(generator, policy=replace(generator.policy, memory=generator.policy.memory or MemoryRule()))
    found = []
    for at, name in enumerate(names):
        progress("attacks", at, len(names))
        for remembered in (False, True):
            user = User.of(remembering, base, modulus, remembered=remembered)
            found.append(_one(name, user, base, targets, remembered, seed))
    return tuple(found)


def _one(name: str, user: User, base: BaseCells, targets: Sequence[Target], remembered: bool, seed: int) -> Replay:
    truth = {target: _count_of(base, target) for target in targets}
    reach = None
    if name == "averaging":  # asked for by a user of his own, so that both attacks begin with nothing
        other = User.of(user.generator, base, user.modulus, remembered=remembered)
        reach = found_range(other, targets[0], np.random.default_rng(seed)) if targets else 0
    claims = ATTACKS[name](user, targets, np.random.default_rng(seed))
    right = [claim for claim in claims if truth[claim.target] == claim.count]
    small = {target for target, count in truth.items() if 1 <= count < user.generator.policy.threshold}
    recovered = sum(1 for claim in right if claim.target in small)
    return Replay(
        name, remembered, user.asked, user.refused, len(targets), len(small), len(claims), len(right), recovered, reach
    )


def drawn_targets(base: BaseCells, threshold: int, small: int, others: int, seed: int) -> tuple[Target, ...]:
    """Base cells to aim at: so many with a small count and with a larger one (all, if there are fewer), drawn."""
    random = np.random.default_rng(seed)
    is_small = base.count < threshold
    found = list[Target]()
    for number, some in ((small, np.flatnonzero(is_small)), (others, np.flatnonzero(~is_small))):
        chosen = np.sort(random.choice(some, min(number, len(some)), replace=False)) if len(some) else some
        found += [tuple(int(code[b]) for code in base.codes) for b in chosen.tolist()]
    return tuple(found)


def _count_of(base: BaseCells, target: Target) -> int:
    inside = np.ones(len(base), np.bool_)
    for code, own in zip(base.codes, target, strict=True):
        inside &= code == own
    return int(base.count[inside].sum())
