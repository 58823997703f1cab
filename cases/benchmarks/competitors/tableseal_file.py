"""Our whole audit as a user runs it: the command's `audit` verb from the release file to the report's JSON."""

import contextlib
import io
import json
from pathlib import Path

import numpy as np

from cases.benchmarks.competitors.protocol import Answer, Relation, Task
from cases.benchmarks.instance import Instance
from cases.benchmarks.releases import write

BAD_INPUT = 2


class TablesealFile:
    """Reading, checking, bounds, verdicts, arithmetic of exposures, text and JSON; in a process already started.

    insiders: also audit what contributors can work out. proof: also write the proof.
    """

    packages = ("tableseal",)
    relation: Relation = "equal"

    def __init__(self, name: str, title: str, *, insiders: bool = False, proof: bool = False) -> None:
        self.name, self.title, self._insiders, self._proof = name, title, insiders, proof

    def available(self) -> bool:
        """Always."""
        return True

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """The files are written beforehand."""
        del budget
        report = folder / "report.json"
        arguments = ["audit", str(write(instance, folder, insiders=self._insiders)), "--json", str(report)]
        if self._proof:
            arguments += ["--proof", str(folder / "proof.json")]
        return Task(lambda: run_command(arguments), lambda _: _answer(instance, report))


def run_command(arguments: list[str]) -> None:
    """Run our command in this process, silently.

    Raises
    ------
    RuntimeError: the command says that the input is wrong.
    """
    from tableseal.api.cli.app import app

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = app(arguments, standalone_mode=False)
    if code == BAD_INPUT:
        raise RuntimeError(said.getvalue())


def _answer(instance: Instance, report: Path) -> Answer:
    ends = np.full((3, 2, len(instance.values)), np.nan)
    limitless = (-np.inf, np.inf)
    for listed in json.loads(report.read_text("utf-8"))["cells"]:
        cell = 0
        for d in instance.dimensions:
            cell = cell * len(d.codes) + d.position[listed["cell"][d.name]]
        kinds = (listed["lp"], (listed["lower"], listed["upper"]), listed["attained"])
        for kind, both in enumerate(kinds):
            if both is not None:
                ends[kind, :, cell] = [none if end is None else end for end, none in zip(both, limitless, strict=True)]
    return Answer(*ends[:, :, instance.withheld])
