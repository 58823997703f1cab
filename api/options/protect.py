"""Options of `tableseal protect`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, MaxLen

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import HtmlFile, JsonFile, Language, Public
from tableseal.api.options.suppress import Symbol
from tableseal.suppression.protections.names import WORDS


@dataclass(frozen=True, kw_only=True)
class MethodOptions(Options):
    """Settings of the methods, by the names of their fields; what is not said is left to the method."""

    base: Annotated[
        str | None,
        Option(
            "Of roundings: multiples of it are published, or (small-count-rounding) no counts below it.",
            metavar="NUMBER",
        ),
        MaxLen(40),
    ] = None
    by: Annotated[
        str | None,
        Option(
            "A variable whose margin adds up, too (semi-controlled-rounding), or whose codes have a matrix and quotas "
            "of their own (perturbation, post-randomisation).",
            metavar="VARIABLE",
        ),
        MaxLen(200),
    ] = None
    range: Annotated[
        int | None,
        Option(
            "No count changes by more (cell-key; default: by the release's ptable); no value by more units of change "
            "(cell-key-magnitudes); values may change by so much whatever the share (tabular-adjustment; default: 0).",
            metavar="D",
        ),
        Ge(1),
    ] = None
    cost: Annotated[
        Literal["unit", "inverse", "column"] | None,
        Option(
            "Of tabular-adjustment: what a change by one unit costs, 1 (unit, usual), less the larger the value "
            "(inverse), or what the release says (column).",
            metavar="KIND",
        ),
    ] = None
    variance: Annotated[
        str | None,
        Option("Variance of the changes (cell keys, unless the release has a ptable).", metavar="V"),
        MaxLen(40),
    ] = None
    never: Annotated[int | None, Option("No count from 1 to this is published (cell-key).", metavar="N"), Ge(0)] = None
    unchanged: Annotated[str | None, Option("Share of counts that stay (cell-key).", metavar="SHARE"), MaxLen(40)] = (
        None
    )
    share: Annotated[
        str | None,
        Option(
            "No contribution (noise), no value (tabular-adjustment) changes by more than this share, which readers are "
            "told; or the share of the records that are drawn (sampling).",
            metavar="SHARE",
        ),
        MaxLen(40),
    ] = None
    least: Annotated[
        str | None, Option("Every contribution changes by at least this share (noise).", metavar="SHARE"), MaxLen(40)
    ] = None
    shape: Annotated[
        str | None,
        Option(
            "Of the distribution of factors (noise; default: triangular).",
            metavar="NAME",
            choices={"triangular": "most of them near the least share", "uniform": "all alike"},
        ),
        MaxLen(40),
    ] = None
    balanced: Annotated[
        bool | None,
        Option(
            "Choose directions so that cells that need no protection move least (noise; as usual).",
            off="Draw the direction of each contributor on its own (noise).",
        ),
    ] = None
    modulus: Annotated[
        int | None,
        Option("Keys are whole numbers below this (cell keys; default: decimals from 0 to below 1).", metavar="N"),
        Ge(2),
    ] = None
    scale: Annotated[
        Literal["top", "mean", "range", "sum"] | None,
        Option(
            "Of cell-key-magnitudes: changes are shares of the largest contributions (top, usual), or of their mean, "
            "range or sum.",
            metavar="KIND",
        ),
    ] = None
    weights: Annotated[
        tuple[str, ...],
        Option(
            "Of cell-key-magnitudes: weight of the second, third, ... largest contribution, from 1 falling; so many "
            "more change the value.",
            metavar="NUMBER",
        ),
    ] = ()
    small_share: Annotated[
        str | None,
        Option(
            "Of cell-key-magnitudes: share of a contribution that a change by 1 is (default: 0.25), up to the point.",
            metavar="SHARE",
        ),
        MaxLen(40),
    ] = None
    large_share: Annotated[
        str | None,
        Option(
            "Of cell-key-magnitudes: to which it falls beyond the point (default: 0.05).",
            metavar="SHARE",
        ),
        MaxLen(40),
    ] = None
    point: Annotated[
        str | None,
        Option(
            "Of cell-key-magnitudes: size of contributions from which the share falls (default: it never does).",
            metavar="SIZE",
        ),
        MaxLen(40),
    ] = None
    power: Annotated[
        str | None,
        Option("Of cell-key-magnitudes: how fast it falls, from 1 (default: 3).", metavar="NUMBER"),
        MaxLen(40),
    ] = None
    more: Annotated[
        str | None,
        Option(
            "Of cell-key-magnitudes: units of change by which sensitive cells move further (default: 0).",
            metavar="NUMBER",
        ),
        MaxLen(40),
    ] = None
    zero_keys: Annotated[
        bool | None,
        Option(
            "Records that give 0 count in the keys of cells (cell-key-magnitudes; usual).",
            off="They do not (cell-key-magnitudes).",
        ),
    ] = None
    missing_keys: Annotated[
        bool | None,
        Option(
            "Records may lack a key: they are counted and change no cell key (cell keys).",
            off="Every record has a key (cell keys; usual).",
        ),
    ] = None
    unbiased_from: Annotated[
        int | None,
        Option("From this count on the release's ptable has no bias (cell-key; default: 0).", metavar="N"),
        Ge(0),
    ] = None
    withhold_below: Annotated[
        int | None, Option("Withhold what is below this after the change (cell-key).", metavar="N"), Ge(0)
    ] = None
    additive: Annotated[
        bool | None,
        Option(
            "Publish the nearest table that adds up (cell-key).",
            off="Publish what cell keys give, which need not add up (cell-key).",
        ),
    ] = None
    loss: Annotated[
        Literal["cells", "entropy"] | None,
        Option(
            "Of redesign: what is lost least, published cells (usual) or entropy of the tables' values.", metavar="KIND"
        ),
    ] = None
    neighbours: Annotated[
        bool | None,
        Option(
            "Of redesign: only categories that stand next to one another are combined (usual).",
            off="Any categories of one parent are combined (redesign).",
        ),
    ] = None
    variable: Annotated[
        str | None,
        Option("Whose categories change (post-randomisation), or the regions (record-swapping).", metavar="VARIABLE"),
        MaxLen(200),
    ] = None
    stay: Annotated[
        str | None,
        Option(
            "Of perturbations: share of counts, or categories, that stay; a matrix in the release replaces it.",
            metavar="SHARE",
        ),
        MaxLen(40),
    ] = None
    reach: Annotated[
        int | None,
        Option("Of perturbation: how far other counts move; a matrix in the release replaces it.", metavar="N"),
        Ge(1),
    ] = None
    invariant: Annotated[
        bool | None,
        Option(
            "Of perturbations: the matrix is made invariant, so that it keeps how many there are of each (usual).",
            off="The matrix is used as it is.",
        ),
    ] = None
    draws: Annotated[
        Literal["quotas", "independent"] | None,
        Option("Of perturbations: as many as expected change (quotas, usual), or each on its own.", metavar="KIND"),
    ] = None
    margins: Annotated[
        Literal["added", "restored", "apart"] | None,
        Option(
            "Of perturbation: margins are added up again (added, usual), restored to their true values, or perturbed "
            "like other cells (apart).",
            metavar="KIND",
        ),
    ] = None
    rate: Annotated[
        tuple[str, ...],
        Option(
            "Of record-swapping: share of households that are swapped; of each level of regions, the broadest first, "
            "or one of the finest.",
            metavar="SHARE",
        ),
    ] = ()
    similar: Annotated[
        tuple[str, ...],
        Option(
            "Of record-swapping: variables in which households must be alike, with commas; the next profile is for "
            "those without a partner.",
            metavar="VARIABLES",
        ),
    ] = ()
    anonymity: Annotated[
        int | None,
        Option(
            "Of record-swapping: fewer records than this with the same codes in a region are at risk, and go first.",
            metavar="K",
        ),
        Ge(2),
    ] = None
    risk_by: Annotated[
        tuple[str, ...],
        Option("Of record-swapping: a variable whose codes count for the risk (usual: all).", metavar="VARIABLE"),
    ] = ()
    carry: Annotated[
        tuple[str, ...],
        Option("Of record-swapping: a variable that is exchanged with the region.", metavar="VARIABLE"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class ProtectOptions(MethodOptions):
    """What may be said about a protection that changes values, besides the release."""

    method: Annotated[str, Option("What is done to the values.", metavar="NAME", choices=WORDS), MaxLen(40)] = (
        "controlled-rounding"
    )
    seed: Annotated[int, Option("Seed of all that is drawn; who knows it can undo the draws.", metavar="N"), Ge(0)] = 0
    time_limit: Annotated[
        float | None, Option("Seconds for the method, and again for the audit.", metavar="S"), Ge(0)
    ] = None


@dataclass(frozen=True, kw_only=True)
class ProtectOutputs(Options):
    """What the command asks besides."""

    output: Annotated[
        str | None,
        Option(
            "Protected release to write: .yaml (with a CSV file for each table), .json, .csv (one table), or - for "
            "JSON on standard output. Written only if its audit says safe.",
            metavar="OUT",
            names=("-o", "--output"),
        ),
    ] = None
    confidential: Annotated[
        str | None,
        Option(
            "The protected release with true values and policy (.yaml or .json), for later audits; never for readers. "
            "Written only if the audit says safe.",
            metavar="FILE",
        ),
    ] = None
    symbol: Symbol = None
    public: Public = False
    json: JsonFile = None
    html: HtmlFile = None
    lang: Language = "en"
