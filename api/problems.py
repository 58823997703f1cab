"""Problem documents (RFC 9457): what went wrong, for programs and for people, pointing into the request."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tableseal.api.places import Files, Located, places_in
from tableseal.audit.errors import AdditivityError, ContradictionError, Imbalance, LimitError, TablesealError
from tableseal.audit.execution.memory import OutOfMemoryError

PREFIX = "urn:tableseal:problem:"

NOWHERE = Files()

_OPTION = re.compile(r'(?<![\w"-])--([a-z](?:[a-z-]*[a-z])?)')
"""An option in a message that was written for the command line; over HTTP it is a query parameter."""


@dataclass(frozen=True)
class Problem:
    """One problem.

    slug: end of its type, which programs rely on. detail: complete; it never holds the value of a withheld cell.
    places: where in the request it lies, the most important place first. parameter: the query parameter, form field or
    header that is meant. imbalances: released sums that do not add up.
    """

    slug: str
    title: str
    status: int
    detail: str
    places: tuple[Located, ...] = ()
    parameter: str | None = None
    imbalances: tuple[Imbalance, ...] = ()

    def document(self) -> dict[str, Any]:
        """As it is sent and kept: the first place stands beside the detail, all of several in `places`."""
        written = {
            "type": PREFIX + self.slug,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **(_present(self.places[0]) if self.places else {}),
        }
        if self.parameter is not None:
            written["parameter"] = self.parameter
        if len(self.places) > 1:
            written["places"] = [_present(place) for place in self.places]
        if self.imbalances:
            written["imbalances"] = [asdict(one) for one in self.imbalances]
        return written


def _present(place: Located) -> dict[str, Any]:
    return {key: value for key, value in asdict(place).items() if value is not None}


TIME_LIMIT = Problem(
    "time-limit",
    "The job took too long",
    422,
    "The job was stopped at the time limit of this service. Ask for `time_limit` or for `bounds=lp`, or audit fewer "
    "tables together.",
)
MEMORY_LIMIT = Problem(
    "memory-limit",
    "The job needs too much memory",
    422,
    "The job was stopped at the memory limit of this service. Audit fewer tables together.",
)
POISON = Problem(
    "worker-lost",
    "The job takes its workers down",
    500,
    "The processes that worked on this job ended before it was done, again and again (killed, or out of memory). "
    "It is not tried again.",
)
UNEXPECTED = Problem(
    "unexpected",
    "Unexpected error",
    500,
    "This is a fault of tableseal, not of your data; please report it.",
)

_KINDS: Mapping[type[TablesealError], tuple[str, str]] = {
    AdditivityError: ("not-additive", "Released values do not add up"),
    ContradictionError: ("contradiction", "No table fits what is released"),
}


def without_dashes(text: str) -> str:
    """A message that was written for the command line, with its options as parameters: `--p-percent` as `p_percent`."""
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), text)


def problem_of(error: TablesealError, files: Files = NOWHERE) -> Problem:
    """The problem behind an error; `files` of the request, to find the places that the message names."""
    text = without_dashes(str(error))
    if isinstance(error, OutOfMemoryError):
        return replace(MEMORY_LIMIT, detail=f"{MEMORY_LIMIT.detail} It allows {error.megabytes:,} MB.")
    if isinstance(error, LimitError):
        return Problem("limit", "A limit was reached", 422, text)
    option = _OPTION.match(str(error))
    if option is not None:
        name = option[1].replace("-", "_")
        return Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter=name)
    slug, title = _KINDS.get(type(error), ("invalid-release", "The release cannot be used"))
    imbalances = error.imbalances if isinstance(error, AdditivityError) else ()
    return Problem(slug, title, 422, text, tuple(places_in(error, files)), imbalances=imbalances)
