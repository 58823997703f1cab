"""What went wrong, in words for the user: the same for a verb, a release of a batch and a job."""

from dataclasses import dataclass
from typing import Literal

from audit.errors import LimitError, TablesealError


@dataclass(frozen=True)
class Failure:
    """Why there is no result.

    kind: `input` (it cannot be used: mend it), `limit` (of size, time or memory), `fault` (of this program).
    """

    kind: Literal["input", "limit", "fault"]
    message: str


def failure_of(error: Exception) -> Failure:
    """An error as a failure. The text of an unexpected one is left out: it may hold confidential values."""
    if isinstance(error, LimitError):
        return Failure("limit", str(error))
    if isinstance(error, TablesealError):
        return Failure("input", str(error))
    if isinstance(error, MemoryError) or _no_room_for_library(error):
        return Failure(
            "limit",
            "not enough memory for this audit. Give it more with --memory-limit, or audit fewer tables together.",
        )
    return Failure(
        "fault",
        f"Unexpected error ({type(error).__name__}). This is a fault of tableseal, not of your data; please report it.",
    )


def _no_room_for_library(error: Exception) -> bool:
    """A compiled library was to be loaded when memory was short already: the words are those of the system's linker."""
    return isinstance(error, ImportError) and "failed to map segment" in str(error)
