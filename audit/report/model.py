"""The answer of an audit as plain frozen data. Each class says how it is written (schema tableseal/report/1), and which
of its fields anyone may see."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, NamedTuple

from tableseal.audit.attackers.answer import Whose
from tableseal.audit.codec.declared import PUBLIC, ROW, SPARSE, Key, derived
from tableseal.audit.codec.kinds import Also, Codes, Count, Digest, Kind, kind_of, like
from tableseal.audit.model.note import Note
from tableseal.audit.model.status import Status
from tableseal.audit.report.unknown import UNKNOWN_NOTE
from tableseal.audit.version import engine_version

ReleaseVerdict = Literal["safe", "unsafe", "undecided"]
Called = Literal["safe", "safe as listed", "unsafe", "undecided", "not judged"]
Verdict = Literal["exposed", "underprotected", "protected", "undecided", "not_judged"]
Reason = Literal["sensitive_published", "insider", "ranks", "protection", "risk", "sap", "implied"]

End = Annotated[Fraction | None, "One end of an interval; null: no limit on this side."]
KnownEnd = Annotated[Fraction, "One end of an interval."]
Ends = tuple[End, End]

AllCodes = Annotated[Codes, "Variable and code; every variable of the release is named, totals included."]

NOT_LISTED = "not_listed"
"""Status of a cell that no row lists."""

StatusWord = Annotated[str, Also({"enum": [*(status.word for status in Status), NOT_LISTED]})]
PolicyDigest = Annotated[
    str,
    Kind(
        lambda digest: {"sha256": digest},
        lambda at: at.keys(["sha256"])["sha256"].text(),
        like(
            {
                "type": "object",
                "additionalProperties": False,
                "required": ["sha256"],
                "properties": {"sha256": kind_of(Annotated[Digest, "SHA-256 of the policy's text."]).schema({})},
            }
        ),
    ),
]


@dataclass(frozen=True)
class Released:
    """A released cell."""

    table: Annotated[str, "Table that releases it."]
    cell: AllCodes
    measure: Annotated[str | None, "Its measure, where the release has several.", SPARSE] = None


@dataclass(frozen=True)
class Linked:
    """An equation of the release's `links`."""

    link: Annotated[Count, "Its position in `links`, from 1; behind them those that statistics say."]


@dataclass(frozen=True)
class Term:
    """[coefficient, released cell or link]"""

    coefficient: Annotated[Fraction, "Coefficient."]
    of: Annotated[Released | Linked, "What it multiplies."]


@dataclass(frozen=True)
class Reveals:
    """The arithmetic that leaves one value."""

    kind: Annotated[
        Literal["equation", "bounds", "integer"],
        "equation: the released values alone give it. bounds: together with non-negativity, rounding intervals or "
        "other known bounds. integer: only one whole multiple of the unit is left.",
    ]
    terms: Annotated[
        tuple[Annotated[Term, ROW], ...],
        "Pairs of a coefficient and what it multiplies; their sum is the cell, or (bounds, integer) what it is at "
        "most.",
    ]
    text: Annotated[str, "The arithmetic in words."]
    at_least: Annotated[
        tuple[Annotated[Term, ROW], ...],
        "Likewise: their sum is what the cell is at least. Not there where that needs nothing but that no value is "
        "below 0.",
        Also({"minItems": 1}),
        SPARSE,
    ] = ()


@dataclass(frozen=True)
class InsiderFinding:
    """A contributor who can place another too closely."""

    who: Annotated[str, "Who it is and what they know."]
    whose: Annotated[
        Whose,
        "What the insider estimates: the value of the cell, the largest or second largest contribution to it, or the "
        "largest contribution of somebody else.",
    ]
    estimates: Annotated[Ends, "Between which values the insider can place the target."]


@dataclass(frozen=True)
class InsiderRisk:
    """Disclosure risk for a contributor who subtracts what it knows (Oganian & Domingo-Ferrer 2003, (22))."""

    who: Annotated[str, "Who it is: of those who are looked at, the one who places another most narrowly."]
    whose: Annotated[Whose, "What it estimates, as of an insider who gets too close."]
    estimates: Annotated[Ends, "Between which values it can place that."]
    entropy_bits: Annotated[float | None, "log2 of the number of these values; null: no limit."]
    risk: Annotated[float | None, "1 / entropy_bits; 0: no limit; null: one value."]


