"""What a plan comes to: its clusters, what links them and how large they are, as a document and in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import PUBLIC, SPARSE
from tableseal.audit.codec.kinds import Count
from tableseal.audit.io.made_tables import wanted_codes
from tableseal.audit.model import Hierarchy
from tableseal.audit.plans.clusters import Cluster, Together
from tableseal.audit.plans.read import Plan
from tableseal.audit.plans.releases import measures_without_tables


@dataclass(frozen=True)
class Joined:
    """A table that is protected in place of those that are parts of it."""

    variables: Annotated[tuple[str, ...], "Its variables, with the levels that its tables go down to.", PUBLIC]
    tables: Annotated[tuple[str, ...], "The tables of the plan that are parts of it.", PUBLIC]
    cells: Annotated[Count | None, "Combinations of codes, at most; null: classifications are not known.", PUBLIC]


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
    found = tuple(_cluster(cluster, plan.variables) for cluster in plan.clusters)
    return PlanReport(plan.title, len(plan.tables), sum(len(cluster.protect) for cluster in found), found)


def _cluster(cluster: Cluster, variables: Mapping[str, Hierarchy]) -> ClusterReport:
    return ClusterReport(
        name=cluster.name,
        population=cluster.population,
        measures=cluster.measures,
        equations=tuple(map(str, cluster.equations)),
        tables=tuple(table.name for table in cluster.tables),
        protect=tuple(_joined(joined, cluster, variables) for joined in cluster.joined),
        linked_by=cluster.linking,
        without_table=tuple(measures_without_tables(cluster)),
    )


def _joined(joined: Together, cluster: Cluster, variables: Mapping[str, Hierarchy]) -> Joined:
    said = tuple(f"{name}@{'+'.join(levels)}" if levels else name for name, levels in joined.by)
    return Joined(said, joined.tables, _cells(joined, cluster, variables))


def _cells(joined: Together, cluster: Cluster, variables: Mapping[str, Hierarchy]) -> int | None:
    """Combinations of codes of all its measures; of each variable those that some of its tables has."""
    cells = len({table.measure for table in cluster.tables if table.name in joined.tables})
    for name, _ in joined.by:
        if name not in variables:
            return None
        own = [one.level for t in cluster.tables if t.name in joined.tables for one in t.by if one.variable == name]
        place = next(table.where for table in cluster.tables if table.name in joined.tables)
        kept = [wanted_codes(variables[name], level, place / "by") for level in own] or [
            wanted_codes(variables[name], None, place)
        ]
        cells *= int(sum(kept[1:], start=kept[0]).astype(bool).sum())
    return cells


def plan_text(report: PlanReport) -> str:
    """The same in words."""
    one = len(report.clusters) == 1
    lines = [f"{report.title}: " if report.title else ""]
    lines[0] += f"{report.tables} table{'' if report.tables == 1 else 's'} in {len(report.clusters)} cluster"
    lines[0] += f"{'' if one else 's'}; {report.protect} to protect."
    for cluster in report.clusters:
        of = f" of {cluster.population}" if cluster.population and cluster.population not in cluster.name else ""
        lines += ["", f"{cluster.name}{of}: {', '.join(cluster.measures)}"]
        lines += [f"  {equation}" for equation in cluster.equations]
        for joined in cluster.protect:
            size = "" if joined.cells is None else f", {joined.cells:,} cells at most"
            lines.append(f"  {' x '.join(joined.variables) or 'the total'}{size}: {', '.join(joined.tables)}")
        if cluster.linked_by:
            lines.append(f"  linked by {', '.join(cluster.linked_by)}")
        if cluster.without_table:
            lines.append(f"  no table has {', '.join(cluster.without_table)}: nothing follows from those equations")
    return "\n".join(lines)
