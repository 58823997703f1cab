"""Options of `tableseal batch`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import Bounds, Html, Jobs, JsonFile, Language, MemoryLimit, Scheduler

if TYPE_CHECKING:
    from tableseal.audit.batch import Settings
    from tableseal.audit.model import Policy


ResultsFolder = Annotated[
    str, Option("Folder for the results; made if it is not there.", metavar="DIR", names=("-o", "--output"))
]


@dataclass(frozen=True, kw_only=True)
class BatchOptions(Options):
    """What may be said about a batch besides the releases."""

    together: Annotated[bool, Option("Audit all releases as one: what an intruder learns who has all of them.")] = False
    bounds: Bounds = "integer"
    time_limit: Annotated[float | None, Option("Seconds for each release.", metavar="S"), Ge(0)] = None
    html: Html = False

    def settings(self, policy: "Path | Policy | None", memory_limit: int | None = None) -> "Settings":
        """How each release is audited. policy: goes before its own; memory_limit: megabytes of each process.

        Raises
        ------
        InputError: a policy file that cannot be used.
        """
        from tableseal.audit.batch import Settings
        from tableseal.audit.io import read_policy

        rules = read_policy(policy) if isinstance(policy, Path) else policy
        return Settings(self.bounds, rules, self.time_limit, memory_limit, self.html)


@dataclass(frozen=True, kw_only=True)
class BatchOutputs(Options):
    """What the command asks besides: how the work is done."""

    memory_limit: MemoryLimit = None
    jobs: Jobs = 1
    scheduler: Scheduler = None
    json: JsonFile = None
    lang: Language = "en"
