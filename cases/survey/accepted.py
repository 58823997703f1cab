"""What an officer of the made-up survey accepts: cells whose contributors know each other whatever is withheld."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

REASON, BY = "both have been told what the other can conclude", "officer of the survey"


def beyond_help(reports: Iterable[Path]) -> list[dict[str, Any]]:
    """Entries for `accept` of what reports list as beyond help and nobody has accepted."""
    return [
        {"measure": one["measure"], "cell": one["cell"], "reason": REASON, "by": BY}
        for report in reports
        for one in json.loads(report.read_text("utf-8"))["beyond_help"]
        if one["accepted"] is None
    ]


def accept(plan: Path, found: Iterable[dict[str, Any]]) -> None:
    """Write them into a plan."""
    said = json.loads(plan.read_text("utf-8"))
    put(plan, said | {"accept": [*said.get("accept", []), *found]})


def accepted_before(plan: Path) -> list[dict[str, Any]]:
    """What a plan says already; a plan that is not there, nothing."""
    return list(json.loads(plan.read_text("utf-8")).get("accept", [])) if plan.exists() else []


def put(plan: Path, said: dict[str, Any]) -> None:
    """Write a plan, all of it or nothing whenever the process is killed."""
    new = plan.with_suffix(".new")
    new.write_text(json.dumps(said, indent=1), "utf-8")
    os.replace(new, plan)