@dataclass(frozen=True)
class Accepted:
    """The entry of the release by which it is accepted that contributors of a cell know each other."""

    reason: Annotated[str, "Why."]
    by: Annotated[str, "By whom."]
    until: Annotated[str | None, "Last day (ISO 8601); null: without end.", Also({"format": "date"})]


@dataclass(frozen=True)
class BeyondHelp:
    """A cell whose contributors know each other whatever is withheld."""

    table: Annotated[str, "First table that lists the cell."]
    measure: Annotated[str, "What it measures."]
    cell: AllCodes
    insiders: Annotated[tuple[InsiderFinding, ...], "Who estimates whose contribution.", Also({"minItems": 1})]
    accepted: Annotated[
        Accepted | None,
        "Why that may be, by whom it is accepted and until when (`accept` of the release); null: it is not accepted.",
    ]


class Possible(NamedTuple):
    """How many values a cell can take."""

    at_least: Annotated[Count | None, "Values that tables in hand reach; null: no limit.", PUBLIC]
    at_most: Annotated[Count | None, "Values not proved impossible; null: no limit.", PUBLIC]


class OverTables(NamedTuple):
    """What is known of a cell if every table that fits the release is equally likely."""

    entropy_bits: Annotated[float, "Shannon entropy in bits.", Also({"minimum": 0}), PUBLIC]
    method: Annotated[
        Literal["exact", "sampled"],
        "exact: every table was counted. sampled: estimated by Markov chains.",
        PUBLIC,
    ]
    tables: Annotated[
        int | None,
        "Number of tables of the components that the cell reaches into; null: sampled, or one value anyway.",
        Also({"minimum": 1}),
        PUBLIC,
    ]
    ci: Annotated[tuple[float, float], "95% confidence interval of entropy_bits; both ends the same if exact.", PUBLIC]
    ess: Annotated[float | None, "Effective sample size; null: exact.", Also({"minimum": 0}), PUBLIC]
    rhat: Annotated[
        float | None,
        "Split R-hat of the chains, 1 where they agree; null: exact, or chains that never met.",
        Also({"minimum": 0}),
        PUBLIC,
    ]


class CellRank(NamedTuple):
    """A withheld cell among the equations."""

    alone: Annotated[
        bool, "Withheld alone, with all others released, it takes one off the rank of the released system.", PUBLIC
    ]
    recomputable: Annotated[bool, "The equations give it: withheld for nothing.", PUBLIC]


@dataclass(frozen=True)
class Figure:
    """One number."""

    name: Annotated[str, "What it is.", PUBLIC]
    label: Annotated[str, "The same for people.", PUBLIC]
    value: Annotated[int | float | None, "The number; null: there is none, or no limit.", PUBLIC]


@dataclass(frozen=True)
class PanelEntry:
    """One measure of the risk panel."""

    measure: Annotated[str, "Its name.", PUBLIC]
    title: Annotated[str, "Its name for people.", PUBLIC]
    figures: Annotated[tuple[Figure, ...], "Its numbers.", PUBLIC]
    tells: Annotated[str, "What it tells, in one sentence.", PUBLIC]
    does_not_tell: Annotated[str, "What it does not tell, in one sentence.", PUBLIC]
    public: Annotated[bool, "True: rests on nothing but what is published; only these are in a public copy.", PUBLIC]


@dataclass(frozen=True)
class Step:
    """What is known of a cell once the tables up to and including this one are released."""

    table: Annotated[str, "The last table released.", PUBLIC]
    lower: Annotated[Fraction | None, "Lower end of the interval; null: no limit.", PUBLIC]
    upper: Annotated[Fraction | None, "Upper end of the interval; null: no limit.", PUBLIC]
    risk: Annotated[float | None, "Disclosure risk then; as risk of the cell.", PUBLIC]


