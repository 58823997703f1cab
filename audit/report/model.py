"""The answer of an audit as plain frozen data, in the shape of schema tableseal/report/1."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from tableseal.audit.attackers.answer import Whose
from tableseal.audit.model.release import Note
from tableseal.audit.report.unknown import UNKNOWN_NOTE

Verdict = Literal["exposed", "underprotected", "protected", "undecided", "not_judged"]
"""exposed: one value left, or a sensitive value published. underprotected: the outer interval lies inside
what is required. protected: a table in hand reaches both required ends. undecided: neither is proved.
not_judged: not sensitive and not released."""

Reason = Literal["sensitive_published", "insider", "protection", "risk", "sap", "implied", "ranks"]


@dataclass(frozen=True)
class Term:
    """coefficient times a released cell (`table`, `cell`) or, where `link` is set, a link of the release by
    number."""

    coefficient: Fraction
    table: str | None
    cell: tuple[tuple[str, str], ...]
    measure: str | None = None
    link: int | None = None


@dataclass(frozen=True)
class Reveals:
    """The arithmetic that leaves one value.

    kind: `equation` (the equations alone give the value), `bounds` (with non-negativity, rounding intervals
    or other known bounds), `integer` (only one whole multiple of the unit is left). `terms` add up to the cell, or to
    what it is at most (`bounds`, `integer`); `at_least` to what it is at least (none: no value is below 0). `text` says
    it in words.
    """

    kind: Literal["equation", "bounds", "integer"]
    terms: tuple[Term, ...]
    text: str
    at_least: tuple[Term, ...] = ()


@dataclass(frozen=True)
class InsiderFinding:
    """Who gets too close and between which values that insider can place what it estimates: the value of the cell, or a
    contribution to it (`whose`)."""

    who: str
    estimates: tuple[Fraction | None, Fraction | None]
    whose: Whose = "value"


@dataclass(frozen=True)
class Accepted:
    """Why, by whom and (ISO 8601) until when it is accepted that contributors of a cell know each other."""

    reason: str
    by: str
    until: str | None


@dataclass(frozen=True)
class BeyondHelp:
    """A withheld cell whose contributors are too close to each other by their ranks alone, whatever is withheld.

    table, measure, cell: as in `ReportCell`. insiders: who estimates whose contribution. accepted: why that may be;
    None: the cell is `underprotected`, reason `ranks`, if nothing worse is found.
    """

    table: str
    measure: str
    cell: tuple[tuple[str, str], ...]
    insiders: tuple[InsiderFinding, ...]
    accepted: Accepted | None


class Possible(NamedTuple):
    """How many values the cell can take: proved possible, and not proved impossible (None: no limit)."""

    at_least: int | None
    at_most: int | None


class OverTables(NamedTuple):
    """Entropy in bits of a cell if all tables that fit the release are equally likely.

    method: `exact` (every table counted) or `sampled`; tables: how many fit, in the parts that the cell reaches into
    (None: sampled, or the cell has one value anyway); ci: 95% confidence interval, both ends the entropy if exact; ess,
    rhat: effective sample size and split R-hat (None: exact; an R-hat without limit: chains that never met).
    """

    entropy_bits: float
    method: Literal["exact", "sampled"]
    tables: int | None
    ci: tuple[float, float]
    ess: float | None
    rhat: float | None


class CellRank(NamedTuple):
    """A withheld cell among the equations.

    alone: withholding it alone, with all others released, takes one off the rank of the released system; recomputable:
    the equations give it, so that it is withheld for nothing.
    """

    alone: bool
    recomputable: bool


@dataclass(frozen=True)
class Figure:
    """One number of the risk panel; None: no limit, or nothing to give a number for."""

    name: str
    label: str
    value: int | float | None


@dataclass(frozen=True)
class PanelEntry:
    """One measure of the risk panel, with what it tells and what it does not; public: rests on what is published."""

    measure: str
    title: str
    figures: tuple[Figure, ...]
    tells: str
    does_not_tell: str
    public: bool


class ReportCell(NamedTuple):
    """One open cell, or one published cell with a finding. Numbers are in the measure's own decimals.

    `cell` holds (variable, code) pairs for every variable of the release, totals included. None for a bound
    means no limit; `lp` are the bounds without integrality. entropy_bits and risk refer to possible.at_least
    values taken as equally likely. `sensitive`, `rule`: what the policy's rules say; None in a public copy,
    where nobody is told. `steps`: with --cumulative, (table, lower, upper, risk) after one table after
    another is released. `over_tables`: where it was computed; `rank`: of withheld cells.
    """

    table: str
    also_in: tuple[str, ...]
    measure: str
    cell: tuple[tuple[str, str], ...]
    status: str
    truth: Fraction | None
    lower: Fraction | None
    upper: Fraction | None
    attained: tuple[Fraction | None, Fraction | None] | None
    exact: bool
    lp: tuple[Fraction | None, Fraction | None] | None
    possible: Possible
    entropy_bits: float | None
    risk: float | None
    required: tuple[Fraction, Fraction] | None
    sensitive: bool | None
    rule: str | None
    verdict: Verdict
    basis: Literal["integer", "continuous"] | None
    reason: Reason | None
    reveals: Reveals | None = None
    insider: InsiderFinding | None = None
    steps: tuple["Step", ...] = ()
    over_tables: OverTables | None = None
    rank: CellRank | None = None


@dataclass(frozen=True)
class Step:
    """A cell's interval, and the risk of that interval, once the tables up to and including `table` are released."""

    table: str
    lower: Fraction | None
    upper: Fraction | None
    risk: float | None


