"""Invented files of tau-ARGUS: records of firms, the same as a table, and jobs over them."""

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app

HRC = "North\n@N1\n@N2\nSouth\n@S1\n@S2\n@S3\n"
REGIONS: Mapping[str, tuple[str, ...]] = {"North": ("N1", "N2"), "South": ("S1", "S2", "S3")}
SIZES = (" 1", " 2", "10")
TOTAL = "Total"

RECORDS: tuple[tuple[str, str, int, str, str], ...] = tuple(
    (region, size, (7 * at * at + 13 * of) % 90 + 10, f"H{at // 3}", "1" if at == 5 else "")
    for at, (region, (of, size)) in enumerate(
        [
            *product((r for below in REGIONS.values() for r in below), enumerate(SIZES)),
            *product(("N1", "N2", "S1", "S3"), enumerate(SIZES[:2])),
            *product(("N1", "S1"), enumerate(SIZES[:2])),
            *product(("N1", "S1"), enumerate(SIZES)),
        ]
    )
)
"""Region, size, turnover, holding, request; records of a holding stand together."""

MICRO_RDA = """Region 1 2
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "region.hrc"
  <HIERLEADSTRING> "@"
Size 4 2
  <RECODEABLE>
Turnover 7 5
  <NUMERIC>
Weight 13 3
  <WEIGHT>
Ask 17 1
  <REQUEST> "1"
"""

TABLE_RDA = """<SEPARATOR> ";"
Region
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "region.hrc"
  <HIERLEADSTRING> "@"
Size
  <RECODEABLE>
Turnover
  <NUMERIC>
Freq
  <FREQUENCY>
Top1
  <MAXSCORE>
Top2
  <MAXSCORE>
"""


def cells() -> dict[tuple[str, str], list[int]]:
    """Region and size, with totals -> contributions, the largest first."""
    above = {region: (region, group, TOTAL) for group, below in REGIONS.items() for region in below}
    found: dict[tuple[str, str], list[int]] = {}
    for region, size, turnover, *_ in RECORDS:
        for cell in product(above[region], (size, TOTAL)):
            found.setdefault(cell, []).append(turnover)
    return {cell: sorted(values, reverse=True) for cell, values in found.items()}


def micro_text() -> str:
    """The records in fixed columns."""
    return "".join(f"{r:2} {s:>2} {t:5d} 2.0 {ask or ' '}\n" for r, s, t, _, ask in RECORDS)


def tab_text() -> str:
    """The table, with decimal commas."""
    lines = []
    for (region, size), values in cells().items():
        first, second = [*values, 0][:2]
        lines.append(f'"{region}";"{size}";{sum(values)},0;{len(values)};{first},0;{second},0\n')
    return "".join(lines)


def folder(path: Path) -> Path:
    """A folder with all of these files."""
    files = {"region.hrc": HRC, "m.rda": MICRO_RDA, "m.asc": micro_text(), "t.rda": TABLE_RDA, "t.tab": tab_text()}
    return with_files(path, files)


def with_files(path: Path, files: Mapping[str, str]) -> Path:
    """A folder with some files."""
    for name, text in files.items():
        (path / name).write_text(text, "utf-8")
    return path


def run(path: Path, lines: Iterable[str]) -> Result:
    """Run a job in a folder."""
    (path / "job.arb").write_text("\n".join(lines) + "\n", "utf-8")
    return CliRunner().invoke(app, ["run", str(path / "job.arb")])


TABLE = ('<OPENTABLEDATA> "t.tab"', '<OPENMETADATA> "t.rda"')
MICRO = ('<OPENMICRODATA> "m.asc"', '<OPENMETADATA> "m.rda"')
SPECIFY = '<SPECIFYTABLE> "Region""Size"|"Turnover"||'
