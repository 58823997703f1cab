"""The service's own keys: under them the keys of jobs are sealed. They are never in the database, only their names."""

import base64
import binascii
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from typing import BinaryIO

from tableseal.audit.errors import InputError

SIZE = 32
"""Bytes of a key (AES-256)."""


class LostKeyError(InputError):
    """What is kept was sealed under a key that is not here."""

    def __init__(self, name: str, where: str) -> None:
        super().__init__(
            f"encryption key: what the service keeps is sealed under key {name}, and {where}. Bring that key back from "
            "where a copy of it is kept. Without it nobody can read the files of jobs: `tableseal key forget` erases "
            "all jobs and begins with a new key; publications, API keys and the log stay."
        )


@dataclass(frozen=True)
class ServiceKey:
    """A key. name: tells it from others, and nothing about it; stands in the database and in messages."""

    name: str
    secret: bytes = field(repr=False)


class Keyring:
    """Keys that are given, or stand in a file; several while one takes the place of another, the newest first."""

    def __init__(self, given: str | None, file: Path) -> None:
        """
        Parameters
        ----------
        given: keys as base64 with spaces between; none: those of the file. file: is made with the first key.

        Raises
        ------
        InputError: what is given is no key.
        """
        self._file = None if given is not None else file
        self._keys = () if given is None else _keys(given, "encryption_key")

    @property
    def in_file(self) -> Path | None:
        """The file with the keys; None if they were given otherwise."""
        return self._file

    def names(self) -> tuple[str, ...]:
        """Names of the keys that are here, the newest first.

        Raises
        ------
        InputError: the file cannot be read, or holds something else.
        """
        self._read()
        return tuple(key.name for key in self._keys)

    def find(self, name: str) -> ServiceKey:
        """A key by name; the file is read again if need be: another program may have added it.

        Raises
        ------
        LostKeyError: it is not here. InputError: as `names`.
        """
        found = next((key for key in self._keys if key.name == name), None)
        if found is None:
            self._read()
            found = next((key for key in self._keys if key.name == name), None)
        if found is None:
            raise LostKeyError(name, self._where())
        return found

    def first(self) -> ServiceKey:
        """The newest key; makes the file where there is none yet.

        Raises
        ------
        InputError: as `names`, or the file cannot be made.
        """
        self._read()
        return self._keys[0] if self._keys else self.add()

    def add(self) -> ServiceKey:
        """Make a new key and put it before those of the file, in one step that is on the disk before it is used.

        Raises
        ------
        InputError: keys are not in a file, or it cannot be written.
        """
        self._read()
        made = _key(token_bytes(SIZE))
        self._write((made, *self._keys))
        return made

    def keep_only(self, name: str) -> None:
        """Take all other keys out of the file.

        Raises
        ------
        LostKeyError, InputError: as `find` and `add`.
        """
        self._write((self.find(name),))

    def _where(self) -> str:
        if self._file is None:
            return f"the setting `encryption_key` holds {_listed(self._keys)}"
        if not self._file.exists():
            return f"there is no file {self._file}"
        return f"the file {self._file} holds {_listed(self._keys)}"

    def _read(self) -> None:
        if self._file is None:
            return
        try:
            self._keys = _keys(_whole(self._file), str(self._file))
        except FileNotFoundError:
            self._keys = ()
        except (OSError, UnicodeDecodeError) as error:
            said = error.strerror if isinstance(error, OSError) else "this is no text"
            raise InputError(f"encryption key: {self._file} cannot be read: {said}.") from None

    def _write(self, keys: Sequence[ServiceKey]) -> None:
        if self._file is None:
            raise InputError(
                "encryption key: the setting `encryption_key` gives it. Put a new one (`openssl rand -base64 32`) "
                "before the old one there, with a space between, start the programs of the service again, then rotate."
            )
        new = self._file.with_name(f".{self._file.name}.new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            new.unlink(missing_ok=True)
            opened = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with open(opened, "w", encoding="ascii") as target:
                target.writelines(base64.b64encode(key.secret).decode() + "\n" for key in keys)
                target.flush()
                os.fsync(target.fileno())
            with _kept_open(self._file) as old:
                new.replace(self._file)
                _overwrite(old)
        except OSError as error:
            raise InputError(f"encryption key: {self._file} cannot be written: {error.strerror}.") from None
        self._keys = tuple(keys)


def _whole(file: Path) -> str:
    """What stands in a file, also if another takes its place meanwhile and what it held is overwritten."""
    while True:
        with open(file, encoding="ascii") as opened:
            found = opened.read()
            if os.fstat(opened.fileno()).st_ino == file.stat().st_ino:
                return found


@contextmanager
def _kept_open(file: Path) -> Iterator[BinaryIO | None]:
    """What a file is now, also after another has taken its name; None if there is none."""
    try:
        opened = open(file, "r+b")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        yield None
        return
    with opened:
        yield opened


def _overwrite(old: BinaryIO | None) -> None:
    """Leave nothing of keys that are no longer in use in the blocks of their file (as far as the disk lets us)."""
    if old is not None:
        old.write(bytes(os.fstat(old.fileno()).st_size))
        old.flush()
        os.fsync(old.fileno())


def _keys(text: str, where: str) -> tuple[ServiceKey, ...]:
    found = []
    for word in text.split():
        try:
            secret = base64.b64decode(word.replace("-", "+").replace("_", "/"), validate=True)
        except (binascii.Error, ValueError):
            secret = b""
        if len(secret) != SIZE:
            raise InputError(f"{where}: expected keys of {SIZE} bytes in base64, as `openssl rand -base64 {SIZE}`.")
        found.append(_key(secret))
    if not found:
        raise InputError(f"{where}: it is empty; expected keys of {SIZE} bytes in base64.")
    return tuple(found)


def _key(secret: bytes) -> ServiceKey:
    return ServiceKey(hashlib.sha256(b"tableseal service key\0" + secret).hexdigest()[:16], secret)


def _listed(keys: Sequence[ServiceKey]) -> str:
    return " and ".join(key.name for key in keys) or "no key"