class ReportCell(NamedTuple):
    """One open cell, or one published cell with a finding. Numbers are in the measure's own decimals."""

    table: Annotated[str, "First table that lists the cell.", PUBLIC]
    also_in: Annotated[tuple[str, ...], "Other tables that list it.", PUBLIC]
    measure: Annotated[str, "What is tabulated.", PUBLIC]
    cell: Annotated[AllCodes, PUBLIC]
    status: Annotated[
        StatusWord,
        "What is published of it. A public copy does not tell primary from secondary: both are withheld. not_listed: "
        "no row lists it (in `implied` only).",
    ]
    truth: Annotated[Fraction | None, "True value, where the agency gave it; null in a public copy."]
    lower: Annotated[Fraction | None, "Proved: no smaller value is possible; null: no limit.", PUBLIC]
    upper: Annotated[Fraction | None, "Proved: no larger value is possible; null: no limit.", PUBLIC]
    attained: Annotated[
        Ends | None,
        "Smallest and largest value that tables in hand reach (a null end: any value can be reached); null as a whole: "
        "none is in hand, or a public copy does not tell.",
    ]
    exact: Annotated[bool, "True: the proved and the attained interval are the same.", PUBLIC]
    lp: Annotated[
        Ends | None,
        "Bounds that leave out that values are whole multiples of the unit; null: not computed.",
        PUBLIC,
    ]
    possible: Annotated[Possible, "How many values the cell can take.", PUBLIC]
    entropy_bits: Annotated[float | None, "log2 of possible.at_least; null: no limit.", PUBLIC]
    risk: Annotated[float | None, "Disclosure risk 1 / entropy_bits; 0: no limit; null: one value.", PUBLIC]
    required: Annotated[
        tuple[KnownEnd, KnownEnd] | None,
        "Ends of the interval that must stay possible; null: nothing is required, or a public copy.",
    ]
    verdict: Annotated[
        Verdict,
        "exposed: one value is possible, or a sensitive value is published. underprotected: the proved interval falls "
        "short of what is required. protected: tables in hand reach what is required. undecided: neither is proved. "
        "not_judged: not released and not sensitive.",
    ]
    basis: Annotated[
        Literal["integer", "continuous"] | None,
        "What protected rests on: tables of whole multiples of the unit, or continuous ones; null with other verdicts.",
    ]
    reason: Annotated[Reason | None, "What the verdict rests on where it is not exact disclosure."]
    reveals: Annotated[Reveals | None, "Arithmetic of an exposure; null: none, or a public copy."] = None
    insider: Annotated[InsiderFinding | None, "Insider who gets too close; null: none, or a public copy."] = None
    sensitive: Annotated[bool | None, "Whether the cell is sensitive; null in a public copy."] = None
    rule: Annotated[str | None, "First rule that made it sensitive; null: none, or a public copy."] = None
    steps: Annotated[
        tuple[Step, ...],
        "With --cumulative: what is known after one table after another is released.",
        PUBLIC,
        SPARSE,
    ] = ()
    over_tables: Annotated[
        OverTables | None,
        "What is known of the cell if every table that fits the release is equally likely; left out where it was not "
        "computed.",
        PUBLIC,
        SPARSE,
    ] = None
    rank: Annotated[CellRank | None, "A withheld cell among the equations.", PUBLIC, SPARSE] = None
    insider_risk: Annotated[
        InsiderRisk | None,
        "Risk for a contributor, whether it gets too close or not; left out: no contributor to ask about, or a public "
        "copy.",
        SPARSE,
    ] = None


class ImpliedCount(NamedTuple):
    """Numbers of combinations that no row lists."""

    looked_at: Annotated[
        Count,
        "Combinations of codes, and of parts of codes, that no row lists, and of which it is settled whether the "
        "equations give them.",
    ]
    left_out: Annotated[
        Count,
        "Those of which it stayed open whether every value they can take would be sensitive: bounds would have cost "
        "too much.",
    ]
    computed: Annotated[Count, "Those of which one value is left."]
    narrow: Annotated[Count, "Those that can take several values, all of them sensitive."]
    judged: Annotated[Count, "Computed ones that a rule of the policy could judge."]
    sensitive: Annotated[Count, "Findings, listed in `implied`."]


@dataclass(frozen=True)
class CellCounts:
    """Numbers of cells by what is known of them."""

    cells: Annotated[Count, "All distinct cells of the release.", PUBLIC]
    published: Annotated[Count, "Cells whose value is released.", PUBLIC]
    withheld: Annotated[Count, "Cells withheld: primary, secondary or without a reason.", PUBLIC]
    exposed: Annotated[Count, "Sensitive cells with verdict exposed (public copy: all exposed cells)."]
    secondary_exposed: Annotated[
        Count,
        "Cells that are not sensitive and can be computed exactly: withheld for nothing. Always 0 in a public copy, "
        "which does not tell which cells are secondary.",
    ]
    underprotected: Annotated[Count, "Cells with verdict underprotected; always 0 in a public copy."]
    protected: Annotated[Count, "Cells with verdict protected by tables of whole multiples of the unit."]
    protected_continuous: Annotated[
        Count, "Cells with verdict protected that rest on a continuous witness only; counted apart from protected."
    ]
    undecided: Annotated[Count, "Cells with verdict undecided."]
    not_judged: Annotated[Count, "Cells listed but not judged."]


