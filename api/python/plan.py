"""`ts.plan`: which tables of a publication hang together."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tableseal.api.python.advice import InPython
from tableseal.api.python.document import with_columns
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.source import existing
from tableseal.api.python.to_frame import Column, Texts, Whole
from tableseal.audit.codec.documents import json_of
from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io.yaml_text import as_text
from tableseal.audit.plans.read import Plan, plan_from_document, read_plan
from tableseal.audit.plans.report import ClusterReport, PlanReport, plan_report, plan_text
from tableseal.audit.wording import a_kind

A_PLAN = "the path of a plan or of a list of tables, or a plan document (a dict)"


@dataclass(frozen=True, repr=False, eq=False)
class PlanResult(Result):
    """What a plan comes to.

    Examples
    --------
    >>> found = ts.plan({
    ...     "tableseal-plan": 1,
    ...     "measures": {"all": {"kind": "magnitude"}, "home": {"kind": "magnitude"}},
    ...     "equations": ["all = 2 home"],
    ...     "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
    ...     "tables": [
    ...         {"name": "a", "measure": "all", "by": ["region"]},
    ...         {"name": "b", "measure": "home", "by": ["region"]},
    ...     ],
    ... })
    >>> found
    PlanResult(tables=2, clusters=1, protect=1)
    >>> found.clusters[0].equations
    ('all = 2 home',)
    """

    report: PlanReport

    @property
    def clusters(self) -> tuple[ClusterReport, ...]:
        """Tables that are one system, in the order of their first tables."""
        return self.report.clusters

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/plan/1."""
        return json_of(self.report)

    def text(self) -> str:
        """The result in words."""
        return plan_text(self.report)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"tables": self.report.tables, "clusters": len(self.clusters), "protect": self.report.protect}

    def columns(self) -> Mapping[str, Column]:
        """A row for each table of the plan: its cluster, and the table that is protected in place of it."""
        rows = [(c.name, table, at) for c in self.clusters for at, one in enumerate(c.protect) for table in one.tables]
        return {
            "table": Texts([table for _, table, _ in rows]),
            "cluster": Texts([cluster for cluster, _, _ in rows]),
            "protected_as": Whole([at + 1 for _, _, at in rows]),
        }


def plan(data: object) -> PlanResult:
    """Show which tables of a plan hang together, and what is to be protected in place of them.

    Parameters
    ----------
    data: path (str or Path) of a plan or of a list of tables (CSV, Excel), or a plan document (dict, with
        DataFrames for `cells` if you like).

    Raises
    ------
    InputError: what cannot be read or used: it says where, what was found and what was expected.

    Examples
    --------
    >>> ts.plan({
    ...     "tableseal-plan": 1,
    ...     "measures": {"firms": {"kind": "count"}},
    ...     "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
    ...     "tables": [{"name": "firms", "measure": "firms", "by": ["region"]}],
    ... }).text().splitlines()[0]
    '1 table in 1 cluster; 1 to protect.'
    """
    try:
        found = read(data)
        return PlanResult(Origin(inputs=found.files if isinstance(data, str | os.PathLike) else ()), plan_report(found))
    except TablesealError as error:
        error.advised = InPython("plan").words
        raise


def read(data: Any, expected: str = A_PLAN) -> Plan:
    """A plan as a file or a document.

    Raises
    ------
    InputError: what cannot be read or used, or is something else than expected.
    """
    if isinstance(data, str | os.PathLike):
        return read_plan(existing(data, expected))
    if isinstance(data, Mapping):
        return plan_from_document(as_text(with_columns(data)), Path.cwd() / "plan")
    raise InputError(found=a_kind(data), expected=expected)
