"""Titles of jobs, each sealed under a key of its own that goes with the job, and opened many at a time."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, select, update

from tableseal.api.store.engine import keys_of
from tableseal.api.store.job import titled
from tableseal.api.store.keyring import LostKeyError, ServiceKey
from tableseal.api.store.schema import job_keys, jobs
from tableseal.api.store.sealing import DamagedError, JobKey, erase_key, fresh_key, keep_keys, unwrapped

_TITLED = jobs.outerjoin(job_keys, (job_keys.c.job == jobs.c.id) & (job_keys.c.role == "title"))
_KEY = (job_keys.c.service_key.label("title_service_key"), job_keys.c.sealed.label("title_key"))

WITH_TITLES: Select[Any] = select(jobs, *_KEY).select_from(_TITLED)
"""Jobs, with the key of their title: no further statement for any of them."""

TITLES: Select[Any] = select(jobs.c.id, jobs.c.title, *_KEY).select_from(_TITLED)
"""As `WITH_TITLES`, and no more than titles need."""


def sealed_title(job: str, title: str) -> tuple[str, tuple[JobKey, ...]]:
    """What is kept of a title, and the key that is to be kept for it; a job without a title has none."""
    line = titled(title)
    if not line:
        return "", ()
    key = fresh_key(job, "title")
    return key.seal(line.encode()).hex(), (key,)


def change_title(connection: Connection, job: str, title: str) -> None:
    """Give a job another title, under another key: nothing is sealed twice under one."""
    sealed, keys = sealed_title(job, title)
    erase_key(connection, job, "title")
    keep_keys(connection, *keys)
    connection.execute(update(jobs).where(jobs.c.id == job).values(title=sealed))


def titles_in(connection: Connection, rows: Iterable[Row[Any]]) -> list[str]:
    """Titles in rows of `WITH_TITLES` or `TITLES`, in plain; empty where the service's key is lost, so that jobs can be
    listed without it.

    Raises
    ------
    DamagedError: a title is not what was kept.
    """

    @cache
    def service(name: str) -> ServiceKey | None:
        try:
            return keys_of(connection).find(name)
        except LostKeyError:
            return None

    return [_opened(row, service) if row.title else "" for row in rows]


def _opened(row: Row[Any], service: Callable[[str], ServiceKey | None]) -> str:
    if row.title_key is None:
        raise DamagedError
    key = service(row.title_service_key)
    return "" if key is None else unwrapped(row.id, "title", row.title_key, key).open(bytes.fromhex(row.title)).decode()