@dataclass(frozen=True)
class Summary(CellCounts):
    """Numbers of cells by what is known of them, and the size of the released system."""

    rank: Annotated[Count, "Rank of the released system: independent equations over the base cells.", PUBLIC]
    degrees_of_freedom: Annotated[Count, "Dimension of what the open cells can still do together.", PUBLIC]
    components: Annotated[Count, "Groups of open cells that depend on each other, separate from all others.", PUBLIC]
    implied: Annotated[
        ImpliedCount | None, "Combinations that no row lists; null: not looked for (policy `implied: off`)."
    ] = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """Audit report. What can be worked out from the tables of a release. Numbers are exact decimals in the measure's
    own unit. Reports carry no timings: the same input gives the same report."""

    schema: ClassVar[Literal["tableseal/report/1"]] = "tableseal/report/1"
    verdict: Annotated[
        ReleaseVerdict,
        "safe: no sensitive cell is exposed or underprotected and none is undecided. unsafe: at least one is exposed "
        "or underprotected. undecided: a limit was reached before all was proved, or nothing says what is sensitive "
        "(see judged).",
        PUBLIC,
    ]
    judged: Annotated[
        bool,
        "False: neither a rule nor a status says what is sensitive, so that nothing was judged and the verdict is "
        "undecided; the note `not_judged` says what small counts there are.",
        PUBLIC,
    ] = True
    confidential: Annotated[
        bool,
        "True: holds what only the agency may know. False: a public copy, without true values, arithmetic of "
        "exposures, insiders, rules and digests.",
    ] = True
    title: Annotated[str, "Its title.", Key("release.title", "The release that was audited."), PUBLIC]
    release_sha256: Annotated[
        Digest | None,
        "SHA-256 of the canonical JSON release, true values included; null in a public copy.",
        Key("release.sha256"),
    ]
    policy_sha256: Annotated[
        PolicyDigest | None, "The policy that was applied; null: none, or a public copy.", Key("policy")
    ] = None
    rules: Annotated[
        tuple[str, ...],
        "The rules that were applied, in words and in their order; empty: none, or a public copy.",
    ] = ()
    bounds: Annotated[str, "Kind of bounds asked for: shuttle, lp or integer.", Key("engine.bounds"), PUBLIC]
    summary: Annotated[Summary, "Numbers of cells by what is known of them, and the size of the released system."]
    risk_panel: Annotated[tuple[PanelEntry, ...], "Every measure of risk that applies, side by side."] = ()
    cells: Annotated[
        tuple[ReportCell, ...],
        "Once each: every cell whose exact value is not published, and every published cell with a finding.",
    ]
    implied: Annotated[
        tuple[ReportCell, ...],
        "Sensitive cells that no row lists and that the release gives away all the same: one value, or only sensitive "
        'ones, are left. What no code stands for is named by codes joined with " - ", " & " or "+"; the table is the '
        "first one of the measure, the status not_listed.",
    ] = ()
    beyond_help: Annotated[
        tuple[BeyondHelp, ...],
        "Sensitive withheld cells whose contributors are too close to each other by what their ranks say, whatever "
        "is withheld. Those that are not accepted have reason `ranks` and make the release unsafe, unless something "
        "worse is found of them; no pattern mends them. Empty in a public copy.",
    ] = ()
    notes: Annotated[tuple[Note, ...], "What was assumed, passed over or warned about."]

    @derived(after="verdict")
    def called(self) -> Called:
        """What the verdict is called: `safe as listed` where cells that no row lists can be computed and no rule could
        judge them, or were not looked for; `not judged` where nothing says what is sensitive; else the verdict."""
        from tableseal.audit.report.called import called

        return called(self)

    @derived(after="rules", key="engine.version", group="What computed the report.")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()

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
