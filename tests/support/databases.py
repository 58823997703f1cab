"""Databases for tests: a new one each time, gone afterwards."""

import atexit
import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex

import pytest

from cases.service.figures import SkippedError
from cases.service.postgres import cluster
from tableseal.api.store.keyring import SIZE, Keyring

SERVER = os.environ.get("TABLESEAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
"""A PostgreSQL server where databases may be made; if none answers, one is started for the tests."""

KEYS = Keyring(b64encode(b"k" * SIZE).decode(), Path())
"""Keys of a service, for stores that are opened without one."""

BACKENDS = ("sqlite", "postgresql")


@contextmanager
def new_database(backend: str, folder: Path) -> Iterator[str]:
    """URL of an empty database; skips the test where there is no PostgreSQL server."""
    if backend == "sqlite":
        yield f"sqlite:///{folder / 'test.db'}"
        return
    psycopg = pytest.importorskip("psycopg", reason="PostgreSQL: psycopg is not installed")
    url = _server()
    name = f"tableseal_test_{token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield url.rsplit("/", 1)[0] + "/" + name
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _server() -> str:
    """URL of a server that answers; skips the test where there is none and none can be started."""
    import psycopg

    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError:
        stack = ExitStack()
        try:
            own = stack.enter_context(cluster())
        except SkippedError as reason:
            pytest.skip(f"PostgreSQL: no server answers (TABLESEAL_TEST_POSTGRES says where it is), and {reason}")
        atexit.register(stack.close)
        own.start()
        return own.url
    return SERVER
