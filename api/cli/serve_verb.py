"""`tableseal serve` and `tableseal worker`: the HTTP service."""

from tableseal.api.cli.exit_codes import Code
from tableseal.api.options.service import ServeOptions, StoreOptions


def serve_verb(options: ServeOptions) -> Code:
    """Serve audits over HTTP, with workers for what takes longer; ends with Ctrl-C or SIGTERM.

    Every option can be given in the environment, too: TABLESEAL_HOST, TABLESEAL_DATABASE and so on.

    Example: tableseal serve --port 8000 --workers 2 --data /var/lib/tableseal
    """
    from tableseal.api.http.serve import serve

    serve(options.settings())
    return Code.DONE


def worker_verb(at: StoreOptions) -> Code:
    """Work on the jobs of a service, on this or on another machine; ends with Ctrl-C or SIGTERM.

    Example: tableseal worker --database postgresql://db.example/tableseal
    """
    from tableseal.api.jobs.worker import work

    with at.opened() as (settings, _):
        pass
    work(settings)
    return Code.DONE
