"""What a job keeps is encrypted under keys of its own, which go with it: without them, what is left over is noise.

Each job has a key for its input, one for its result, one for its problem and one for its title, which stand in
`job_keys`, sealed under the service's key. Encryption is AES-256-GCM (NIST SP 800-38D). A key is used for one set of
files only, so that the place of a piece among them is a nonce that never comes twice; job, role and place are
authenticated along with it.
"""

from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, delete, select

from tableseal.api.store.engine import keys_of, put_all
from tableseal.api.store.keyring import SIZE, ServiceKey
from tableseal.api.store.schema import job_keys, service_key

Role = Literal["input", "result", "problem", "title"]

_NONCE = 12

_IN_USE = select(service_key.c.name).with_for_update(read=True, key_share=True)
"""Name of the service's key; the row is held until the transaction ends, so that no rotation overlooks a new key."""


class DamagedError(Exception):
    """What is kept is not what was kept: somebody or something has changed it."""


@dataclass(frozen=True)
class JobKey:
    """The key of what a job keeps in one role."""

    job: str
    role: Role
    secret: bytes = field(repr=False)

    def seal(self, content: bytes, file: int = 0, piece: int = 0) -> bytes:
        """Encrypt a piece of a file; both are counted from 0, and no piece may be sealed twice."""
        return AESGCM(self.secret).encrypt(_nonce(file, piece), content, self._about(file, piece))

    def open(self, sealed: bytes, file: int = 0, piece: int = 0) -> bytes:
        """What was sealed.

        Raises
        ------
        DamagedError: this is not what was sealed there.
        """
        try:
            return AESGCM(self.secret).decrypt(_nonce(file, piece), sealed, self._about(file, piece))
        except InvalidTag:
            raise DamagedError from None

    def _about(self, file: int, piece: int) -> bytes:
        return f"{self.job}/{self.role}/{file}/{piece}".encode()


def fresh_key(job: str, role: Role) -> JobKey:
    """A key that is kept nowhere yet."""
    return JobKey(job, role, token_bytes(SIZE))


def keep_keys(connection: Connection, *keys: JobKey) -> None:
    """Keep keys of jobs; there is one only for a job and a role, which the database sees to.

    Raises
    ------
    LostKeyError: the service's key is not here.
    """
    if not keys:
        return
    service = keys_of(connection).find(connection.execute(_IN_USE).scalar_one())
    rows = [{"job": k.job, "role": k.role, "service_key": service.name, "sealed": wrapped(k, service)} for k in keys]
    put_all(connection, job_keys, rows)


def new_key(connection: Connection, job: str, role: Role) -> JobKey:
    """Make and keep the key of a job for a role.

    Raises
    ------
    LostKeyError: as `keep_keys`.
    """
    key = fresh_key(job, role)
    keep_keys(connection, key)
    return key


def key_of(connection: Connection, job: str, role: Role) -> JobKey:
    """The key of a job for a role.

    Raises
    ------
    LostKeyError: the service's key is not here. DamagedError: there is no such key, or not as it was kept.
    """
    chosen = select(job_keys).where(job_keys.c.job == job, job_keys.c.role == role)
    row = connection.execute(chosen).one_or_none()
    if row is None:
        raise DamagedError
    return unwrapped(job, role, row.sealed, keys_of(connection).find(row.service_key))


def erase_key(connection: Connection, job: str, role: Role) -> None:
    """Erase the key of a job for a role: whatever is left of what it sealed is noise."""
    connection.execute(delete(job_keys).where(job_keys.c.job == job, job_keys.c.role == role))


def wrapped(key: JobKey, service: ServiceKey) -> bytes:
    """The key, sealed under the service's: a random nonce, then what AES-GCM gives."""
    nonce = token_bytes(_NONCE)
    return nonce + AESGCM(service.secret).encrypt(nonce, key.secret, f"{key.job}/{key.role}".encode())


def unwrapped(job: str, role: Role, sealed: bytes, service: ServiceKey) -> JobKey:
    """The key of a job from what `wrapped` gave.

    Raises
    ------
    DamagedError: it is not what was kept.
    """
    nonce, rest = bytes(sealed[:_NONCE]), bytes(sealed[_NONCE:])
    try:
        return JobKey(job, role, AESGCM(service.secret).decrypt(nonce, rest, f"{job}/{role}".encode()))
    except InvalidTag:
        raise DamagedError from None


def _nonce(file: int, piece: int) -> bytes:
    return file.to_bytes(4, "big") + piece.to_bytes(_NONCE - 4, "big")
