"""Problem documents (RFC 9457): what went wrong, for programs and for people, pointing into the request."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audit.errors import AdditivityError, ContradictionError, Imbalance, LimitError, TablesealError

_PREFIX = "urn:tableseal:problem:"


@dataclass(frozen=True)
class Problem:
    """One problem.

    slug: end of its type, which programs rely on. detail: complete; it never holds the value of a withheld cell.
    source: the file of the request in which it lies. pointer: JSON pointer (RFC 6901) into that file.
    parameter: the query parameter or header that is meant. imbalances: released sums that do not add up.
    """

    slug: str
    title: str
    status: int
    detail: str
    source: str | None = None
    pointer: str | None = None
    parameter: str | None = None
    imbalances: tuple[Imbalance, ...] = ()

    def document(self) -> dict[str, Any]:
        """As it is sent and kept."""
        extra = {"source": self.source, "pointer": self.pointer, "parameter": self.parameter}
        return {
            "type": _PREFIX + self.slug,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **{key: value for key, value in extra.items() if value is not None},
            **({"imbalances": [asdict(one) for one in self.imbalances]} if self.imbalances else {}),
        }


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

_KINDS: dict[type[TablesealError], tuple[str, str]] = {
    AdditivityError: ("not-additive", "Released values do not add up"),
    ContradictionError: ("contradiction", "No table fits what is released"),
}


def problem_of(error: TablesealError, source: str | None = None, document: object = None) -> Problem:
    """The problem behind an error.

    Parameters
    ----------
    source: name of the release file. document: what it holds, to find the place that the message names.
    """
    text = str(error)
    if isinstance(error, LimitError):
        return Problem("limit", "A limit was reached", 422, text)
    slug, title = _KINDS.get(type(error), ("invalid-release", "The release cannot be used"))
    pointer = None if source is None else pointer_in(text, source, document)
    imbalances = error.imbalances if isinstance(error, AdditivityError) else ()
    return Problem(slug, title, 422, text, source if pointer else None, pointer, imbalances=imbalances)


def pointer_in(message: str, source: str, document: object) -> str | None:
    """The JSON pointer of the place that a message begins with, as deep as the document has it; None: no place.

    Messages name places in one way: `release.json: tables[0] (by_size).cells row 18, column "value": ...` is
    /tables/0/cells/value/17. The document decides what is a key, so names may hold any sign.
    """
    rest = message.removeprefix(f"{source}: ")
    if rest == message:
        return None
    path: list[str] = []
    node = document
    while True:
        step = _step(rest, node)
        if step is None:
            break
        keys, node, used = step
        path += keys
        rest = rest[used:]
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path) if path else None


def _step(rest: str, node: object) -> tuple[list[str], object, int] | None:
    """Keys that the text names next, where they lead, and how many signs they take."""
    if isinstance(node, Mapping):
        label = f" ({node.get('name')})"
        if rest.startswith(label):
            return [], node, len(label)
        if rest.startswith(" row "):
            return _row(rest, node)
        dot = rest.startswith(".")
        for key in sorted(node, key=len, reverse=True):
            end = dot + len(key)
            if rest[dot:end] == key and rest[end : end + 1] in ("", ":", ".", "[", " "):
                return [key], node[key], end
    elif isinstance(node, Sequence) and not isinstance(node, str):
        if rest.startswith("["):
            number, closed, _ = rest[1:].partition("]")
            return _entry(number, node, len(number) + 2, first=0) if closed else None
        if rest.startswith(" row "):
            number = rest[5:].split(":")[0].split(",")[0]
            return _entry(number, node, 5 + len(number), first=1)
    return None


def _row(rest: str, columns: Mapping[str, object]) -> tuple[list[str], object, int] | None:
    """` row 18, column "value"` of a mapping of columns."""
    number, _, named = rest[5:].partition(', column "')
    for name in sorted(columns, key=len, reverse=True):
        entries = columns[name]
        if named.startswith(f'{name}"') and isinstance(entries, Sequence):
            found = _entry(number, entries, len(rest), first=1)
            return None if found is None else ([name, *found[0]], found[1], found[2])
    return None


def _entry(number: str, entries: Sequence[object], used: int, *, first: int) -> tuple[list[str], object, int] | None:
    if not number.isascii() or not number.isdigit() or len(number) > 12:
        return None
    at = int(number) - first
    return ([str(at)], entries[at], used) if 0 <= at < len(entries) else None
