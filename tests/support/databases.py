"""Databases for tests: a new one each time, gone afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

import pytest

SERVER = os.environ.get("TABLESEAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
"""A PostgreSQL server where databases may be made."""

BACKENDS = ("sqlite", "postgresql")


@contextmanager
def new_database(backend: str, folder: Path) -> Iterator[str]:
    """URL of an empty database; skips the test where there is no PostgreSQL server."""
    if backend == "sqlite":
        yield f"sqlite:///{folder / 'test.db'}"
        return
    psycopg = pytest.importorskip("psycopg", reason="PostgreSQL: psycopg is not installed")
    name = f"tableseal_test_{token_hex(6)}"
    try:
        server = psycopg.connect(SERVER, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        pytest.skip("PostgreSQL: no server answers (TABLESEAL_TEST_POSTGRES says where it is)")
    with server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield SERVER.rsplit("/", 1)[0] + "/" + name
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    server.close()
