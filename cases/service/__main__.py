"""The command: python -m cases.service [NAME ...], or python3 do.py faults."""

import argparse
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cases.service import crowd, disk, erasure, killed, outage, requests, small_audits, tables, uploads
from cases.service.figures import Figure, SkippedError, table, where
from cases.service.running import ROOT

PAGE = ROOT / "docs" / "SERVICE.md"
MARKS = ("<!-- figures -->", "<!-- /figures -->")
"""Between these the page has the figures."""


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
    "crowd": Run("one owner asks for much at once", partial(crowd.run, crowd.FULL), partial(crowd.run, crowd.SHORT)),
    "killed": Run("workers killed at random", partial(killed.run, killed.FULL), partial(killed.run, killed.SHORT)),
    "outage": Run("PostgreSQL away for a while", partial(outage.run, outage.FULL), partial(outage.run, outage.SHORT)),
    "disk": Run("no room on the disk", partial(disk.run, disk.FULL), partial(disk.run, disk.SHORT)),
    "erasure": Run("what is erased is gone", partial(erasure.run, erasure.FULL), partial(erasure.run, erasure.SHORT)),
    "requests": Run(
        "whatever fits the interface, or does not",
        partial(requests.run, requests.FULL),
        partial(requests.run, requests.SHORT),
    ),
    "tables": Run(
        "many users ask two servers for tables", partial(tables.run, tables.FULL), partial(tables.run, tables.SHORT)
    ),
    "uploads": Run(
        "a large and many slow uploads", partial(uploads.run, uploads.FULL), partial(uploads.run, uploads.SHORT)
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and print the figures; exit code 1 if anything is not as it has to be."""
    parser = argparse.ArgumentParser(prog="faults", description="Hit the service hard, and print figures.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which runs: {', '.join(RUNS)} (default: all)")
    parser.add_argument("--short", action="store_true", help="a few seconds each, as the tests do it")
    parser.add_argument("--write", action="store_true", help=f"put the figures into {PAGE.relative_to(ROOT)}")
    wanted = parser.parse_args(arguments)
    unknown = [name for name in wanted.names if name not in RUNS]
    if unknown:
        print(f'Error: there is no run "{unknown[0]}"; runs are {", ".join(RUNS)}.', file=sys.stderr)
        return 2
    good, lines = True, list[str]()

    def tell(text: str) -> None:
        lines.append(text)
        print(text, flush=True)

    tell(f"Measured on {where()}{', in short' if wanted.short else ''}.\n\n| run | what | found | |")
    tell("| --- | --- | --- | --- |")
    for name in wanted.names or RUNS:
        with tempfile.TemporaryDirectory(prefix="tableseal-") as folder:
            try:
                found = (RUNS[name].short if wanted.short else RUNS[name].full)(Path(folder))
            except SkippedError as reason:
                tell(f"| {name} | left out | {reason} | |")
                continue
        tell(table(name, found))
        good &= all(figure.ok is not False for figure in found)
    if wanted.write:
        PAGE.write_text(with_figures(PAGE.read_text("utf-8"), "\n".join(lines)), "utf-8")
    return 0 if good else 1


def with_figures(page: str, figures: str) -> str:
    """The page with these figures between its marks."""
    first, last = MARKS
    return re.sub(f"{first}.*{last}", lambda _: f"{first}\n{figures}\n{last}", page, flags=re.DOTALL)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started is ended
    sys.exit(main())
