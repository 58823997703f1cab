"""What every method that changes values is: a function of a release, its settings and what it draws from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.codec.declared import PUBLIC
from tableseal.audit.model import Amounts, Note, Policy, Release, Rounding, Table
from tableseal.audit.progress import Progress, silent
from tableseal.suppression.protections.figures import TableChange
from tableseal.suppression.protections.subject import Subject

Status = Literal["done", "optimal", "feasible"]
"""done: the method has nothing to optimise. optimal: proved, no other choice is nearer. feasible: with a gap."""


@dataclass(frozen=True)
class Tools:
    """What a method works with. seed: of all that it draws; limits: at which it ends with the best it has; policy:
    overrides the release's own."""

    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    progress: Progress = silent
    policy: Policy | None = None

    @property
    def random(self) -> np.random.Generator:
        """A generator that begins at the seed."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Optimised:
    """What a method that optimises says of its choice. distortion: sum of the absolute changes of all distinct cells,
    in units of their measures, or whatever else the method makes small; bound: no choice is proved to go below. proved:
    in words, what is. what: the words of what is made small."""

    status: Literal["optimal", "feasible"]
    distortion: int
    bound: float
    proved: str = ""
    what: str = "sum of absolute changes"

    @property
    def gap(self) -> float:
        """(distortion - bound) / distortion."""
        return 0.0 if self.distortion == 0 else max(0.0, (self.distortion - self.bound) / self.distortion)


@dataclass(frozen=True)
class Changed:
    """What a method gives.

    Attributes
    ----------
    shown: (cells) what is published of each cell of the subject; not known: the cell is withheld.
    rounding: what everybody may know that a published value of a table stands for.
    confidence: a-posteriori probability that a published small count is the true one, exact, from what the method does
        to counts and how many cells have which; None: the method does not say it, or shows no small count.
    lower, upper: (cells) what everybody may know besides of the true value; None: nothing.
    additive: published tables add up. optimised: of methods that optimise.
    notes: for the audit of what is released. details: what else was done, in words without a full stop, for the agency.
    """

    shown: Amounts
    rounding: Callable[[Table], Rounding]
    additive: bool = False
    optimised: Optimised | None = None
    confidence: Fraction | None = None
    lower: Amounts | None = None
    upper: Amounts | None = None
    notes: tuple[Note, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Combined:
    """Categories that are published only together."""

    variable: Annotated[str, "The variable.", PUBLIC]
    code: Annotated[str, "Code that stands for them.", PUBLIC]
    parts: Annotated[tuple[str, ...], "Their codes. What was below them is not published either.", PUBLIC]


@dataclass(frozen=True)
class Recoded:
    """What a method gives that publishes true values of other cells.

    Attributes
    ----------
    release: with the cells that go out, and withheld ones that stay inside (`Hierarchy.combined`); its tables in the
        order of those of the subject.
    shown: (cells) true values of the subject's cells, known of those that are still published.
    combined: categories that are published only together. tables: risk and utility. Others: see `Changed`.
    """

    release: Release
    shown: Amounts
    combined: tuple[Combined, ...]
    tables: tuple[TableChange, ...]
    optimised: Optimised
    additive: bool = True
    details: tuple[str, ...] = ()


Outcome = Changed | Recoded


@dataclass(frozen=True)
class Method:
    """A method by its settings.

    run: does it. settings: a frozen dataclass, one for each method; its fields are options. draws: it draws at random,
    from the seed. decided: what is shown hangs on true values and settings alone, on no draw and no key.
    """

    run: Callable[[Subject, Any, Tools], Outcome]
    settings: type
    draws: bool
    decided: bool = False
