"""What a plan comes to: its clusters, what links them and how large they are, as a document and in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import PUBLIC, SPARSE
from tableseal.audit.codec.kinds import Count
from tableseal.audit.language import _, counted
from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.clusters import Cluster, Together
from tableseal.audit.plans.forecast import LONG, in_words, seconds_of
from tableseal.audit.plans.read import Plan
from tableseal.audit.plans.releases import measures_without_tables
from tableseal.audit.plans.sizes import base_cells_of, cells_of, records_of
from tableseal.audit.plans.splitting import Cut, cheapest_cut


@dataclass(frozen=True)
class Joined:
    """A table that is protected in place of those that are parts of it."""

    variables: Annotated[tuple[str, ...], "Its variables, with the levels that its tables go down to.", PUBLIC]
    tables: Annotated[tuple[str, ...], "The tables of the plan that are parts of it.", PUBLIC]
    cells: Annotated[Count | None, "Combinations of codes, at most; null: classifications are not known.", PUBLIC]


@dataclass(frozen=True)
class Split:
    """A cluster in two parts, which know the least of each other. Readers have both: what one part withholds may follow
    from cells of the other through what links them."""

    cells: Annotated[Count, "Cells that link the parts.", PUBLIC]
    links: Annotated[tuple[str, ...], "What these are: a measure or an equation, and by which variables.", PUBLIC]
    larger: Annotated[tuple[str, ...], "Tables of one part.", PUBLIC]
    smaller: Annotated[tuple[str, ...], "Tables of the other.", PUBLIC]
    seconds: Annotated[float, "Forecast of the time that both take on one processor.", PUBLIC]


@dataclass(frozen=True)
class ClusterReport:
    """Tables that are one system: protected, audited and published together."""

    name: Annotated[str, "Of its measures.", PUBLIC]
    population: Annotated[str, "Whom its tables are about; empty: not said.", PUBLIC]
    measures: Annotated[tuple[str, ...], "Measures of its tables, and those that equations relate to them.", PUBLIC]
    equations: Annotated[tuple[str, ...], "Equations between these.", PUBLIC]
    tables: Annotated[tuple[str, ...], "Tables of the plan.", PUBLIC]
    protect: Annotated[tuple[Joined, ...], "What is protected in place of these.", PUBLIC]
    linked_by: Annotated[tuple[str, ...], "Variables that several of these have.", PUBLIC]
    base_cells: Annotated[
        Count | None, "Unknowns of its system, at most; null: classifications are not known.", PUBLIC
    ] = None
    seconds: Annotated[float | None, "Forecast of the time that it takes on one processor; null as above.", PUBLIC] = (
        None
    )
    split: Annotated[
        Split | None, "Where that is more than an hour: what it is best split by; null: it cannot be.", PUBLIC, SPARSE
    ] = None
    without_table: Annotated[
        tuple[str, ...], "Measures that no table has, so that nothing follows from their equations.", PUBLIC, SPARSE
    ] = ()


@dataclass(frozen=True)
class PlanReport:
    """What a plan comes to. Which tables hang together, and what is to be protected in place of them."""

    schema: ClassVar[Literal["tableseal/plan/1"]] = "tableseal/plan/1"

    title: Annotated[str, "Of the plan.", PUBLIC]
    tables: Annotated[Count, "Tables of the plan.", PUBLIC]
    protect: Annotated[Count, "Tables that are protected in place of them.", PUBLIC]
    clusters: Annotated[tuple[ClusterReport, ...], "In the order of their first tables.", PUBLIC]


def plan_report(plan: Plan) -> PlanReport:
    """What a plan comes to."""
    records = records_of(plan) or 0
    found = tuple(_cluster(cluster, plan.variables, records) for cluster in plan.clusters)
    return PlanReport(plan.title, len(plan.tables), sum(len(cluster.protect) for cluster in found), found)


def _cluster(cluster: Cluster, variables: Mapping[str, Hierarchy], records: int) -> ClusterReport:
    base = base_cells_of(cluster.tables, variables)
    seconds = None if base is None else seconds_of(base, records, len(cluster.tables))
    cut = cheapest_cut(cluster, variables) if seconds is not None and seconds > LONG else None
    return ClusterReport(
        name=cluster.name,
        population=cluster.population,
        measures=cluster.measures,
        equations=tuple(map(str, cluster.equations)),
        tables=tuple(table.name for table in cluster.tables),
        protect=tuple(_joined(joined, cluster, variables) for joined in cluster.joined),
        linked_by=cluster.linking,
        base_cells=base,
        seconds=None if seconds is None else round(seconds, 1),
        split=None if cut is None else _split(cut, variables, records),
        without_table=tuple(measures_without_tables(cluster)),
    )


def _split(cut: Cut, variables: Mapping[str, Hierarchy], records: int) -> Split:
    larger, smaller = (tuple(table.name for table in part) for part in cut.parts)
    seconds = sum(seconds_of(base_cells_of(part, variables) or 0, records, len(part)) for part in cut.parts)
    return Split(cut.cells, cut.links, larger, smaller, round(seconds, 1))


def _joined(joined: Together, cluster: Cluster, variables: Mapping[str, Hierarchy]) -> Joined:
    said = tuple(f"{name}@{'+'.join(levels)}" if levels else name for name, levels in joined.by)
    own = [table for table in cluster.tables if table.name in joined.tables]
    return Joined(said, joined.tables, cells_of(own, variables))


def plan_text(report: PlanReport) -> str:
    """The same in words."""
    sizes = _("{tables} in {clusters}; {protect} to protect.").format(
        tables=counted(report.tables, "{n} table", "{n} tables"),
        clusters=counted(len(report.clusters), "{n} cluster", "{n} clusters"),
        protect=report.protect,
    )
    lines = [f"{report.title}: {sizes}" if report.title else sizes]
    for cluster in report.clusters:
        measures = ", ".join(cluster.measures)
        if cluster.population and cluster.population not in cluster.name:
            of = {"cluster": cluster.name, "population": cluster.population, "measures": measures}
            lines += ["", _("{cluster} of {population}: {measures}").format(**of)]
        else:
            lines += ["", f"{cluster.name}: {measures}"]
        lines += [f"  {equation}" for equation in cluster.equations]
        for joined in cluster.protect:
            variables = " x ".join(joined.variables) or _("the total")
            size = "" if joined.cells is None else ", " + _("{n} cells at most").format(n=f"{joined.cells:,}")
            lines.append(f"  {variables}{size}: {', '.join(joined.tables)}")
        if cluster.linked_by:
            lines.append("  " + _("linked by {variables}").format(variables=", ".join(cluster.linked_by)))
        if cluster.seconds is not None and cluster.base_cells is not None:
            said = {"n": f"{cluster.base_cells:,}", "time": in_words(cluster.seconds)}
            lines.append("  " + _("{n} base cells, about {time} (a forecast)").format(**said))
        if cluster.split is not None:
            lines += _split_lines(cluster.split)
        if cluster.without_table:
            said = {"measures": ", ".join(cluster.without_table)}
            lines.append("  " + _("no table has {measures}: nothing follows from those equations").format(**said))
    return "\n".join(lines)


def _split_lines(split: Split) -> list[str]:
    """What a cluster that is too large is best split by, and what that risks."""
    said = {"time": in_words(split.seconds), "n": f"{split.cells:,}", "links": "; ".join(split.links)}
    found = _(
        "too large to wait for; the parts that know least of each other take {time} and share {n} cells ({links}):"
    )
    risk = _(
        "Judged apart, nobody looks at what readers work out from both: what one part withholds may follow from the "
        "other."
    )
    return [
        "  " + found.format(**said),
        f"    {', '.join(split.larger)}",
        f"    {', '.join(split.smaller)}",
        f"    {risk}",
    ]
