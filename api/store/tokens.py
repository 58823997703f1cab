"""API keys, and sessions of browsers that were given one: found by a public part, kept only as digests."""

import hmac
from dataclasses import dataclass
from enum import StrEnum
from secrets import token_hex, token_urlsafe

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from tableseal.api.store.engine import clock
from tableseal.api.store.schema import sessions, tokens

PREFIX = "tsk_"
"""Every key begins so, for programs that look for keys in the wrong places."""


class Role(StrEnum):
    """What somebody may do."""

    READER = "reader"
    """Look at the owner's jobs, results and publications."""
    ANALYST = "analyst"
    """And ask for new ones, and erase them."""
    OFFICER = "officer"
    """And publish, withdraw, and read the log."""
    ADMIN = "admin"
    """And see how the service is doing: numbers and times of all owners' jobs, and end them."""


@dataclass(frozen=True)
class Principal:
    """Who is asking.

    owner: to whom everything belongs that he asks for, such as his department. who: he himself, for the log.
    """

    owner: str
    role: Role
    who: str = "local"


@dataclass(frozen=True)
class Token:
    """What can be told of a key. Times are seconds since 1970."""

    id: str
    owner: str
    name: str
    role: Role
    created: float
    expires: float | None
    revoked: float | None


def create_token(
    connection: Connection, owner: str, role: Role, *, name: str = "", days: float | None = None, secret: bytes = b""
) -> str:
    """A new key; this is the only time that it can be seen. secret: what its digest is keyed with."""
    public = token_hex(6)
    key = f"{PREFIX}{public}_{token_urlsafe(32)}"
    now = clock(connection)
    expires = None if days is None else now + days * 86400
    row = {"id": public, "owner": owner, "name": name, "role": role, "created": now, "expires": expires}
    connection.execute(insert(tokens).values(**row, hash=_digest(key, secret)))
    return key


def principal_of(connection: Connection, key: str, secret: bytes = b"") -> Principal | None:
    """Whose key this is; None if it is none, has expired or was revoked."""
    row = _valid(connection, tokens.c.id == key.removeprefix(PREFIX).partition("_")[0])
    if row is None or not hmac.compare_digest(row.hash, _digest(key, secret)):
        return None
    return _principal(row)


def tokens_of(connection: Connection, owner: str | None = None) -> tuple[Token, ...]:
    """All keys, or those of an owner, in the order in which they were made."""
    chosen = select(tokens).order_by(tokens.c.created, tokens.c.id)
    if owner is not None:
        chosen = chosen.where(tokens.c.owner == owner)
    return tuple(
        Token(r.id, r.owner, r.name, Role(r.role), r.created, r.expires, r.revoked) for r in connection.execute(chosen)
    )


def revoke_token(connection: Connection, public: str) -> Token | None:
    """Let a key and its sessions end at once; None if there is none, or it was revoked before."""
    row = connection.execute(select(tokens).where(tokens.c.id == public, tokens.c.revoked.is_(None))).one_or_none()
    if row is None:
        return None
    now = clock(connection)
    connection.execute(update(tokens).where(tokens.c.id == public).values(revoked=now))
    connection.execute(delete(sessions).where(sessions.c.token == public))
    return Token(row.id, row.owner, row.name, Role(row.role), row.created, row.expires, now)


def begin_session(connection: Connection, key: str, seconds: float, secret: bytes = b"") -> str | None:
    """What a browser may show instead of a key for so long; None if the key is no good."""
    if principal_of(connection, key, secret) is None:
        return None
    session = token_urlsafe(32)
    public = key.removeprefix(PREFIX).partition("_")[0]
    row = {"hash": _digest(session, secret), "token": public, "expires": clock(connection) + seconds}
    connection.execute(insert(sessions).values(**row))
    return session


def principal_in(connection: Connection, session: str, secret: bytes = b"") -> Principal | None:
    """Whose session this is; None if it is none, or it or its key has ended."""
    known = (sessions.c.hash == _digest(session, secret)) & (sessions.c.expires > clock(connection))
    token = connection.execute(select(sessions.c.token).where(known)).scalar_one_or_none()
    row = None if token is None else _valid(connection, tokens.c.id == token)
    return None if row is None else _principal(row)


def end_session(connection: Connection, session: str, secret: bytes = b"") -> None:
    """Sign a browser out."""
    connection.execute(delete(sessions).where(sessions.c.hash == _digest(session, secret)))


def erase_sessions(connection: Connection) -> None:
    """Erase sessions that have ended."""
    connection.execute(delete(sessions).where(sessions.c.expires <= clock(connection)))


def _valid(connection: Connection, wanted: ColumnElement[bool]) -> Row[tuple[object, ...]] | None:
    row = connection.execute(select(tokens).where(wanted, tokens.c.revoked.is_(None))).one_or_none()
    return None if row is None or (row.expires is not None and row.expires <= clock(connection)) else row


def _principal(row: Row[tuple[object, ...]]) -> Principal:
    return Principal(row.owner, Role(row.role), f"{row.name} ({row.id})" if row.name else row.id)


def _digest(key: str, secret: bytes) -> str:
    # A key holds 256 random bits, so nothing is gained by a slow digest; a keyed one is of no use to who has only the
    # database, not even to add keys of his own.
    return hmac.digest(secret, key.encode(), "sha256").hex()
