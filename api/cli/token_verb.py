"""`tableseal token`: keys for the HTTP service."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import say, write_target
from tableseal.api.options.service import StoreOptions
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

_ADMINISTRATOR = "command line"
"""Who makes and revokes keys, in the log: whoever can write to the database."""


class RoleName(StrEnum):
    """What the holder of a key may do."""

    READER = "reader"
    ANALYST = "analyst"
    OFFICER = "officer"
    ADMIN = "admin"


def token_create(
    owner: Annotated[
        str,
        typer.Option("--owner", metavar="NAME", help="Whose key it is, such as a department."),
    ],
    role: Annotated[
        RoleName,
        typer.Option(
            help="reader: look at results; analyst: ask for audits; officer: publish, withdraw, and read the log; "
            "admin: see the queue of all owners, and end their jobs."
        ),
    ] = RoleName.ANALYST,
    name: Annotated[
        str, typer.Option("--name", metavar="TEXT", help="Who or what holds it; stands in lists and in the log.")
    ] = "",
    days: Annotated[
        float | None, typer.Option("--days", metavar="N", min=0, help="Days until it expires (default: never).")
    ] = None,
    *,
    at: StoreOptions,
) -> Code:
    """Make an API key and print it; it is kept only as a digest, so it cannot be shown again.

    Example: tableseal token create --owner prices --name ann --role analyst --data /var/lib/tableseal
    """
    from tableseal.api.store.log import note
    from tableseal.api.store.tokens import Principal, Role, create_token

    for option, text, most in (("--owner", owner, 200), ("--name", name, 100)):
        if len(text) > most or not text.isprintable() or (option == "--owner" and not text.strip()):
            raise InputError(f"{option}: expected 1 to {most} printable signs.")
    with at.opened() as (settings, store), store.writing() as connection:
        key = create_token(connection, owner, Role(role.value), name=name, days=days, secret=settings.pepper)
        asking = Principal(owner, Role.OFFICER, _ADMINISTRATOR)
        note(connection, asking, "token.create", key.split("_")[1], role.value)
    say(key)
    return Code.DONE


def token_list(
    owner: Annotated[
        str | None, typer.Option("--owner", metavar="NAME", help="Only keys of this owner (default: all).")
    ] = None,
    json: JsonFile = None,
    *,
    at: StoreOptions,
) -> Code:
    """List keys by their public part: owner, name, role, when made, and whether they still work.

    Example: tableseal token list --owner prices
    """
    import json as json_text

    from tableseal.api.store.tokens import tokens_of

    with at.opened() as (_, store), store.reading() as connection:
        found = tokens_of(connection, owner)
    now = datetime.now(UTC).timestamp()
    rows = [
        {
            "id": token.id,
            "owner": token.owner,
            "name": token.name,
            "role": token.role.value,
            "created": _when(token.created),
            "expires": _when(token.expires),
            "revoked": _when(token.revoked),
            "valid": token.revoked is None and (token.expires is None or token.expires > now),
        }
        for token in found
    ]
    if json is not None:
        write_target(json, json_text.dumps(rows, indent=1, ensure_ascii=False) + "\n")
        return Code.DONE
    for row in rows:
        state = (
            "valid" if row["valid"] else f"revoked {row['revoked']}" if row["revoked"] else f"expired {row['expires']}"
        )
        until = f" until {row['expires']}" if row["valid"] and row["expires"] else ""
        say(
            f"{row['id']}  {row['role']:7}  {row['owner']}  {row['name'] or '-'}  made {row['created']}  {state}{until}"
        )
    return Code.DONE


def token_revoke(
    token: Annotated[str, typer.Argument(metavar="ID", help="Public part of the key, as `token list` shows it.")],
    *,
    at: StoreOptions,
) -> Code:
    """Let a key, and the browsers that were signed in with it, end at once.

    Example: tableseal token revoke 3f0c9a1b2d4e
    """
    from tableseal.api.store.log import note
    from tableseal.api.store.tokens import Principal, Role, revoke_token

    with at.opened() as (_, store), store.writing() as connection:
        revoked = revoke_token(connection, token)
        if revoked is None:
            raise InputError(f"token {token[:40]}: there is no such key, or it is revoked already; see `token list`.")
        note(connection, Principal(revoked.owner, Role.OFFICER, _ADMINISTRATOR), "token.revoke", revoked.id)
    say(f"Key {revoked.id} of {revoked.owner} is revoked.")
    return Code.DONE


def _when(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
