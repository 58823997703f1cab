"""What kinds of work that begin with a release share."""

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from tableseal.api.given_rules import GivenRules, policy_of
from tableseal.api.jobs.kinds import Context
from tableseal.audit.errors import LimitError

if TYPE_CHECKING:
    from tableseal.audit.model import Release

StatusMap = Annotated[
    tuple[str, ...],
    Field(description="LETTER=STATUS: what a status letter of the files means, such as c=withheld. May be repeated."),
]


class ReleaseRequest(BaseModel):
    """Which of the files is the release, and which the policy (None: the release's own); rules: in its place.

    draft: the draft whose files these are, for those who look from the job back to it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    release: str
    policy: str | None = None
    rules: GivenRules = GivenRules()
    status_map: StatusMap = ()
    draft: str | None = None


def release_in(request: ReleaseRequest, context: Context) -> "Release":
    """The release that a request names, read as the command line reads it.

    Raises
    ------
    InputError: it cannot be used. LimitError: too many rows or columns.
    """
    from tableseal.api.cli.reading import parse_status_map
    from tableseal.audit.io import read_release

    policy = policy_of(request.rules, None if request.policy is None else context.folder / request.policy)
    letters = parse_status_map(request.status_map)
    release = read_release(context.folder / request.release, policy=policy, status_map=letters)
    check_size(release, context.max_cells)
    return release


def check_size(release: "Release", most: int) -> None:
    """Refuse releases with more rows than the service takes.

    Raises
    ------
    LimitError: says how many there are.
    """
    rows = sum(len(table.status) for table in release.tables)
    if rows > most:
        raise LimitError(f"The release has {rows:,} rows in all tables; this service takes at most {most:,}.")
