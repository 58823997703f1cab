"""`tableseal serve` and `tableseal worker`: the HTTP service."""

from enum import StrEnum
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="Database, such as postgresql://host/name (default: an SQLite file in the data folder). A password is "
        "better given as TABLESEAL_DATABASE in the environment.",
    ),
]

DataOption = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder of the embedded database and of working files."),
]


class Access(StrEnum):
    """Who may ask."""

    LOCAL = "local"
    KEYS = "keys"


def serve_verb(
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on (default: 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port to listen on (default: 8000).")] = None,
    database: DatabaseOption = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", min=0, help="Worker processes (default: 1).")
    ] = None,
    data: DataOption = None,
    access: Annotated[
        Access | None,
        typer.Option(
            help="local: everybody on this machine, nobody else (default); keys: whoever has a key of "
            "`tableseal token create`."
        ),
    ] = None,
) -> Code:
    """Serve audits over HTTP, with workers for what takes longer; ends with Ctrl-C or SIGTERM.

    Every option can be given in the environment, too: TABLESEAL_HOST, TABLESEAL_DATABASE and so on.

    Example: tableseal serve --port 8000 --workers 2 --data /var/lib/tableseal
    """
    from tableseal.api.http.serve import serve
    from tableseal.api.settings import load_settings

    settings = load_settings(
        host=host,
        port=port,
        database=database,
        workers=workers,
        data=data,
        access=None if access is None else access.value,
    )
    serve(settings)
    return Code.DONE


def worker_verb(database: DatabaseOption = None, data: DataOption = None) -> Code:
    """Work on the jobs of a service, on this or on another machine; ends with Ctrl-C or SIGTERM.

    Example: tableseal worker --database postgresql://db.example/tableseal
    """
    from tableseal.api.jobs.worker import work
    from tableseal.api.settings import load_settings
    from tableseal.api.store.migrate import opened

    settings = load_settings(database=database, data=data)
    with opened(settings.database_url):
        pass
    work(settings)
    return Code.DONE
