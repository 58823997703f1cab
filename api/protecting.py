"""One protection that changes values, however it was asked for: the command line, the service and Python come through
here."""

from dataclasses import fields
from typing import TYPE_CHECKING

from tableseal.api.options.protect import MethodOptions, ProtectOptions
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.progress import Progress

if TYPE_CHECKING:
    from tableseal.audit.model import Release
    from tableseal.suppression.protections.protect import Protection


def chosen_settings(options: ProtectOptions) -> object:
    """The settings of the method asked for.

    Raises
    ------
    InputError: an unknown method, an option that is none of its settings, one that it needs.
    """
    from tableseal.suppression.protections.methods import settings_of

    return settings_of(options.method, {one.name: getattr(options, one.name) for one in fields(MethodOptions)})


def run_protection(
    release: "Release", options: ProtectOptions, *, progress: Progress | None = None, executor: Executor = HERE
) -> "Protection":
    """Change values as the options say, and audit the result.

    Raises
    ------
    InputError, LimitError: as `suppression.protections.protect.protect` and `chosen_settings`.
    """
    from tableseal.suppression.protections.protect import protect

    return protect(
        release,
        chosen_settings(options),
        seed=options.seed,
        policy=release.policy,
        time_limit=options.time_limit,
        progress=progress,
        executor=executor,
    )
