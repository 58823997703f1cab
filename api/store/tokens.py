"""API keys: made once, kept only as digests."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from secrets import token_hex, token_urlsafe

from sqlalchemy import Connection, insert, select

from api.store.engine import clock
from api.store.schema import tokens

PREFIX = "tsk_"
"""Every key begins so, for programs that look for keys in the wrong places."""


class Role(StrEnum):
    """What somebody may do."""

    READER = "reader"
    """Look at his own jobs and results."""
    ANALYST = "analyst"
    """And ask for new ones."""
    OFFICER = "officer"
    """And whatever needs an officer's decision."""


@dataclass(frozen=True)
class Principal:
    """Who is asking.

    owner: to whom everything belongs that he asks for, such as his department. who: he himself, for the log.
    """

    owner: str
    role: Role
    who: str = "local"


def create_token(connection: Connection, owner: str, role: Role, *, days: float | None = None) -> str:
    """A new key; this is the only time that it can be seen."""
    key = PREFIX + token_urlsafe(32)
    now = clock(connection)
    expires = None if days is None else now + days * 86400
    row = {"id": token_hex(16), "owner": owner, "role": role, "hash": _digest(key), "created": now, "expires": expires}
    connection.execute(insert(tokens).values(**row))
    return key


def principal_of(connection: Connection, key: str) -> Principal | None:
    """Whose key this is; None if it is none, has expired or was revoked."""
    row = connection.execute(select(tokens).where(tokens.c.hash == _digest(key))).one_or_none()
    if row is None or row.revoked is not None:
        return None
    if row.expires is not None and row.expires <= clock(connection):
        return None
    return Principal(row.owner, Role(row.role))


def _digest(key: str) -> str:
    # A key holds 256 random bits: nothing is gained by a slow digest.
    return hashlib.sha256(key.encode()).hexdigest()
