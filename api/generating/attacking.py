"""Attacks on the table generator of a hypercube in a folder, in this process: nothing is kept of what is asked."""

from pathlib import Path

from tableseal.api.generating.counter import opened_counter
from tableseal.api.options.generator_attack import GeneratorAttackOptions
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.hypercube.model import HeldCells
from tableseal.audit.hypercube.store import HELD
from tableseal.audit.progress import Progress
from tableseal.suppression.generator.attacks.document import GeneratorAttack
from tableseal.suppression.generator.attacks.replay import ATTACKS, drawn_targets, replay


def attacked(cube: Path, options: GeneratorAttackOptions, progress: Progress) -> GeneratorAttack:
    """What the attacks bring back.

    Raises
    ------
    InputError: no policy, no secret; as `opened_counter`; a hypercube that is not kept in memory.
    """
    if options.policy is None:
        raise InputError("is needed.", at=OptionName("policy"))
    if options.secret_file is None:
        raise InputError("is needed.", at=OptionName("secret_file"))
    counter = opened_counter(cube, Path(options.policy), Path(options.secret_file))
    if not isinstance(counter.cells, HeldCells):
        raise InputError(f"is attacked with at most {HELD:,} cells that are not empty.", at=cube.name)
    base, threshold = counter.cells.held, counter.generator.policy.threshold
    targets = drawn_targets(base, threshold, options.small, options.others, options.seed)
    names = tuple(name for name in ATTACKS if name in options.attacks or not options.attacks)
    found = replay(counter.generator, base, counter.modulus, targets, names, options.seed, progress)
    return GeneratorAttack(counter.name, threshold, options.seed, found)