class ImpliedCount(NamedTuple):
    """How many combinations that no row lists were looked at, and what was found.

    looked_at: all of which it is settled whether the equations give them; left_out: those of which it stayed open
    whether every value they can take would be sensitive. computed: one value is left; narrow: several values, all of
    them sensitive; judged: computed ones that a rule could judge; sensitive: findings (in `Report.implied`).
    """

    looked_at: int
    left_out: int
    computed: int
    narrow: int
    judged: int
    sensitive: int


@dataclass(frozen=True)
class Summary:
    """Counts of cells by what is known of them, and the size of the released system; implied: of combinations that no
    row lists, None where they were not looked for."""

    cells: int
    published: int
    withheld: int
    exposed: int
    secondary_exposed: int
    underprotected: int
    protected: int
    protected_continuous: int
    undecided: int
    not_judged: int
    rank: int
    degrees_of_freedom: int
    components: int
    implied: ImpliedCount | None = None


@dataclass(frozen=True)
class Report:
    """What an audit found. Carries no timings: same input, same report.

    judged: a rule or a status says what is sensitive; where nothing does, the verdict is undecided.
    rules: the rules that were applied, in words; none in a public copy.
    release_sha256: digest of the canonical release, true values included; empty in a public copy.
    implied: sensitive cells that no row lists and that the release gives away all the same; their status is
    `not_listed`, their table the first one, and what no code stands for is named by a difference of codes.
    beyond_help: cells whose contributors know each other whatever is withheld; the accepted ones speak not against it.
    """

    verdict: Literal["safe", "unsafe", "undecided"]
    title: str
    release_sha256: str
    policy_sha256: str | None
    bounds: str
    summary: Summary
    cells: tuple[ReportCell, ...]
    notes: tuple[Note, ...]
    confidential: bool = True
    risk_panel: tuple[PanelEntry, ...] = ()
    implied: tuple[ReportCell, ...] = ()
    judged: bool = True
    rules: tuple[str, ...] = ()
    beyond_help: tuple[BeyondHelp, ...] = ()

    @property
    def required_unknown(self) -> int:
        """How many withheld cells no rule could judge, so that nobody knows how wide their intervals must stay."""
        return sum(note.count for note in self.notes if note.code == UNKNOWN_NOTE)

    @property
    def only_ranks(self) -> bool:
        """Nothing is at fault but contributors who know each other whatever is withheld."""
        rows = (*self.cells, *self.implied)
        bad = {row.reason for row in rows if row.sensitive and row.verdict in ("exposed", "underprotected")}
        return bad == {"ranks"}
