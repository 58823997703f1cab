"""Attacks against a generator, with its memory and without, measured by true counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated

import numpy as np

from tableseal.audit.hypercube.model import BaseCells
from tableseal.suppression.generator.attacks.averaging import averaging
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


def replay(
    generator: Generator,
    base: BaseCells,
    modulus: int,
    targets: Sequence[Target],
    names: Sequence[str] = tuple(ATTACKS),
    seed: int = 1,
) -> tuple[Replay, ...]:
    """Each attack by a new user, with the memory of the policy (the usual one, if it has none) and without."""
    remembering = replace(generator, policy=replace(generator.policy, memory=generator.policy.memory or MemoryRule()))
    found = []
    for name in names:
        for remembered in (False, True):
            user = User.of(remembering, base, modulus, remembered=remembered)
            found.append(_one(name, user, base, targets, remembered, seed))
    return tuple(found)


def _one(name: str, user: User, base: BaseCells, targets: Sequence[Target], remembered: bool, seed: int) -> Replay:
    truth = dict.fromkeys(targets, 0)
    for *codes, count in zip(*(c.tolist() for c in base.codes), base.count.tolist(), strict=True):
        if tuple(codes) in truth:
            truth[tuple(codes)] = count
    claims = ATTACKS[name](user, targets, np.random.default_rng(seed))
    right = [claim for claim in claims if truth[claim.target] == claim.count]
    small = {target for target, count in truth.items() if 1 <= count < user.generator.policy.threshold}
    recovered = sum(1 for claim in right if claim.target in small)
    return Replay(
        name, remembered, user.asked, user.refused, len(targets), len(small), len(claims), len(right), recovered
    )
