"""The command: python -m cases.service [NAME ...], or python3 do.py faults."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cases.service import disk, killed, outage, small_audits, uploads
from cases.service.figures import Figure, SkippedError, table, where


@dataclass(frozen=True)
class Run:
    """What it shows, and how it is run in full and in short."""

    about: str
    full: Callable[[Path], list[Figure]]
    short: Callable[[Path], list[Figure]]


RUNS: Mapping[str, Run] = {
    "load": Run(
        "small audits, answered at once",
        partial(small_audits.run, small_audits.FULL),
        partial(small_audits.run, small_audits.SHORT),
    ),
    "killed": Run("workers killed at random", partial(killed.run, killed.FULL), partial(killed.run, killed.SHORT)),
    "outage": Run("PostgreSQL away for a while", partial(outage.run, outage.FULL), partial(outage.run, outage.SHORT)),
    "disk": Run("no room on the disk", partial(disk.run, disk.FULL), partial(disk.run, disk.SHORT)),
    "uploads": Run(
        "a large and many slow uploads", partial(uploads.run, uploads.FULL), partial(uploads.run, uploads.SHORT)
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and print the figures; exit code 1 if anything is not as it has to be."""
    parser = argparse.ArgumentParser(prog="faults", description="Hit the service hard, and print figures.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which runs: {', '.join(RUNS)} (default: all)")
    parser.add_argument("--short", action="store_true", help="a few seconds each, as the tests do it")
    wanted = parser.parse_args(arguments)
    unknown = [name for name in wanted.names if name not in RUNS]
    if unknown:
        print(f'Error: there is no run "{unknown[0]}"; runs are {", ".join(RUNS)}.', file=sys.stderr)
        return 2
    good = True
    print(f"Measured on {where()}.\n\n| run | what | found | |\n|---|---|---|---|", flush=True)
    for name in wanted.names or RUNS:
        with tempfile.TemporaryDirectory(prefix="tableseal-") as folder:
            try:
                found = (RUNS[name].short if wanted.short else RUNS[name].full)(Path(folder))
            except SkippedError as reason:
                print(f"| {name} | left out | {reason} | |", flush=True)
                continue
        print(table(name, found), flush=True)
        good &= all(figure.ok is not False for figure in found)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
