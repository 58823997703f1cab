"""Shipped cases of attacks on a table generator: users who ask on, with the generator's memory and without."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tableseal.api.cases.case import Expected, Run
from tableseal.api.hypercubes import build
from tableseal.api.options.hypercube import HypercubeOptions
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.read import read_source
from tableseal.audit.progress import Progress
from tableseal.suppression.generator.attacks.replay import ATTACKS, Replay, replay
from tableseal.suppression.generator.attacks.user import Target
from tableseal.suppression.generator.policy_document import read_generator_policy
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.steps import Generator

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json

SECRET = 77
"""Of the changes; the secret of the keys lies beside the hypercube."""


def compute(run: Run, progress: Progress) -> Mapping[tuple[str, bool], Replay]:
    """Attack a generator with the policy and the counts of a run: (attack, with the memory) -> what it brought.

    Options: `areas`, `secret_file` (see `hypercube build`), `attacks` (all), `small` and `others` (so many base cells
    with a small count and with a large one are aimed at, the first ones).
    """
    if run.policy is None:
        raise InputError(f'run "{run.name}": a generator needs a policy.')
    said = dict(run.options)
    attacks = [str(name) for name in _listed(said.pop("attacks", list(ATTACKS)))]
    small, others = (int(str(said.pop(name, number))) for name, number in (("small", 6), ("others", 3)))
    secret = str(run.release.parent / str(said.pop("secret_file")))
    areas = tuple(str(name) for name in _listed(said.pop("areas", [])))
    source = (run.release.name, read_source(run.release))
    cube = build([source], HypercubeOptions(areas=areas, secret_file=secret)).cube
    policy, modulus = read_generator_policy(run.policy), cube.about.modulus
    assert modulus is not None
    generator = Generator(cube.about.variables, policy, protection_of(policy.protection, modulus, SECRET))
    targets = _targets(cube.held, policy.threshold, small, others)
    found: dict[tuple[str, bool], Replay] = {}
    for at, name in enumerate(attacks):
        progress("attacks", at, len(attacks))
        found |= {(one.attack, one.remembered): one for one in replay(generator, cube.held, modulus, targets, [name])}
    return found


def look_up(found: Mapping[tuple[str, bool], Replay], expected: Expected) -> "Json":
    """One value: `ATTACK with WHAT` or `ATTACK without WHAT`, a field of `Replay`, of the generator with its memory or
    without."""
    attack, which, what = expected.field.split()
    value: int = getattr(found[attack, which == "with"], what)
    return value


def _targets(base: BaseCells, threshold: int, small: int, others: int) -> list[Target]:
    every = list(zip(*(code.tolist() for code in base.codes), strict=True))
    is_small = (base.count < threshold).tolist()
    few = [target for target, one in zip(every, is_small, strict=True) if one]
    many = [target for target, one in zip(every, is_small, strict=True) if not one]
    return few[:small] + many[:others]


def _listed(said: object) -> Sequence[object]:
    return said if isinstance(said, list) else [said]
