"""What kinds of work that begin with tables share."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context
from tableseal.api.options.release import StatusMap, letters_of
from tableseal.api.options.rules import GivenRules
from tableseal.audit.errors import LimitError

if TYPE_CHECKING:
    from tableseal.audit.model import Policy, Release


class TableRequest(BaseModel):
    """A request whose files have statuses."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    status_map: StatusMap = ()


class ReleaseRequest(TableRequest):
    """Which of the files is the release, and which the policy (None: the release's own); rules: in its place.

    draft: the draft whose files these are, for those who look from the job back to it.
    """

    release: str
    policy: str | None = None
    rules: GivenRules = GivenRules()
    draft: str | None = None


def check_judging(request: ReleaseRequest) -> None:
    """Refuse letters or rules that are none, and rules beside a policy.

    Raises
    ------
    InputError: names the option.
    """
    letters_of(request.status_map)
    request.rules.instead_of(None if request.policy is None else Path(request.policy))


def release_in(request: ReleaseRequest, context: Context) -> "Release":
    """The release that a request names, read as the command line reads it.

    Raises
    ------
    InputError: it cannot be used. LimitError: too many rows or columns.
    """
    policy = request.rules.instead_of(None if request.policy is None else context.folder / request.policy)
    return read(context.folder / request.release, request, context, policy)


def read(path: Path, request: TableRequest, context: Context, policy: "Path | Policy | None" = None) -> "Release":
    """A release among the files of a request.

    Raises
    ------
    InputError: it cannot be used. LimitError: too many rows or columns.
    """
    from tableseal.audit.io import read_release

    context.progress("reading", 0, 0)
    release = read_release(path, policy=policy, status_map=letters_of(request.status_map))
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


def check_cells(cells: int, most: int) -> None:
    """Refuse tables with more cells than the service takes.

    Raises
    ------
    LimitError: says how many there are.
    """
    if cells > most:
        raise LimitError(f"The table has {cells:,} cells; this service takes at most {most:,}.")
