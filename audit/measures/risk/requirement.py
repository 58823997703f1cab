"""`require.table_risk`: is the risk of each whole table of counts tolerable?

Source: Shlomo, Antal & Elliot 2015, section 5.2 (a threshold above which a table is not released); R1 and R2 of Antal,
Shlomo & Elliot 2014 with the weights of the paper.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.linear.naming import plural
from tableseal.audit.measures.risk import split_risk, table_risk
from tableseal.audit.measures.risk.assess_risk import Definition, RiskFormula, assess
from tableseal.audit.measures.risk.transition import LARGEST_BASE, MatrixTransition
from tableseal.audit.model import RULE_IDLE, Note, Release, Rounding
from tableseal.audit.model.count_table import aligned
from tableseal.audit.wording import listing, quoted

NOISE = 1e-12
"""A risk that is above the limit by no more, relatively, is at the limit: the difference is that of the arithmetic."""

WITHIN, ABOVE, TABLE_RISK_OPEN = "table_risk", "table_risk_above", "table_risk_open"
"""Codes of the note: no table is above the limit; some is; none is, but of some it is not known."""

TABLE_RISK_CODES = (WITHIN, ABOVE, TABLE_RISK_OPEN)
"""The headline repeats these notes."""


@dataclass(frozen=True)
class TableRisk:
    """The risk of one table: R2 where all its published counts are known, so that they can be compared with the true
    ones (unchanged ones give R1), R1 where cells are withheld. None: not known, or not defined."""

    table: str
    which: Literal["R1", "R2"]
    risk: float | None


@dataclass(frozen=True)
class TableRiskFinding:
    """The tables of counts of a release, judged by the policy's limit."""

    limit: Fraction
    tables: tuple[TableRisk, ...]
    definition: Definition = "a14"

    @property
    def above(self) -> bool | None:
        """Some table is above the limit; None: none is known to be, and of some it is not known."""
        if any(self._exceeds(table.risk) for table in self.tables):
            return True
        return None if any(table.risk is None for table in self.tables) else False

    @property
    def exceeding(self) -> tuple[TableRisk, ...]:
        """The tables above the limit."""
        return tuple(table for table in self.tables if self._exceeds(table.risk))

    def _exceeds(self, risk: float | None) -> bool:
        return risk is not None and risk > float(self.limit) * (1 + NOISE)

    def note(self) -> Note:
        """The finding in words; nothing for a public copy."""
        if not self.tables:
            return Note(RULE_IDLE, "require.table_risk judged nothing here: it is for tables of counts.", 1)
        by = "" if self.definition == "a14" else f" ({self.definition})"
        limit = f"the policy's {float(self.limit):.6g}"
        known = [(t.risk, t) for t in self.tables if t.risk is not None]
        unknown = [t.table for t in self.tables if t.risk is None]
        if self.above is None:
            which = f"{plural(len(unknown), 'table')} ({listing(unknown)})"
            return Note(
                TABLE_RISK_OPEN, f"The risk of {which} is not known, so that it may be above {limit}.", len(unknown)
            )
        risk, worst = max(known, key=lambda found: found[0])
        where = f" of table {quoted(worst.table)}" if len(self.tables) > 1 else ""
        if not self.above:
            return Note(WITHIN, f"The table risk {worst.which}{by}{where} is {risk:.4f}, not above {limit}.")
        others = sum(self._exceeds(r) for r, _ in known) - 1
        more = f"; {plural(others, 'other table is', 'other tables are')} above it, too" if others else ""
        why = " Withholding cells does not lower R1; change values (protect)." if worst.which == "R1" else ""
        return Note(
            ABOVE,
            f"The table risk {worst.which}{by}{where} is {risk:.4f}, above {limit}{more}.{why}",
            1 + max(others, 0),
        )


def judge_table_risk(release: Release, limit: Fraction, definition: Definition = "a14") -> TableRiskFinding:
    """Judge every table of counts by its risk."""
    counts = [table for table in release.tables if release.measures[table.measure].kind == "count"]
    found = tuple(_risk(release, table.name, _formula(definition, table.rounding)) for table in counts)
    return TableRiskFinding(limit, found, definition)


def _formula(definition: Definition, rounding: Rounding | None) -> RiskFormula:
    """How one table is judged. The definitions of 2015 ask for the matrix of what was done after protection, which is
    known of random rounding."""
    if definition == "a14":
        return RiskFormula()
    weights = split_risk.WEIGHTS if definition == "s15-split" else table_risk.WEIGHTS
    random = rounding is not None and rounding.method == "random" and 2 <= rounding.base <= LARGEST_BASE
    transition = MatrixTransition.rounding(rounding.base) if rounding is not None and random else None
    return RiskFormula(definition, weights, transition=transition)


def _risk(release: Release, table: str, formula: RiskFormula) -> TableRisk:
    """R2 of what is published if that is complete, else R1; R1, too, of a changed table whose matrix is not known and
    has to be: by the definitions of 2015 protection never raises the risk."""
    measured_after = formula.definition == "a14" or formula.transition is not None
    try:
        original = leaf_counts(release, table=table)
    except (InputError, LimitError):  # not every true count is known
        return TableRisk(table, "R1", None)
    try:
        shown = leaf_counts(release, published=True, table=table) if measured_after else None
    except (InputError, LimitError):  # something is withheld
        shown = None
    try:
        if shown is None:
            (whole,) = assess(original, formula, slices=False)
            return TableRisk(table, "R1", whole.risk)
        original, shown = aligned(original, shown)
        changed = (original.values != shown.values).any()
        (whole,) = assess(original, formula, [shown.values[None]], slices=False)
    except InputError:  # one cell, or no units
        return TableRisk(table, "R1", None)
    return TableRisk(table, "R2" if changed else "R1", whole.risk_after)
