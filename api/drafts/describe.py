"""A draft in words and figures, as plain data for pages: nothing here decides anything."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.model import Release, Status, Table
from tableseal.audit.model.policy import Policy

SAMPLES = 4
"""Entries of a column that are shown."""

LISTED = 1000
"""Codes of a column from which a total is chosen; columns with more codes than that are not listed."""


def describe_release(release: Release) -> dict[str, Any]:
    """Tables, classifications, measures and policy of a release, and what was noticed while it was read."""
    tables = [_table(table) for table in release.tables]
    counts = all(measure.kind == "count" for measure in release.measures.values())
    return {
        "title": release.title,
        "measures": [
            {"name": m.name, "kind": m.kind, "unit": decimal_text(m.unit) or str(m.unit)}
            for m in release.measures.values()
        ],
        "variables": [
            {"name": h.name, "codes": len(h.codes), "total": h.total, "levels": h.depth}
            for h in release.variables.values()
        ],
        "tables": tables,
        "withheld": sum(table["withheld"] for table in tables),
        "rules": None if release.policy is None else policy_words(release.policy, counts),
        "notes": [note.text for note in release.notes],
    }


def describe_columns(columns: Columns) -> list[dict[str, Any]]:
    """Every column with its first entries; columns of few codes with all of them."""
    found = []
    for name, entries in columns.data.items():
        codes = codes_of(entries)
        found.append(
            {
                "name": name,
                "samples": [code for code in codes if code.strip()][:SAMPLES],
                "distinct": len(codes),
                "codes": codes if len(codes) <= LISTED else [],
            }
        )
    return found


def codes_of(entries: Column) -> list[str]:
    """The different entries of a column, in the order in which they come."""
    return [code or "" for code in entries.texts]


def policy_words(policy: Policy, counts: bool) -> list[str]:
    """Each rule and requirement as a sentence; `counts`: the tables hold counts only."""
    words = [rule.sentence(counts) for rule in policy.primary]
    require = policy.require
    if not require.exposed:
        words.append("No sensitive cell may be computed from the others.")
    if require.protection:
        words.append("Sensitive cells keep the interval that their rule requires.")
    if require.risk is not None:
        words.append(f"Risk 1/log2(possible values) is at most {_number(require.risk)}.")
    if require.sap is not None:
        text = f"Subtracting {require.sap.n} random known units recovers a zero with a probability of at most "
        words.append(f"{text}{_number(require.sap.max)}.")
    return words


def _table(table: Table) -> Mapping[str, Any]:
    status = table.status
    return {
        "name": table.name,
        "measure": table.measure,
        "variables": list(table.named),
        "rows": len(status),
        "published": int(np.count_nonzero(status <= Status.STRUCTURAL_ZERO)),
        "withheld": int(np.count_nonzero(status >= Status.SECONDARY)),
        "source": str(table.where),
    }


def _number(value: Any) -> str:
    return decimal_text(value) or str(value)
