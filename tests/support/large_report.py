"""Releases and reports made by hand, small and large, for pages."""

from collections import Counter
from fractions import Fraction
from math import log2

import numpy as np

from tableseal.audit.model import Amounts, Measure, Release, Status, Table, build_hierarchy
from tableseal.audit.report import Report, ReportCell
from tableseal.audit.report.model import Possible, Reveals, Summary


def open_cell(place, low, high, *, table="t", status="primary", verdict=None, **more):
    values = None if high is None else int(high - low) + 1
    least = 10**6 if values is None else values
    verdict = verdict or ("exposed" if values == 1 else "protected")
    given = {
        "also_in": (),
        "measure": "value",
        "truth": None,
        "lower": Fraction(low),
        "upper": None if high is None else Fraction(high),
        "attained": (Fraction(low), None if high is None else Fraction(high)),
        "exact": True,
        "lp": None,
        "possible": Possible(least, values),
        "entropy_bits": None if values is None else log2(values),
        "risk": 0.0 if values is None else None if values == 1 else 1 / log2(values),
        "required": None,
        "sensitive": status != "secondary",
        "rule": None,
        "basis": "integer" if verdict == "protected" else None,
        "reason": None,
    }
    return ReportCell(table=table, cell=place, status=status, verdict=verdict, **(given | more))


def report_on(cells, *, verdict="unsafe", notes=(), size=100, title="Companies by activity and size"):
    count = Counter(cell.verdict for cell in cells)
    summary = Summary(
        cells=size,
        published=size - len(cells),
        withheld=len(cells),
        exposed=count["exposed"],
        secondary_exposed=0,
        underprotected=count["underprotected"],
        protected=count["protected"],
        protected_continuous=0,
        undecided=count["undecided"],
        not_judged=count["not_judged"],
        rank=24,
        degrees_of_freedom=3,
        components=2,
    )
    return Report(
        verdict=verdict,
        title=title,
        release_sha256="a" * 64,
        policy_sha256="b" * 64,
        bounds="integer",
        summary=summary,
        cells=tuple(cells),
        notes=tuple(notes),
    )


def table_of(codes, values, status, *, name="t", named=("activity", "size"), truth=None):
    return Table(
        name=name,
        measure="value",
        codes=np.array(codes, dtype=np.int32),
        named=named,
        status=np.array(status, dtype=np.int8),
        value=Amounts.of(values),
        truth=Amounts.of(truth or values),
        lower=Amounts.none(len(values)),
        upper=Amounts.none(len(values)),
    )


def release_of(table, *hierarchies, unit=Fraction(1)):
    return Release(
        title="Companies by activity and size",
        measures={"value": Measure("value", "magnitude", unit)},
        variables={h.name: h for h in hierarchies},
        tables=(table,),
    )


def large(open_cells, lines=100):
    """A table of `lines` x 100 cells, so many of them withheld, evenly (or all of them, as in a rounded table)."""
    groups = [(None, f"{chr(65 + g)}") for g in range(9)]
    members = [(f"{chr(65 + n % 9)}", f"{chr(65 + n % 9)}{n // 9:02d}") for n in range(lines - 10)]
    activity = build_hierarchy("activity", "Total", [groups + members])
    size = build_hierarchy("size", "All", [[(None, f"size {s:02d}") for s in range(99)]])
    rows = [(a, s) for a in range(lines) for s in range(100)]
    step = len(rows) // open_cells
    values = [None if n % step == 0 else (n * 7919) % 90_000 for n in range(len(rows))]
    status = [Status.PRIMARY if value is None else Status.PUBLISHED for value in values]
    cells = []
    for n in range(0, len(rows), step):
        a, s = rows[n]
        place = (("activity", activity.codes[a]), ("size", size.codes[s]))
        low, width = (n * 37) % 5000, (0, 1, 3, 9, 40, 900, 2600, 20_000)[n // step % 61 % 8]
        verdict = None if width != 3 else ("underprotected" if n % 3 else "undecided")
        status_word = "secondary" if n % 4 else "primary"
        arithmetic = Reveals("equation", (), f"{activity.codes[a]} = Total - the others") if width == 0 else None
        cells.append(open_cell(place, low, low + width, status=status_word, verdict=verdict, reveals=arithmetic))
    report = report_on(cells, size=len(rows), title="Turnover of enterprises by activity and size class, 2025")
    return release_of(table_of(rows, values, status), activity, size), report
