"""Options of `tableseal serve`, and of verbs that use the database of a service."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge

from tableseal.api.options.option import Option, Options

if TYPE_CHECKING:
    from tableseal.api.settings import Settings
    from tableseal.api.store.engine import Store


@dataclass(frozen=True, kw_only=True)
class StoreOptions(Options):
    """Where the database is."""

    database: Annotated[
        str | None,
        Option(
            "Database, such as postgresql://host/name (default: an SQLite file in the data folder). A password is "
            "better given as TABLESEAL_DATABASE in the environment.",
            metavar="URL",
        ),
    ] = None
    data: Annotated[str | None, Option("Folder of the embedded database and of working files.", metavar="DIR")] = None

    def settings(self) -> "Settings":
        """The settings of the service; what is said here goes before everything else.

        Raises
        ------
        InputError: a setting that is not understood, or not safe.
        """
        from tableseal.api.settings import load_settings

        return load_settings(**asdict(self))

    @contextmanager
    def opened(self, *, unread: bool = False) -> "Iterator[tuple[Settings, Store]]":
        """The database, up to date, with the settings. unread: what jobs keep need not be readable.

        Raises
        ------
        InputError: as `settings`.
        """
        from tableseal.api.store.migrate import opened

        settings = self.settings()
        with opened(settings.database_url, settings.keys, unread=unread) as store:
            yield settings, store


@dataclass(frozen=True, kw_only=True)
class ServeOptions(StoreOptions):
    """How the service listens, and who may ask."""

    host: Annotated[str | None, Option("Address to listen on (default: 127.0.0.1).", metavar="ADDRESS")] = None
    port: Annotated[int | None, Option("Port to listen on (default: 8000).", metavar="N")] = None
    workers: Annotated[int | None, Option("Worker processes (default: 1).", metavar="N"), Ge(0)] = None
    access: Annotated[
        Literal["local", "keys"] | None,
        Option(
            "Who may ask.",
            choices={
                "local": "everybody on this machine, nobody else; the default",
                "keys": "whoever has a key of `tableseal token create`",
            },
        ),
    ] = None
