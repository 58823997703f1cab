"""`tableseal key`: under which key the service keeps what jobs hold."""

from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import say
from tableseal.api.options.service import StoreOptions
from tableseal.audit.errors import InputError


def key_show(at: StoreOptions) -> Code:
    """Print the name of the key under which the keys of jobs are sealed, and where it is; never the key.

    Example: tableseal key show --data /var/lib/tableseal
    """
    from tableseal.api.store.rotation import current

    with at.opened() as (_, store), store.reading() as connection:
        name = current(connection)
    say(f"{name} ({store.keys.in_file or 'setting encryption_key'})")
    return Code.DONE


def key_rotate(at: StoreOptions) -> Code:
    """Let a new key take the place of the one before: keys of jobs are sealed anew, files stay as they are.

    The service may run meanwhile. Copies of the old key that are destroyed now take with them what was erased before,
    wherever that is left over: in backups, in old logs of the database, in its pages.

    Example: tableseal key rotate --data /var/lib/tableseal
    """
    from tableseal.api.store.rotation import current, rotate

    with at.opened() as (_, store):
        number = rotate(store)
        with store.reading() as connection:
            name = current(connection)
        where = store.keys.in_file
    say(f"Keys of jobs sealed anew: {number}, under {name}.")
    say(
        "Take the other keys out of the setting encryption_key and start the programs of the service again."
        if where is None
        else f"The key before it is no longer in {where}. Keep a copy of that file elsewhere, and destroy old copies."
    )
    return Code.DONE


def key_forget(
    sure: Annotated[bool, typer.Option("--erase-all-jobs", help="That all jobs of all owners are erased.")] = False,
    *,
    at: StoreOptions,
) -> Code:
    """Begin with a new key where the old one is lost: erases all jobs, whose files nobody can read any more.

    Publications, API keys and the log stay. End the programs of the service before.

    Example: tableseal key forget --erase-all-jobs --data /var/lib/tableseal
    """
    from tableseal.api.store.rotation import forget

    if not sure:
        raise InputError("key forget: erases all jobs of all owners; say --erase-all-jobs if that is meant.")
    with at.opened(unread=True) as (_, store):
        number = forget(store)
        store.scrub()
    say(f"Jobs erased: {number}.")
    return Code.DONE
