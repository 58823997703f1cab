"""What went wrong, in words for the user: the same for a verb, a release of a batch and a job."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tableseal.audit.errors import LimitError, OptionName, TablesealError
from tableseal.audit.execution.memory import OutOfMemoryError, is_lack_of_memory


@dataclass(frozen=True)
class Failure:
    """Why there is no result.

    kind: `input` (it cannot be used: mend it), `limit` (of size, time or memory), `fault` (of this program).
    """

    kind: Literal["input", "limit", "fault"]
    message: str


def failure_of(error: Exception, spelled: Callable[[OptionName], str] = str) -> Failure:
    """An error as a failure, with options spelled so. The text of an unexpected one is left out: it may hold
    confidential values."""
    if is_lack_of_memory(error) and not isinstance(error, LimitError):
        error = OutOfMemoryError(None)
    if isinstance(error, TablesealError):
        return Failure("limit" if isinstance(error, LimitError) else "input", error.words(spelled))
    return Failure(
        "fault",
        f"Unexpected error ({type(error).__name__}). This is a fault of tableseal, not of your data; please report it.",
    )
