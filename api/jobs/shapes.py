"""Documents of a request that are wrong whatever lies beside them: nobody is to wait for a job to hear of that."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tableseal.api.store.job import Document

_DOCUMENTS = (".json", ".yaml", ".yml")


def _release(content: bytes, name: str) -> None:
    from tableseal.audit.io.release_document import check_release

    check_release(content, name)


def _table(content: bytes, name: str) -> None:
    """A release, or a bare matrix, which only the options tell how to read."""
    if name.lower().endswith(_DOCUMENTS):
        _release(content, name)


def _policy(content: bytes, name: str) -> None:
    from tableseal.audit.io.policy_file import policy_from_bytes

    policy_from_bytes(content, name)


def _decisions(content: bytes, name: str) -> None:
    from tableseal.suppression.problem.decisions import decisions_from_bytes

    decisions_from_bytes(content, name)


def _plan(content: bytes, name: str) -> None:
    from tableseal.audit.plans.read import check_plan

    check_plan(content, name)


CHECKS: Final[Mapping[str, Callable[[bytes, str], None]]] = MappingProxyType(
    {
        "release": _release,
        "last_period": _release,
        "original": _table,
        "protected": _table,
        "table": _table,
        "policy": _policy,
        "decisions": _decisions,
        "plan": _plan,
    }
)
"""Field of a request that names a file -> what refuses that file."""


def check_shapes(roles: Mapping[str, Document]) -> None:
    """Refuse files of a request (by the fields that name them) that no job could read.

    Raises
    ------
    InputError: where, what was found and expected; all errors of a document at once. LimitError: too many columns.
    """
    for role, file in roles.items():
        if role in CHECKS:
            CHECKS[role](file.read(), file.name)
