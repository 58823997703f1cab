"""Shape of a release file: pydantic models, the single source of its JSON Schema."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, WithJsonSchema

from tableseal.audit.errors import InputError
from tableseal.audit.io.agency_document import (
    Cells,
    MicrodataDocument,
    PtableDocument,
    Thousands,
    TransitionDocument,
)
from tableseal.audit.io.document_types import (
    TAG,
    Code,
    Count,
    Decimals,
    Factor,
    Flag,
    Integer,
    Model,
    NonNegative,
    Number,
    Rank,
    Share,
    Tally,
    Text,
    Unit,
    checked,
    shape,
)
from tableseal.audit.io.policy_document import PolicyDocument
from tableseal.audit.io.rounding_document import RoundingDocument
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.io.trees import wrong_tree
from tableseal.audit.model import InsiderKind


def _wrong_tree_or_file(tree: Any) -> Iterable[InputError]:
    return () if isinstance(tree, str) else wrong_tree(tree)


Tree = Annotated[
    Any,
    checked(wrong_tree),
    WithJsonSchema(
        {
            "type": ["object", "array"],
            "description": "group codes with what is below them; lists of leaf codes",
        }
    ),
]
TreeOrFile = Annotated[
    Any,
    checked(_wrong_tree_or_file),
    WithJsonSchema(
        {
            "type": ["string", "object", "array"],
            "description": "a file (.hrc, or csv with code and parent) or a tree",
        }
    ),
]


class MeasureDocument(Model):
    """What is tabulated."""

    kind: Literal["count", "magnitude"] = Field(description="count: numbers of units; magnitude: sums of a variable")
    unit: Unit | None = Field(default=None, description="published precision; every value is a whole multiple of it")
    previous: Text | None = Field(
        default=None, description="written by convert: the measure whose values of an earlier period these are"
    )


class VariableDocument(Model):
    """A classification; tables that share it by name are linked by it."""

    total: Code | None = Field(default=None, description="code of the total; left out: the variable is never added up")
    codes: list[Code] | None = Field(
        default=None, description="codes in their order; those in no grouping lie below the total"
    )
    tree: Tree | None = Field(default=None, description="nested codes")
    trees: list[TreeOrFile] | None = Field(default=None, description="several groupings, which need not be nested")
    file: Text | None = Field(
        default=None, description=".hrc file, or csv with columns code and parent, or a level table"
    )
    levels: list[Text] | None = Field(
        default=None, min_length=1, description="columns of a level table, the broadest first"
    )
    leading: Text | None = Field(default=None, description="leading string of an .hrc file; left out: @")
    selections: list[Code] = Field(
        default=[],
        description="groups that only a table's `where` names, no part of the classification (convert writes it)",
    )
    combined: list[Code] = Field(
        default=[], description="codes of which nothing below goes out to readers (protect --method redesign writes it)"
    )


class StatusDocument(Model):
    """A status column and the meaning of its flags."""

    column: Text
    scheme: Text | None = Field(default=None, description=" or ".join(", ".join(SCHEMES).rsplit(", ", 1)))
    map: dict[str, Text] = Field(default={}, description="flag -> status word, for flags that no scheme explains")


_StatusColumn = Annotated[
    Annotated[Text, Tag(TAG + "text")] | Annotated[StatusDocument, Tag(TAG + "mapping")], Discriminator(shape)
]
StatusColumns = Annotated[
    Annotated[Text, Tag(TAG + "text")]
    | Annotated[StatusDocument, Tag(TAG + "mapping")]
    | Annotated[list[_StatusColumn], Tag(TAG + "list")],
    Discriminator(shape),
]
CodeOrCodes = Annotated[
    Annotated[Code, Tag(TAG + "text")] | Annotated[list[Code], Field(min_length=1), Tag(TAG + "list")],
    Discriminator(shape),
]


class AbsentDocument(Model):
    """What a combination without a row means."""

    leaves: Literal["zero", "not_released", "error"] = Field(
        default="zero", description="at the finest level the table lists"
    )
    totals: Literal["not_released", "compute"] = Field(default="not_released", description="above that level")


class ProtectionDocument(Model):
    """Columns with the required distance below and above the true value, and with the required width (sliding)."""

    lower: Text | None = None
    upper: Text | None = None
    sliding: Text | None = Field(default=None, description="width of what stays possible, wherever that lies")


MarkWord = Literal["withheld", "primary", "secondary", "missing", "zero", "structural_zero"]
Meaning = Annotated[
    Annotated[MarkWord, Tag(TAG + "text")] | Annotated[tuple[Number | None, Number | None], Tag(TAG + "list")],
    Discriminator(shape),
]


class PartialSumsDocument(Model):
    """Aggregates that are not published: the sum of their published members is, if it is a large part of them."""

    variable: Text = Field(description="of the aggregates and members")
    codes: list[Code] = Field(min_length=1, description="the aggregates")
    share: Share = Field(default=Fraction(95, 100), description="of the aggregate, that the sum has to reach")


class TableDocument(Model):
    """One table: where its cells are and what its columns hold."""

    name: Text
    measure: Text | None = Field(default=None, description="may be left out when there is one")
    file: Text | None = Field(default=None, description="delimited text or Parquet, relative to the release's folder")
    cells: Cells | None = Field(default=None, description="the table inline")
    rows: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="how many rows the data have; another number is an error (a file that is cut off)"
    )
    by: list[Text] | None = Field(
        default=None, description="variables of a table that is made of the microdata, in place of file and cells"
    )
    levels: dict[str, Text] = Field(
        default={},
        description="beside `by`: variable -> the finest level of the table: a level of its file, or how many levels "
        "below the total",
    )
    columns: dict[str, Text] = Field(default={}, description="column -> variable, where the names differ")
    where: dict[str, CodeOrCodes] = Field(
        default={}, description="variable -> code or codes: a table of a subpopulation"
    )
    value: Text = Field(default="value", description="column of what is (to be) published")
    truth: Text | None = Field(default=None, description="column of the true values (agency knowledge)")
    status: StatusColumns | None = Field(
        default=None,
        description="status column or columns; the most restrictive wins; left out: a column called status; "
        "none: no column",
    )
    frequency: Text | None = Field(default=None, description="column: respondents per cell (agency knowledge)")
    weighted: Text | None = Field(
        default=None, description="column: sum of the respondents' weights per cell (agency knowledge)"
    )
    reason: Text | None = Field(
        default=None, description="column: why cells are withheld, in letters of the agency's own (used for nothing)"
    )
    cell_key: Text | None = Field(default=None, description="column: key of the cell, for protection by cell keys")
    contributors: list[Text] = Field(
        default=[], description="columns: largest contributions, descending (agency knowledge)"
    )
    lower: Text | None = Field(default=None, description="column of lower bounds that the intruder has anyway")
    upper: Text | None = Field(default=None, description="column of upper bounds that the intruder has anyway")
    protection: ProtectionDocument | None = None
    cost: Text | None = Field(default=None, description="column: cost of withholding a cell")
    decimal: Literal[".", ","] | None = Field(
        default=None, description="decimal sign, where the numbers alone leave it open"
    )
    thousands: Thousands | None = Field(default=None, description="separator of thousands; left out: there is none")
    marks: dict[str, Meaning] = Field(
        default={},
        description="mark in the value column -> what it means: a word, or a range [from, to] that is published "
        "instead of the value (null: no limit)",
    )
    rounding: RoundingDocument | None = None
    fixed: dict[str, CodeOrCodes] = Field(
        default={},
        description="variable -> codes of rows that others have decided: what they publish stays published, what they "
        "withhold stays withheld",
    )
    partial_sums: PartialSumsDocument | None = Field(
        default=None, description="sums of what is not confidential, in place of aggregates"
    )
    absent: AbsentDocument = Field(default_factory=AbsentDocument)
    derived: dict[str, Any] = Field(
        default={}, description="written by convert: what follows from `absent` where there is no row; never read"
    )


class LinkDocument(Model):
    """An equation between cells that codes cannot say: lower <= sum of terms <= upper."""

    terms: list[tuple[Integer, dict[str, Code]]] = Field(
        min_length=1,
        description="[coefficient, {measure: ..., variable: code}]; a variable not named is at its total",
    )
    lower: Number | None = None
    upper: Number | None = None
    statistic: Text | None = Field(
        default=None, description="written by convert: what that entry of `statistics` says; it must follow from it"
    )


OfWhat = Annotated[
    Annotated[Text, Tag(TAG + "text")] | Annotated[dict[str, Code], Tag(TAG + "mapping")], Discriminator(shape)
]


class StatisticDocument(Model):
    """A table of percentages, rates or means: `per` times a value divided by another one, rounded to the nearest. Or of
    changes against the same cell of the earlier period (`previous`)."""

    name: Text
    kind: Literal["percent", "rate", "mean", "growth", "change"] = Field(
        description="per 100; per `per`; per 1 (mean: a sum by a count); growth: percent more than in the earlier "
        "period; change: by how much more"
    )
    measure: Text | None = Field(default=None, description="of the values divided; may be left out when there is one")
    of: OfWhat | None = Field(
        default=None,
        description="what they are divided by: {variable: code, measure: ...}, the same cell but for these; a measure; "
        "or a number",
    )
    denominator: Text | None = Field(
        default=None, description="column of whole numbers published beside, in place of `of`"
    )
    per: Count | None = Field(default=None, description="of a rate: 1000 for a rate per thousand")
    decimals: Decimals | None = Field(default=None, description="published decimals")
    unit: Unit | None = Field(default=None, description="what published values are multiples of, in place of decimals")
    file: Text | None = Field(default=None, description="as in tables, and so what follows")
    cells: Cells | None = None
    columns: dict[str, Text] = Field(default={})
    where: dict[str, CodeOrCodes] = Field(default={})
    value: Text = Field(default="value", description="column of the percentages, rates or means")
    status: StatusColumns | None = Field(
        default=None, description="left out: a column called status; what it withholds says nothing; none: no column"
    )
    decimal: Literal[".", ","] | None = None
    thousands: Thousands | None = None
    marks: dict[str, Meaning] = Field(default={})


GrowthRange = Annotated[
    Annotated[Literal["any"], Tag(TAG + "text")] | Annotated[tuple[Factor | None, Factor | None], Tag(TAG + "list")],
    Discriminator(shape),
]


class PreviousDocument(Model):
    """Tables of an earlier period that are out, and how much outsiders take values to change; or an earlier version of
    the tables."""

    period: Text = Field(default="last period", description="what the earlier period is called, such as 2023")
    revision: Literal["added", "removed", "corrected"] | None = Field(
        default=None,
        description="in place of growth: the tables are a version of these that is out, and contributors were added or "
        "removed since, or something was corrected",
    )
    growth: dict[str, GrowthRange] = Field(
        default={},
        description="measure -> [from, to]: percentages (-30%, +50%) or factors (0.7, 1.5) between which every value "
        "changes; null: no limit; any: nothing is assumed",
    )
    change: dict[str, tuple[Number | None, Number | None]] = Field(
        default={}, description="measure -> [from, to] between which every value rises, in place of growth"
    )
    tables: list[TableDocument] = Field(default=[], description="as in `tables`, in the same variables")
    releases: list[Text] = Field(default=[], description="files of releases of that period, all of their tables")


class ConsentDocument(Model):
    """Agreement of the contributors of a cell: to its publication, or to being known to each other."""

    cell: dict[str, Code] = Field(min_length=1, description="variable: code; a variable not named is at its total")
    measure: Text | None = Field(default=None, description="may be left out when there is one")
    reason: Text
    by: Text = Field(description="who agreed")
    until: Text | None = Field(default=None, description="YYYY-MM-DD, the last day; left out: without end")


class NoteDocument(Model):
    """What an audit repeats of how values were changed; `protect` writes it into the agency's copy."""

    code: Literal["believable", "missing_keys", "confidence_unstated"]
    text: Text
    count: Tally = 1


