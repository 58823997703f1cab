"""The audit of tau-ARGUS, in its port pytauargus: a table and its pattern are read by a batch, then audited.

It takes the largest value of the table for an upper limit of every cell, so its intervals are inside those of an
intruder who knows no limit. Empty cells are left out.
"""

import csv
import logging
from pathlib import Path
from typing import Any

import numpy as np

from cases.benchmarks.competitors.protocol import Answer, Relation, Task, installed
from cases.benchmarks.instance import Dimension, Instance

UNSAFE, SAFE = "U", "S"
RESPONSE = "resp"
AUDITED = 0
"""Number of the table."""


class PytauargusAudit:
    """The engine's `audit` of a pattern that is given to it as statuses."""

    name = "pytauargus"
    title = "pytauargus audit"
    packages = ("pytauargus",)
    relation: Relation = "inside"

    def available(self) -> bool:
        """Whether pytauargus is installed."""
        return installed(self.packages)

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """Reading the table is not part of the audit."""
        del budget
        from pytauargus.engine import run_batch

        logging.getLogger("pytauargus").setLevel(logging.ERROR)
        engine = run_batch(str(batch(instance, folder.resolve())))
        return Task(lambda: engine.audit(AUDITED), lambda rows: _answer(instance, folder, rows))


def batch(instance: Instance, folder: Path, suppress: str = "") -> Path:
    """Write table, metadata, hierarchies and the batch, with a command that chooses secondary cells if wanted."""
    withheld = instance.withheld
    codes = instance.codes()
    status = np.where(withheld, UNSAFE, SAFE)
    level = np.where(withheld, 1, 0)
    columns = [*codes, instance.values, status, np.maximum(instance.below, level), np.maximum(instance.above, level)]
    kept = instance.values > 0
    with (folder / "t.tab").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(zip(*(c[kept].tolist() for c in columns), strict=True))
    lines = ['<SEPARATOR> ";"', f'<SAFE> "{SAFE}"', f'<UNSAFE> "{UNSAFE}"', '<PROTECT> "P"']
    for d in instance.dimensions:
        lines += [d.name, "  <RECODEABLE>", f'  <TOTCODE> "{d.codes[0]}"']
        if set(d.children) != {0}:
            (folder / f"{d.name}.hrc").write_text("\n".join(_hierarchy(d, 0, 0)) + "\n", "utf-8")
            lines += ["  <HIERARCHICAL>", f'  <HIERCODELIST> "{folder / d.name}.hrc"', '  <HIERLEADSTRING> "@"']
    lines += [RESPONSE, "  <NUMERIC>", "  <DECIMALS> 0", "status", "  <STATUS>"]
    for name, kind in (("lpl", "LOWERPL"), ("upl", "UPPERPL")):
        lines += [name, f"  <NUMERIC> <{kind}>", "  <DECIMALS> 0"]
    (folder / "t.rda").write_text("\n".join(lines) + "\n", "utf-8")
    names = "".join(f'"{d.name}"' for d in instance.dimensions)
    commands = [
        f'<OPENTABLEDATA> "{folder / "t.tab"}"',
        f'<OPENMETADATA> "{folder / "t.rda"}"',
        f'<SPECIFYTABLE> {names}|"{RESPONSE}"||',
        "<SAFETYRULE>",
        "<READTABLE>",
        *([f"<SUPPRESS> {suppress}"] if suppress else []),
        f'<WRITETABLE> (1,3,AS+,"{folder / "out.csv"}")',
    ]
    path = folder / "b.arb"
    path.write_text("\n".join(commands) + "\n", "utf-8")
    return path


def _hierarchy(d: Dimension, group: int, depth: int) -> list[str]:
    lines = []
    for child in d.children.get(group, ()):
        lines += ["@" * depth + d.codes[child], *_hierarchy(d, child, depth + 1)]
    return lines


def _answer(instance: Instance, folder: Path, rows: list[dict[str, Any]]) -> Answer:
    """Cells are numbered as in the table that the batch wrote."""
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        order = [cell(instance, row) for row in csv.reader(file)]
    ends = np.full((2, len(instance.values)), np.nan)
    for row in rows:
        ends[:, order[row["cell"]]] = row["min"], row["max"]
    return Answer(ends[:, instance.withheld])


def cell(instance: Instance, row: list[str]) -> int:
    """Position of the cell of a row that the batch wrote."""
    at = 0
    for d, text in zip(instance.dimensions, row, strict=False):
        code = text.strip()
        at = at * len(d.codes) + (0 if code in ("", "Total") else d.position[code])
    return at
