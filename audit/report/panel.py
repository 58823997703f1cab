"""The risk panel: every measure of a release side by side, each with what it tells and what it does not.

A measure joins by an entry in `MEASURES`: a name, a title, two sentences, whether it rests on nothing but what is
published, and a function from the facts to its figures (None where it does not apply to the release).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.codec.exact_json import significant
from tableseal.audit.errors import TablesealError
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.measures.feasible_tables import Effort
from tableseal.audit.measures.risk.assess_risk import RiskFormula, assess
from tableseal.audit.measures.sap.audited import sap_of_audited
from tableseal.audit.prepare import Prepared
from tableseal.audit.report.model import Figure, PanelEntry, ReportCell, Summary
from tableseal.audit.report.words import converged


@dataclass(frozen=True)
class Facts:
    """What a measure may look at.

    bounds: of every open cell of the system; open_cells: the cells whose exact value is not published and that are
    judged; rank_decrease: of all withheld cells together; effort: what entropies over tables were allowed to cost.
    weighed: tables have a prior that was given.
    """

    prepared: Prepared
    summary: Summary
    bounds: Sequence[TargetBounds]
    open_cells: Sequence[ReportCell]
    rank_decrease: int
    effort: Effort
    weighed: bool = False


Figures = tuple[Figure, ...]

KNOWN_UNITS = 2
"""Largest sample of known units of which the panel gives SAP."""


@dataclass(frozen=True)
class Measure:
    """One measure of the panel. public: its figures rest on nothing but what is published."""

    name: str
    title: str
    tells: str
    does_not_tell: str
    public: bool
    figures: Callable[[Facts], Figures | None]


def risk_panel(facts: Facts) -> tuple[PanelEntry, ...]:
    """All measures that apply, in the order of `MEASURES`."""
    entries = []
    for m in MEASURES:
        figures = m.figures(facts)
        if figures is not None:
            given = tuple(replace(f, value=significant(f.value)) if isinstance(f.value, float) else f for f in figures)
            weighed = facts.weighed and m.name == OVER_TABLES
            tells, public = (BY_PRIOR, False) if weighed else (m.tells, m.public)
            entries.append(PanelEntry(m.name, m.title, given, tells, m.does_not_tell, public))
    return tuple(entries)


def _values(facts: Facts) -> Figures | None:
    if not facts.open_cells:
        return None
    several = [c for c in facts.open_cells if c.possible.at_most != 1]
    bits = [c.entropy_bits for c in several if c.entropy_bits is not None]
    lowest = min(bits, default=None)
    return (
        Figure("cells", "open cells", len(facts.open_cells)),
        Figure("one_value", "with one value", len(facts.open_cells) - len(several)),
        Figure("no_limit", "without limit", len(several) - len(bits)),
        Figure("lowest_bits", "fewest bits of the others", lowest),
        Figure("highest_risk", "highest risk of the others", 1 / lowest if lowest else None),
    )


def _insiders(facts: Facts) -> Figures | None:
    found = [c.insider_risk for c in facts.open_cells if c.insider_risk is not None]
    if not found:
        return None
    several = [f for f in found if f.risk is not None]
    bits = [f.entropy_bits for f in several if f.entropy_bits is not None]
    lowest = min(bits, default=None)
    return (
        Figure("cells", "cells with contributors to ask about", len(found)),
        Figure("one_value", "in which one knows another's share", len(found) - len(several)),
        Figure("lowest_bits", "fewest bits of the others", lowest),
        Figure("highest_risk", "highest risk of the others", 1 / lowest if lowest else None),
    )


def _tables(facts: Facts) -> Figures | None:
    if not facts.open_cells:
        return None
    known = [(c, c.over_tables) for c in facts.open_cells if c.over_tables is not None]
    unsure = [(c, t) for c, t in known if t.entropy_bits > 0]
    lost = [
        round(max(0.0, c.entropy_bits - t.entropy_bits), 9)  # what is left beyond that is rounding
        for c, t in unsure
        if c.entropy_bits is not None and c.exact
    ]
    sampled = [t for _, t in known if t.method == "sampled"]
    figures = [
        Figure("counted", "cells counted exactly", len(known) - len(sampled)),
        Figure("sampled", "cells sampled", len(sampled)),
        Figure("not_computed", "cells not computed", len(facts.open_cells) - len(known)),
        Figure("lowest_bits", "fewest bits", min((t.entropy_bits for _, t in unsure), default=None)),
        Figure("most_below_values", "most bits below the entropy over values", max(lost, default=None)),
    ]
    if sampled:
        figures += [
            Figure("not_converged", "cells whose chains have not converged", sum(not converged(t) for t in sampled)),
            Figure("samples", "samples", facts.effort.samples),
            Figure("seed", "seed", facts.effort.seed),
        ]
    return tuple(figures)


def _rank(facts: Facts) -> Figures | None:
    ranks = [c.rank for c in facts.open_cells if c.rank is not None]
    return (
        Figure("rank", "rank of the released system", facts.summary.rank),
        Figure("degrees_of_freedom", "degrees of freedom", facts.summary.degrees_of_freedom),
        Figure("rank_decrease", "rank taken away by withholding", facts.rank_decrease),
        Figure("alone", "cells that would each take one away alone", sum(r.alone for r in ranks)),
        Figure("withheld_for_nothing", "cells withheld for nothing", sum(r.recomputable for r in ranks)),
    )


def _table_risk(facts: Facts) -> Figures | None:
    release = facts.prepared.release
    found = []
    for table in release.tables:
        if release.measures[table.measure].kind != "count":
            continue
        try:
            (whole,) = assess(leaf_counts(release, table=table.name), RiskFormula(), slices=False)
        except TablesealError:  # not every count is known, or R1 is not defined
            continue
        found.append(whole.risk)
    known = [r for r in found if r is not None]
    if not known:
        return None
    return (
        Figure("tables", "tables with all true counts", len(known)),
        Figure("highest_R1", "highest R1", max(known)),
    )


def _subtraction(facts: Facts) -> Figures | None:
    found = sap_of_audited(facts.prepared, facts.bounds, KNOWN_UNITS)
    if found is None:
        return None
    hidden, every = (zip(sap.n, sap.value, strict=True) for sap in (found.hidden, found.sap))
    return (
        *(Figure(f"SAP_{n}_hidden", f"SAP({n}) of cells not published", value) for n, value in hidden),
        *(Figure(f"SAP_{n}", f"SAP({n}) with published ones", value) for n, value in every),
        Figure("published_zeros", "published zeros, which any sample has", found.zeros),
        Figure("open", "cells whose largest possible value is open", found.open),
    )


def _disclosures(facts: Facts) -> Figures | None:
    s = facts.summary
    return (
        Figure("exposed", "sensitive cells exposed", s.exposed),
        Figure("secondary_exposed", "secondary cells exposed", s.secondary_exposed),
        Figure("underprotected", "cells underprotected", s.underprotected),
        Figure("undecided", "cells undecided", s.undecided),
    )


OVER_TABLES = "entropy_over_tables"
BY_PRIOR = "How unsure somebody is of a cell who weighs every table that fits the release by the prior that was given."

MEASURES: tuple[Measure, ...] = (
    Measure(
        "disclosures",
        "Exact disclosure",
        "How many cells anyone can compute, or that miss what the rules require: proved, not estimated.",
        "How easily the computation is found, and whether a value that is nearly known does harm.",
        False,
        _disclosures,
    ),
    Measure(
        "entropy_over_values",
        "Entropy over values",
        "How many values are left to a cell, all taken as equally likely; risk is 1 / log2 of their number.",
        "Which of these values are likely: nearly all tables that fit may agree on a few of them.",
        True,
        _values,
    ),
    Measure(
        "insider_risk",
        "Risk for contributors",
        "How many values a contributor to a cell leaves to another's share after subtracting its own (risk as above).",
        "What contributors know besides their own share, and whether what is left is too close (insiders).",
        False,
        _insiders,
    ),
    Measure(
        OVER_TABLES,
        "Entropy over tables",
        "How unsure somebody is of a cell who takes every table that fits the release as equally likely.",
        "What somebody expects who knows more of the population than the release says; sampled figures are estimates.",
        True,
        _tables,
    ),
    Measure(
        "table_risk",
        "R1 of whole tables",
        "How much a table would disclose if all of it were published: zeros, evenness and size of its true counts.",
        "What the cells that are withheld or rounded protect, and which cell is at risk.",
        False,
        _table_risk,
    ),
    Measure(
        "sap",
        "Subtracting known units",
        "How likely 1 or 2 random known units exhaust a cell at its largest possible value (SAP, static).",
        "What more is found by solving again after subtraction (resolved), and what larger samples recover.",
        False,
        _subtraction,
    ),
    Measure(
        "rank",
        "Rank",
        "How many independent equations withholding takes away, and which withheld cells the others give back.",
        "How well anything is protected: more rank taken away can go with a narrower interval.",
        True,
        _rank,
    ),
)
"""The panel, in order."""
