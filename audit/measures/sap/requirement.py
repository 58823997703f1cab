"""`require.sap`: may a release go out as far as subtraction is concerned? Exact numbers decide."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.measures.sap.attack import Attack
from tableseal.audit.measures.sap.definitions import exactly, static_sap
from tableseal.audit.measures.sap.network import network
from tableseal.audit.measures.sap.population import Flags, cells_of_leaves, of_prepared
from tableseal.audit.measures.sap.tight import tight_groups
from tableseal.audit.model import Note, SapLimit
from tableseal.audit.prepare import Prepared


@dataclass(frozen=True)
class SapFinding:
    """What was found of SAP(n) in its resolved definition, which covers the static one.

    Attributes
    ----------
    limit: what the policy allows.
    n: sample size that was judged: that of the limit, or all units where there are fewer.
    lower, upper: proved bounds of SAP(n); equal where it is exact.
    cells: positions (in `Cells`) of cells whose zero some sample of this size recovers.
    """

    limit: SapLimit
    n: int
    lower: Fraction
    upper: Fraction
    cells: frozenset[int]

    @property
    def above(self) -> bool | None:
        """SAP(n) is above the limit; None: not decided."""
        if self.lower > self.limit.max:
            return True
        return False if self.upper <= self.limit.max else None

    def note(self) -> Note:
        """The finding in words; nothing for a public copy."""
        judged = {True: "is above", False: "is not above", None: "may be above"}[self.above]
        found = f"{float(self.lower):.6g}"
        if self.lower != self.upper:
            found += f" to {float(self.upper):.6g}"
        units = "1 random known unit" if self.n == 1 else f"{self.n} random known units"
        return Note(
            "sap",
            f"Subtracting {units} recovers a zero with probability SAP({self.n}) = {found}, which {judged} the "
            f"policy's {float(self.limit.max):.6g}.",
        )


def judge_sap(prepared: Prepared, limit: SapLimit, limits: Limits) -> SapFinding:
    """Judge a release by SAP(n).

    Raises
    ------
    InputError: SAP is not defined for the release: another measure than one of counts, true values that are missing or
        wrong.
    """
    try:
        population = of_prepared(prepared)
        attack = population.attack
        (n,) = attack.sizes((min(limit.n, attack.total),))
    except InputError as error:
        raise InputError(f"policy.require.sap: {error}") from None
    try:
        found = exactly(attack, network(attack), (n,), exact=False, limits=limits)
    except LimitError:
        found = None
    if found is None:
        return SapFinding(
            limit, n, _at_least(attack, n, limits), Fraction(1), _cells(prepared, _statically(attack, n, limits))
        )
    lower, upper = found.sap.bounds(0)
    return SapFinding(limit, n, lower, upper, _cells(prepared, found.leaves))


def _at_least(attack: Attack, n: int, limits: Limits) -> Fraction:
    """What is proved of SAP(n) where resolved is out of reach: static, or nothing at all."""
    try:
        return static_sap(attack, (n,), limits=limits).bounds(0)[0]
    except LimitError:
        return Fraction(0)


def _statically(attack: Attack, n: int, limits: Limits) -> Flags:
    return tight_groups(attack, network(attack), n, limits).certain[attack.groups]


def _cells(prepared: Prepared, leaves: Flags) -> frozenset[int]:
    cell_of = cells_of_leaves(prepared)
    return frozenset(cell_of[leaf] for leaf in np.flatnonzero(leaves).tolist() if leaf in cell_of)
