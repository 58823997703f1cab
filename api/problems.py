"""Problem documents (RFC 9457): what went wrong, for programs and for people, pointing into the request."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tableseal.audit.errors import AdditivityError, ContradictionError, Imbalance, LimitError, Place, TablesealError
from tableseal.audit.execution.memory import OutOfMemoryError

PREFIX = "urn:tableseal:problem:"


@dataclass(frozen=True)
class Problem:
    """One problem.

    slug: end of its type, which programs rely on. detail: complete; it never holds the value of a withheld cell.
    places: where in the request it lies, the most important place first. parameter: the query parameter, form field or
    header that is meant. found, expected: as the detail says them. keys: of the release file, that would settle it.
    imbalances: released sums that do not add up. errors: all of a document that has several, this one first.
    """

    slug: str
    title: str
    status: int
    detail: str
    places: tuple[Place, ...] = ()
    parameter: str | None = None
    found: str | None = None
    expected: str | None = None
    keys: tuple[str, ...] = ()
    imbalances: tuple[Imbalance, ...] = ()
    errors: tuple["Problem", ...] = ()

    def document(self) -> dict[str, Any]:
        """As it is sent and kept: the first place stands beside the detail, all of several in `places`."""
        written = {
            "type": PREFIX + self.slug,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **(_present(self.places[0]) if self.places else {}),
        }
        beside = {"found": self.found, "expected": self.expected, "keys": self.keys, "parameter": self.parameter}
        written |= {key: value for key, value in beside.items() if value}
        if len(self.places) > 1:
            written["places"] = [_present(place) for place in self.places]
        if self.imbalances:
            written["imbalances"] = [asdict(one) for one in self.imbalances]
        if self.errors:
            several = [one.document() for one in self.errors]
            written["errors"] = [
                {k: v for k, v in one.items() if k not in ("type", "title", "status")} for one in several
            ]
        return written


def _present(place: Place) -> dict[str, Any]:
    """What is known of a place; a pointer says it of a document."""
    known = {**asdict(place), "path": None, "pointer": place.pointer, "cell": dict(place.cell)}
    return {key: value for key, value in known.items() if value not in (None, "", {})}


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
    LimitError: ("limit", "A limit was reached"),
}


def problem_of(error: TablesealError) -> Problem:
    """The problem behind an error."""
    if isinstance(error, OutOfMemoryError):
        return replace(MEMORY_LIMIT, detail=f"{MEMORY_LIMIT.detail} It allows {error.megabytes:,} MB.")
    slug, title = _KINDS.get(type(error), ("invalid-release", "The release cannot be used"))
    if error.option is not None:
        slug, title = "invalid-parameter", "A parameter cannot be used"
    return Problem(
        slug,
        title,
        422,
        str(error),
        error.places,
        parameter=None if error.option is None else error.option.name,
        found=error.found,
        expected=error.expected,
        keys=error.keys,
        imbalances=error.imbalances if isinstance(error, AdditivityError) else (),
        errors=tuple(map(problem_of, error.several)),
    )
