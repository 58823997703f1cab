"""Bring a database up to the tables of this version."""

from pathlib import Path

from sqlalchemy import text

from api.store.engine import Store

_LOCK = 0x7461626C
"""PostgreSQL advisory lock: two programs that start at once migrate one after the other."""


def migrate(store: Store) -> None:
    """Create what is missing; nothing happens where the database is up to date."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with store.writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
