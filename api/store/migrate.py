"""Bring a database up to the tables of this version."""

from pathlib import Path

from sqlalchemy import inspect, text

from api.store.engine import Store

_FOLDER = Path(__file__).parent / "migrations"
"""Migrations are numbered: the name of their file begins with their revision, four digits."""

_LOCK = 0x7461626C
"""PostgreSQL advisory lock: two programs that start at once migrate one after the other."""


def migrate(store: Store) -> None:
    """Create what is missing; nothing happens where the database is up to date."""
    if is_current(store):
        return  # without loading alembic, which takes a second
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    with store.writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def is_current(store: Store) -> bool:
    """Whether the database has the tables of this version."""
    return _version(store) == max(path.name[:4] for path in (_FOLDER / "versions").glob("[0-9]*.py"))


def _version(store: Store) -> str | None:
    with store.reading() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        return found
