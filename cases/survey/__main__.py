"""Write the survey, make it safe and check it: python -m cases.survey FOLDER [--whole] [--firms N] [--publish] ..."""

import argparse
import json
import os
import resource
from pathlib import Path
from time import perf_counter, process_time

from cases.survey.accepted import accept, accepted_before, beyond_help
from cases.survey.written import SMALL, WHOLE, write

NAME = "structural business statistics"
"""Under which both years are published."""

REPORT = ".report.json"
"""How names of reports of clusters end."""


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m cases.survey", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", action="store_true", help="all levels, and a million firms")
    parser.add_argument("--firms", type=int, help=f"usually {SMALL:,}, of the whole survey {WHOLE:,}")
    parser.add_argument(
        "--concentration", type=float, default=1.0, help="how unevenly firms are spread; with 3 few are in rare codes"
    )
    parser.add_argument("--publish", action="store_true", help="publish both years under one name, and verify them")
    given = parser.parse_args()
    firms = given.firms or (WHOLE if given.whole else SMALL)
    plans = write(given.folder, firms, small=not given.whole, concentration=given.concentration)
    if given.publish:
        os.environ.setdefault("TABLESEAL_DATA", str(given.folder / "ledger"))
        found = []
        for plan in plans:
            found.append(published(plan))
            (given.folder / "figures.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        print(json.dumps(found, indent=1))
    else:
        print(*plans, sep="\n")


def published(plan: Path) -> dict[str, object]:
    """Publish what a plan owes, verify its certificate, and say what came out and what it took."""
    import tableseal as ts
    from tableseal.audit.proof.certificate import check_certificate

    clock, processor, folder = perf_counter(), process_time(), plan.with_suffix("")
    found = ts.publish(plan, folder=folder, publication=NAME)
    reports = [folder / name for one in found.clusters for name in one.files if name.endswith(REPORT)]
    if cells := beyond_help(reports):
        # Whether they may know each other nobody but an officer can say; only clusters with such cells are done again.
        accept(plan, cells)
        found = ts.publish(plan, folder=folder, publication=NAME)
    took = {
        "seconds": round(perf_counter() - clock, 1),
        "seconds of the processor": round(process_time() - processor, 1),
    }
    checked = check_certificate(found.certificate.read_bytes(), found.folder, inputs=plan.parent)
    return {
        "plan": plan.name,
        "verdict": found.verdict,
        "together": None if found.together is None else found.together.verdict,
        "clusters": {
            one.name: {"verdict": one.verdict, "cells": one.cells, "primary": one.primary, "secondary": one.secondary}
            for one in found.clusters
        },
        "accepted by name": len(accepted_before(plan)),
        "files verified": checked.files,
        **{what: round(seconds, 1) for what, seconds in took.items()},
        "load": round(os.getloadavg()[0], 1),
        "GiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


if __name__ == "__main__":
    main()
