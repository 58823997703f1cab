"""What an officer of the made-up survey accepts: cells whose contributors know each other whatever is withheld."""

import json
from collections.abc import Iterable
from pathlib import Path

REASON, BY = "both have been told what the other can conclude", "officer of the survey"


def accept(plan: Path, reports: Iterable[Path]) -> int:
    """Write into a plan that what reports list as beyond help, and nobody has accepted, is accepted; gives how many
    cells that are."""
    written = json.loads(plan.read_text("utf-8"))
    found = [
        {"measure": one["measure"], "cell": one["cell"], "reason": REASON, "by": BY}
        for report in reports
        for one in json.loads(report.read_text("utf-8"))["beyond_help"]
        if one["accepted"] is None
    ]
    if found:
        written["accept"] = [*written.get("accept", []), *found]
        plan.write_text(json.dumps(written, indent=1), "utf-8")
    return len(found)
