"""`tableseal token`: keys for the HTTP service."""

from enum import StrEnum
from typing import Annotated

import typer

from api.cli.exit_codes import Code
from api.cli.serve_verb import DatabaseOption, DataOption
from api.cli.streams import say


class RoleName(StrEnum):
    """What the holder of a key may do."""

    READER = "reader"
    ANALYST = "analyst"
    OFFICER = "officer"


def token_create(
    owner: Annotated[str, typer.Option("--owner", metavar="NAME", help="Whose key it is; jobs belong to owners.")],
    role: Annotated[
        RoleName, typer.Option(help="reader: look at results; analyst: ask for audits; officer: decide.")
    ] = RoleName.ANALYST,
    days: Annotated[
        float | None, typer.Option("--days", metavar="N", min=0, help="Days until it expires (default: never).")
    ] = None,
    database: DatabaseOption = None,
    data: DataOption = None,
) -> Code:
    """Make an API key and print it; it is kept only as a digest, so it cannot be shown again.

    Example: tableseal token create --owner statistics --role analyst --data /var/lib/tableseal
    """
    from api.settings import load_settings
    from api.store.engine import Store
    from api.store.log import note
    from api.store.migrate import migrate
    from api.store.tokens import Role, create_token

    store = Store(load_settings(database=database, data=data).database_url)
    try:
        migrate(store)
        with store.writing() as connection:
            key = create_token(connection, owner, Role(role.value), days=days)
            note(connection, owner, "token.create", role.value)
    finally:
        store.close()
    say(key)
    return Code.DONE
