"""Run a shipped case and put what comes out beside what is expected."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from tableseal.api.cases.case import Case, Expected, Run
from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.progress import Progress, silent

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json

KINDS = ("attack", "audit", "generator", "risk", "sap", "study", "suppress")
"""Kinds of runs; each has a module here with `compute(run, progress)` and `look_up(outcome, expected)`."""

LookUp = Callable[[Expected], "Json"]
"""Gives the value that came out beside an expected one."""


@dataclass(frozen=True)
class Comparison:
    """One expected value and what was computed; `agrees` within the stated tolerance."""

    expected: Expected
    computed: "Json"
    agrees: bool


def run_case(case: Case, progress: Progress = silent, *, slow: bool = False) -> tuple[Comparison, ...]:
    """Compute the runs of a case and compare, in the order of `expected.json`; slow ones only if asked for."""
    outcomes = {run.name: _outcome(run, progress) for run in case.runs if slow or not run.slow}
    return tuple(_compare(expected, outcomes[expected.run]) for expected in case.expected if expected.run in outcomes)


def _outcome(run: Run, progress: Progress) -> "LookUp | TablesealError":
    """What one run gives, or the error it ends with."""
    try:
        if run.kind not in KINDS:
            raise InputError(f'run "{run.name}": there is no kind "{run.kind}"; kinds are {", ".join(KINDS)}.')
        kind = import_module(f"tableseal.api.cases.{run.kind}")
        return partial(kind.look_up, kind.compute(run, progress))
    except TablesealError as error:
        return error


def _compare(expected: Expected, outcome: "LookUp | TablesealError") -> Comparison:
    if isinstance(outcome, TablesealError):
        text = str(outcome)
        named = expected.value if isinstance(expected.value, list) else []
        return Comparison(expected, text, expected.field == "error" and all(word in text for word in named))
    computed = outcome(expected)
    return Comparison(expected, computed, _equal(expected.value, computed, expected.tolerance))


def _equal(expected: object, computed: object, tolerance: Fraction) -> bool:
    if isinstance(expected, list) and isinstance(computed, list):
        return len(expected) == len(computed) and all(
            _equal(e, c, tolerance) for e, c in zip(expected, computed, strict=True)
        )
    if isinstance(expected, int | Fraction) and isinstance(computed, int | float | Fraction):
        return abs(Fraction(computed) - expected) <= tolerance
    return expected == computed
