"""The command `tableseal` and its verbs."""

import gc
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tableseal.api.cli.guard import guarded
from tableseal.api.cli.spread import spread
from tableseal.api.cli.streams import say
from tableseal.api.cli.supervised import supervise

VERBS = {
    "audit": "audit_verb:audit_verb",
    "suppress": "suppress_verb:suppress_verb",
    "protect": "protect_verb:protect_verb",
    "batch": "batch_verb:batch_verb",
    "run": "run_verb:run_verb",
    "verify": "verify_verb:verify_verb",
    "init": "init_verb:init_verb",
    "tabulate": "tabulate_verb:tabulate_verb",
    "plan": "plan_verb:plan_verb",
    "publish": "publish_verb:publish_verb",
    "tables": "tables_verb:tables_verb",
    "convert": "convert_verb:convert_verb",
    "compare": "compare_verb:compare_verb",
    "risk": "risk_verb:risk_verb",
    "sap": "sap_verb:sap_verb",
    "attack": "attack_verb:attack_verb",
    "reconstruct": "reconstruct_verb:reconstruct_verb",
    "schema": "schema_verb:schema_verb",
    "cases": "cases_verb:cases_verb",
    "serve": "serve_verb:serve_verb",
    "worker": "serve_verb:worker_verb",
}
"""Verb -> module in this package, and its function there."""

GROUPS = {
    "token": (
        "Keys for the service.\n\nExample: tableseal token create --owner NAME",
        {
            "create": "token_verb:token_create",
            "list": "token_verb:token_list",
            "revoke": "token_verb:token_revoke",
        },
    ),
    "job": (
        "Jobs of all owners, for whoever runs the service.\n\nExample: tableseal job list --state running",
        {
            "list": "job_verb:job_list",
            "queue": "job_verb:job_queue",
            "cancel": "job_verb:job_cancel",
            "erase": "job_verb:job_erase",
        },
    ),
    "key": (
        "The key under which the service keeps what jobs hold.\n\nExample: tableseal key rotate",
        {
            "show": "key_verb:key_show",
            "rotate": "key_verb:key_rotate",
            "forget": "key_verb:key_forget",
        },
    ),
    "hypercube": (
        "Large tables from which any table is made at once.\n\n"
        "Example: tableseal hypercube build census.yaml -o census.cube",
        {
            "build": "hypercube_verb:hypercube_build",
            "show": "hypercube_verb:hypercube_show",
            "attack": "hypercube_verb:hypercube_attack",
        },
    ),
    "publication": (
        "What is out already under a name.\n\nExample: tableseal publication audit prices release.yaml --publish",
        {
            "audit": "publication_verb:publication_audit",
            "list": "publication_verb:publication_list",
            "show": "publication_verb:publication_show",
            "withdraw": "publication_verb:publication_withdraw",
        },
    ),
}
"""Group of verbs -> its help and its verbs."""


def _version(wanted: bool) -> None:
    if wanted:
        from tableseal.audit.version import engine_version

        say(f"tableseal {engine_version()}")
        raise typer.Exit


def _tableseal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Find out what an intruder can work out from tables before you publish them.

    Exit code: 0 safe or done, 1 unsafe, 2 wrong input or use, 3 undecided because a limit was reached.
    """


def command(only: str | None = None) -> typer.Typer:
    """The command with all verbs, or with one verb or group alone, so that the others need not be loaded."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(_tableseal)
    _add(app, {name: place for name, place in VERBS.items() if only in (None, name)})
    for name, (text, verbs) in GROUPS.items():
        if only in (None, name):
            group = typer.Typer(no_args_is_help=True, help=text)
            _add(group, verbs)
            app.add_typer(group, name=name)
    return app


class _Verb(TyperCommand):
    """A verb whose options are refused in plain words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As any command; what pydantic says before the words of an error is left out."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


def _add(app: typer.Typer, verbs: dict[str, str]) -> None:
    for name, place in verbs.items():
        module, _, function = place.partition(":")
        app.command(name, cls=_Verb)(guarded(spread(getattr(import_module(f"tableseal.api.cli.{module}"), function))))


COLLECT_AFTER = 500_000
"""New objects after which Python looks for garbage in cycles. An audit makes millions that live until the report is
written and has hardly any cycles: looking through all of them again and again takes time (making the report of 200,000
cells: 0.2 s of processor time with the collector off, 0.65 s with it on; audits of small tables end before)."""


def main() -> None:
    """Entry point of the command."""
    supervise()
    gc.set_threshold(COLLECT_AFTER)
    first = sys.argv[1] if len(sys.argv) > 1 else None
    command(first if first in VERBS or first in GROUPS else None)(prog_name="tableseal")
