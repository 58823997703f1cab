"""Another key of the service takes the place of the one before: keys of jobs are sealed anew, files stay."""

from sqlalchemy import Connection, delete, insert, select, update

from tableseal.api.store.engine import Store
from tableseal.api.store.keyring import Keyring, ServiceKey
from tableseal.api.store.schema import job_keys, jobs, service_key
from tableseal.api.store.sealing import unwrapped, wrapped

BATCH = 1000
"""Keys that are sealed anew at a time."""


def current(connection: Connection) -> str | None:
    """Name of the key under which keys of jobs are sealed; None if there is none yet."""
    return connection.execute(select(service_key.c.name)).scalar_one_or_none()


def adopt(connection: Connection, keys: Keyring) -> ServiceKey:
    """Let a database begin with the newest of these keys; makes one if there is none."""
    first = keys.first()
    connection.execute(insert(service_key).values(name=first.name))
    return first


def rotate(store: Store) -> int:
    """Seal all keys of jobs under the newest key; how many there were.

    A key in a file is made, and the ones before it are taken out when nothing needs them any more; if that is
    interrupted, doing it again ends it. A key that is given by a setting must stand there already, before the old one.

    Raises
    ------
    LostKeyError: keys of jobs are sealed under one that is not here. InputError: the file cannot be written.
    """
    keys = store.keys
    with store.reading() as connection:
        before = current(connection)
    names = keys.names()
    # One that is newer than the database knows is left of a rotation that was interrupted, or was given for this one.
    newest = keys.first() if names and names[0] != before else keys.add()
    number = 0
    with store.writing() as connection:
        connection.execute(update(service_key).values(name=newest.name))  # waits for all who use it; see `new_key`
        old = select(job_keys).where(job_keys.c.service_key != newest.name).limit(BATCH)
        while rows := connection.execute(old).all():
            for row in rows:
                key = unwrapped(row.job, row.role, row.sealed, keys.find(row.service_key))
                this = (job_keys.c.job == row.job) & (job_keys.c.role == row.role)
                connection.execute(
                    update(job_keys).where(this).values(service_key=newest.name, sealed=wrapped(key, newest))
                )
            number += len(rows)
    if keys.in_file is not None:
        keys.keep_only(newest.name)
    return number


def forget(store: Store) -> int:
    """Erase all jobs, whose files nobody can read any more, and begin with the newest key; how many there were."""
    newest = store.keys.first()
    with store.writing() as connection:
        erased = connection.execute(delete(jobs)).rowcount
        connection.execute(update(service_key).values(name=newest.name))
    return erased
