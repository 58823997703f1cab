"""Asking by a command or a program: the counter of a hypercube with policy and secret, and what somebody is told."""

from pathlib import Path

from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.memories import Memories, audience_of
from tableseal.api.options.generator import GeneratorOptions
from tableseal.api.options.service import StoreOptions
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.hypercube.request import TableRequest


def counter_for(cube: Path, options: GeneratorOptions) -> Counter:
    """The counter of a hypercube in a folder.

    Raises
    ------
    InputError: no policy, no secret; as `opened_counter`.
    """
    if options.policy is None:
        raise InputError("is needed.", at=OptionName("policy"))
    if options.secret_file is None:
        raise InputError("is needed.", at=OptionName("secret_file"))
    return opened_counter(cube, Path(options.policy), Path(options.secret_file))


def told_to(counter: Counter, asked: TableRequest, options: GeneratorOptions, at: StoreOptions) -> TableAnswer:
    """What a user is told, which is kept in the database where the policy has a memory.

    Raises
    ------
    InputError, LimitError: as for `Memories.told` and `StoreOptions.opened`.
    """
    memory = counter.generator.policy.memory
    if memory is None:
        return counter.judged(asked, None).answer
    with at.opened() as (_, store):
        audience = audience_of(memory.scope, options.user, options.group)
        return Memories(store).told(counter, asked, audience, options.user)
