"""`tableseal plan`: which tables of a publication hang together."""

from pathlib import Path
from typing import Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.shared import JsonFile


def plan_verb(
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="Plan file (YAML or JSON), or a list of tables (CSV, Excel).")
    ],
    json: JsonFile = None,
) -> Code:
    """Show which tables of a plan hang together, and what is to be protected in place of them.

    Tables of one population hang together if their measures are the same or related by equations. Such a cluster is one
    system: it is protected and audited as a whole.

    Example: tableseal plan twelve_tables.csv
    """
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.plans.read import read_plan
    from tableseal.audit.plans.report import plan_report, plan_text

    check_targets({"--json": json}, inputs=(plan,))
    report = plan_report(read_plan(Path(plan)))
    if json is not None:
        write_target(json, json_of(report) + "\n")
    say(plan_text(report), error=json == STREAM)
    return Code.DONE
