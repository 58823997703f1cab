"""Options of `tableseal publish`."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, MaxLen, MinLen

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import Jobs, JsonFile, MemoryLimit, Scheduler
from tableseal.api.options.suppress import METHODS, SuppressOptions


@dataclass(frozen=True, kw_only=True)
class PublishOptions(Options):
    """How the clusters of a plan are protected, where the plan does not say it."""

    method: Annotated[
        str | None,
        Option("Search method of all clusters for which the plan names none.", metavar="NAME", choices=METHODS),
        MaxLen(40),
    ] = None
    time_limit: Annotated[
        float | None, Option("Seconds for the search of each cluster, unless the plan says them.", metavar="S"), Ge(0)
    ] = None
    proof: Annotated[
        bool, Option("Also write a proof of every cluster that `tableseal verify` checks (confidential).")
    ] = False

    def search(self) -> SuppressOptions:
        """The same as options of a search."""
        given = {} if self.method is None else {"method": self.method}
        return SuppressOptions(time_limit=self.time_limit, explain=False, **given)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class UnderOptions(Options):
    """Under which name everything is published."""

    publication: Annotated[
        str | None,
        Option(
            "Judge everything together with all that was published before under this name, and remember it there.",
            metavar="NAME",
        ),
    ] = None
    revises: Annotated[
        tuple[str, ...],
        Option(
            "Entry of the publication, or table of an entry, whose values this one changes.", metavar="ENTRY[:TABLE]"
        ),
    ] = ()
    despite: Annotated[
        str | None,
        Option(
            "Publish it even if it is not safe beside what is out, for this reason; kept. Each cluster has to be safe.",
            metavar="REASON",
        ),
        MinLen(1),
        MaxLen(1000),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OwnedUnderOptions(UnderOptions):
    """The same where nobody has signed in: whose it is, is said, too."""

    owner: Annotated[str, Option("Whose publication it is (default: a service without keys).", metavar="NAME")] = (
        "local"
    )


@dataclass(frozen=True, kw_only=True)
class PublishOutputs(Options):
    """What the command asks besides: how the work is done."""

    sign: Annotated[
        str | None, Option("Sign the certificate with a private key (Ed25519, PEM, no password).", metavar="KEY.pem")
    ] = None
    memory_limit: MemoryLimit = None
    jobs: Jobs = 1
    scheduler: Scheduler = None
    json: JsonFile = None
