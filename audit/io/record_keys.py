"""Keys of records from their identifiers, for protection by cell keys.

The key is BLAKE2b (RFC 7693) of the identifier with a secret, as a decimal from 0 to below 1: the same in every order
of the file, after deletions, and in every other file that has the record. Only the keys are kept, never the secret.
"""

from collections.abc import Sequence
from hashlib import blake2b

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.files import Folder

SHORTEST_SECRET = 16
"""Identifiers can be guessed one after another, so the secret must not be."""

DIGITS = 8
"""Of a key, as tau-ARGUS and cellKey usually have; they are uniform within 10^8 / 2^64."""


def read_secret(name: str, folder: Folder, where: Place) -> str:
    """The secret in a file, without spaces and line ends around it.

    Raises
    ------
    InputError: no such file, or it is too short.
    """
    secret = folder.text(name, where).strip()
    if len(secret) < SHORTEST_SECRET:
        raise InputError(expected=f"a file with a secret of at least {SHORTEST_SECRET} characters", at=where)
    return secret


def keys_of_identifiers(identifiers: Sequence[str | None], secret: str, where: Place) -> tuple[str, ...]:
    """A key of each record, "" for one without an identifier.

    where: the identifiers, for messages.

    Raises
    ------
    InputError: an identifier that stands twice.
    """
    seen: dict[str, int] = {}
    for row, identifier in enumerate(identifiers):
        if identifier and seen.setdefault(identifier, row) != row:
            text = f"rows {seen[identifier] + 1} and {row + 1} have the same identifier; keys need one of each record."
            raise InputError(text, at=where)
    key = blake2b(secret.encode()).digest()
    return tuple(_key(identifier, key) if identifier else "" for identifier in identifiers)


def _key(identifier: str, key: bytes) -> str:
    number = int.from_bytes(blake2b(identifier.encode(), digest_size=8, key=key).digest())
    return f"0.{number % 10**DIGITS:0{DIGITS}d}"