class IntruderDocument(Model):
    """What an intruder knows besides the tables."""

    nonnegative: Flag = Field(default=True, description="no true value is negative")
    nonempty: Flag = Field(default=False, description="every withheld cell is at least one unit")
    prior: NonNegative | None = Field(
        default=None, description="withheld values are known within this fraction of themselves"
    )
    insiders: list[InsiderKind] | None = Field(
        default=None, description="contributors who attack; left out: all that the agency's data allow"
    )
    coalition: Rank = Field(default=1, description="so many contributors of a cell may act together")
    knows_rule: Flag = Field(
        default=False,
        description="readers know the threshold, and primary cells can be told from others (or only they are withheld)",
    )


PolicyOrFile = Annotated[
    Annotated[Text, Tag(TAG + "text")] | Annotated[PolicyDocument, Tag(TAG + "mapping")], Discriminator(shape)
]


class ReleaseDocument(Model):
    """The tables an agency is about to publish and what an intruder knows besides."""

    tableseal: Annotated[Literal["1"], WithJsonSchema({"enum": [1, "1"]})] = Field(description="version of the format")
    title: Text = ""
    date: Text | None = Field(default=None, description="YYYY-MM-DD, day of publication: agreements may have ended")
    kind: Literal["count", "magnitude"] | None = Field(default=None, description="short for one measure named value")
    unit: Unit | None = Field(default=None, description="unit of that measure")
    measures: dict[str, MeasureDocument] | None = Field(default=None, min_length=1)
    variables: dict[str, VariableDocument] = Field(min_length=1)
    tables: list[TableDocument] = Field(min_length=1)
    microdata: MicrodataDocument | None = None
    ptable: PtableDocument | None = None
    transition: TransitionDocument | None = None
    links: list[LinkDocument] = Field(default_factory=list)
    statistics: list[StatisticDocument] = Field(
        default_factory=list, description="published percentages, rates and means of the tables' values"
    )
    previous: PreviousDocument | None = Field(
        default=None, description="what is out of an earlier period, and how much values may have changed"
    )
    consent: list[ConsentDocument] = Field(
        default_factory=list, description="cells that are published by agreement of their contributors"
    )
    accept: list[ConsentDocument] = Field(
        default_factory=list,
        description="withheld cells whose contributors know each other by their ranks, whatever is withheld, and why "
        "that may be",
    )
    notes: list[NoteDocument] = Field(default_factory=list, description="of how values were changed, for the agency")
    intruder: IntruderDocument = Field(default_factory=IntruderDocument)
    policy: PolicyOrFile | None = Field(default=None, description="a policy or the file that holds it")
