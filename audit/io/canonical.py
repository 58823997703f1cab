"""The canonical form of a release: one self-contained JSON document, the same bytes for the same release.

It is a release file like any other (inline cells and classifications) and reads back to an equal release; file names,
row numbers of files and notes are not part of it, but for those on how values were changed. Whole numbers are JSON
numbers; other numbers are exact text, so that no reader turns them into binary fractions. What a table says without a
row is spelled out (`derived`), for readers that know nothing of our rules; it is not read back.
"""

import hashlib
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from weakref import ref

import numpy as np

from tableseal.audit.io.derived import without_rows
from tableseal.audit.io.numbers import decimals_of, exact
from tableseal.audit.io.policy_file import policy_document
from tableseal.audit.model import (
    ABOUT_CHANGES,
    WEIGHT_UNIT,
    Amounts,
    Consent,
    Denominator,
    Hierarchy,
    Intruder,
    Link,
    Microdata,
    Release,
    Statistic,
    Status,
    Table,
)
from tableseal.audit.model.rounding import EXACT_METHODS, NO_LIMIT, rounding_interval

_BEFORE_RECORDS = ("tableseal", "title", "measures", "variables", "tables")

_WORDS = {int(status): status.word for status in Status}


def canonical_json(release: Release) -> bytes:
    """The canonical JSON of a release, in UTF-8, with all that the agency knows.

    Examples
    --------
    >>> from tableseal.audit.io import release_from_document
    >>> release = release_from_document({
    ...     "tableseal": 1, "kind": "count", "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
    ...     "tables": [{"name": "t", "cells": {"a": ["T", "k", "l"], "value": [9, 4, None]}}]})
    >>> canonical_json(release_from_document(canonical_document(release))) == canonical_json(release)
    True
    """
    document = canonical_document(replace(release, microdata=None) if release.microdata is not None else release)
    parts = {key: _dumped(value) for key, value in document.items()}
    if release.microdata is not None:
        head = {key: parts.pop(key) for key in _BEFORE_RECORDS}
        parts = {**head, "microdata": _dumped_records(release.microdata, release), **parts}
    return b"{" + b",".join(_dumped(key) + b":" + part for key, part in parts.items()) + b"}\n"


def _dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


_DUMPED: "deque[_Dumped]" = deque(maxlen=2)
"""What was written last of records: a search writes the same ones again and again, with one pattern after another."""


@dataclass(frozen=True)
class _Dumped:
    """Records that are still the same object, what else they are written with, and what was written."""

    records: "ref[Microdata]"
    said: tuple[object, ...]
    written: bytes


def _dumped_records(records: Microdata, release: Release) -> bytes:
    """Records as JSON, remembered."""
    measures = tuple((name, release.measures[name].unit) for name in records.values)
    said = (tuple((name, hierarchy.codes) for name, hierarchy in release.variables.items()), measures)
    for one in tuple(_DUMPED):
        if one.records() is records and one.said == said:
            return one.written
    written = _dumped(_microdata(records, release))
    _DUMPED.append(_Dumped(ref(records), said, written))
    return written


def release_digest(release: Release) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical_json(release)).hexdigest()


def canonical_document(release: Release) -> dict[str, Any]:
    """The canonical form as a Python mapping."""
    document: dict[str, Any] = {
        "tableseal": 1,
        "title": release.title,
        "measures": {
            name: {"kind": measure.kind, "unit": exact(measure.unit)}
            | ({} if measure.previous is None else {"previous": measure.previous})
            for name, measure in release.measures.items()
        },
        "variables": {name: _hierarchy(hierarchy) for name, hierarchy in release.variables.items()},
        "tables": [_table(table, release) for table in release.tables],
    }
    if release.microdata is not None:
        document["microdata"] = _microdata(release.microdata, release)
    if release.ptable is not None:
        document["ptable"] = {"cells": {name: list(entries) for name, entries in release.ptable.columns.items()}}
    if release.transition is not None:
        rows = [[exact(p) for p in row] for row in release.transition.rows]
        document["transition"] = {"rows": rows, "cycle": release.transition.cycle}
    if release.statements:
        document["links"] = [_link(link, release) for link in release.links]
        for statistic in release.statistics:
            said = {"statistic": statistic.table.name}
            document["links"] += [_link(link, release) | said for link in statistic.links]
    if release.statistics:
        document["statistics"] = [_statistic(statistic, release) for statistic in release.statistics]
    if release.day is not None:
        document["date"] = release.day.isoformat()
    if release.consents:
        document["consent"] = [_consent(consent, release) for consent in release.consents]
    if release.accepted:
        document["accept"] = [_consent(accepted, release) for accepted in release.accepted]
    told = [{"code": n.code, "text": n.text, "count": n.count} for n in release.notes if n.code in ABOUT_CHANGES]
    if told:
        document["notes"] = told
    document["intruder"] = _intruder(release.intruder)
    if release.policy is not None:
        document["policy"] = policy_document(release.policy)
    return document


def _hierarchy(hierarchy: Hierarchy) -> dict[str, Any]:
    """`codes` fixes the order; each grouping that has groups is a tree."""
    found: dict[str, Any] = {} if hierarchy.total is None else {"total": hierarchy.total}
    found["codes"] = [code for code in hierarchy.codes if code != hierarchy.total]
    trees = [_tree(hierarchy, grouping) for grouping in range(len(hierarchy.parents))]
    if len(trees) > 1 or any(below is not None for below in trees[0].values()):
        found["trees"] = trees
    if hierarchy.selections:
        found["selections"] = [code for code in hierarchy.codes if code in hierarchy.selections]
    if hierarchy.combined:
        found["combined"] = [code for code in hierarchy.codes if code in hierarchy.combined]
    return found


def _tree(hierarchy: Hierarchy, grouping: int) -> dict[str, Any]:
    below: dict[str | None, list[str]] = {}
    for parent, child in hierarchy.edges(grouping):
        below.setdefault(None if parent == hierarchy.total else parent, []).append(child)

    def subtree(code: str | None) -> Any:
        children = below.get(code)
        if children is None:
            return None
        if code is not None and not any(child in below for child in children):
            return children
        return {child: subtree(child) for child in children}

    return subtree(None) or {}


def _codes(table: Table, release: Release) -> tuple[dict[str, Sequence[Any]], dict[str, str]]:
    """Columns of codes, and `where`."""
    cells: dict[str, Sequence[Any]] = {}
    where: dict[str, str] = {}
    for at, (name, hierarchy) in enumerate(release.variables.items()):
        if name in table.named:
            cells[name] = [hierarchy.codes[p] for p in table.codes[:, at].tolist()]
        elif len(table.codes) and table.codes[0, at] != hierarchy.total_index:
            where[name] = hierarchy.codes[table.codes[0, at]]
    return cells, where


def _statistic(statistic: Statistic, release: Release) -> dict[str, Any]:
    table, taken = statistic.table, set(release.variables)
    cells, where = _codes(table, release)
    found: dict[str, Any] = {"name": table.name, "kind": statistic.kind, "measure": statistic.measure}
    columns: list[tuple[str, Sequence[Any]]] = [
        ("value", decimals_of(table.value, statistic.unit)),
        ("status", [_WORDS[code] for code in table.status.tolist()]),
    ]
    if statistic.kind in ("growth", "change"):
        pass  # of the same cell of the earlier period
    elif isinstance(statistic.of, Denominator):
        given = zip(release.variables.items(), statistic.of.codes, strict=True)
        codes = {name: hierarchy.codes[code] for (name, hierarchy), code in given if code is not None}
        found["of"] = {"measure": statistic.of.measure, **codes}
    elif statistic.of is not None:
        found["of"] = exact(statistic.of)
    elif table.frequency is not None:
        columns.append(("denominator", decimals_of(table.frequency, Fraction(1))))
    found |= {"per": statistic.per, "unit": exact(statistic.unit)}
    for key, values in columns:
        found[key] = free_name(key, taken)
        cells[found[key]] = values
    if where:
        found["where"] = where
    return found | {"cells": cells}


def _table(table: Table, release: Release) -> dict[str, Any]:
    unit = release.measures[table.measure].unit
    taken = set(release.variables)
    cells, where = _codes(table, release)
    found: dict[str, Any] = {"name": table.name, "measure": table.measure}

    def add(column: str, values: Sequence[Any]) -> str:
        name = free_name(column, taken)
        cells[name] = values
        return name

    found["value"] = add("value", _values(table, unit))
    found["status"] = add("status", [_WORDS[code] for code in table.status.tolist()])
    if (table.truth.known & (~table.value.known | (table.rounding is not None))).any():
        found["truth"] = add("truth", decimals_of(table.truth, unit))
    if table.frequency is not None:
        found["frequency"] = add("frequency", decimals_of(table.frequency, Fraction(1)))
    if table.weighted is not None:
        found["weighted"] = add("weighted", decimals_of(table.weighted, WEIGHT_UNIT))
    if table.contributors:
        found["contributors"] = [
            add(f"top{n}", decimals_of(amounts, unit)) for n, amounts in enumerate(table.contributors, start=1)
        ]
    for key, bounds in (("lower", table.lower), ("upper", table.upper)):
        if bounds.known.any():
            found[key] = add(key, decimals_of(bounds, unit))
    sides: tuple[tuple[str, Amounts | None], ...] = (
        ("lower", table.protection_lower),
        ("upper", table.protection_upper),
        ("sliding", table.protection_sliding),
    )
    protection = {
        side: add(f"protection_{side}", decimals_of(amounts, unit)) for side, amounts in sides if amounts is not None
    }
    if protection:
        found["protection"] = protection
    if table.cost is not None:
        found["cost"] = add("cost", [None if np.isnan(cost) else cost for cost in table.cost.tolist()])
    if table.reason is not None:
        found["reason"] = add("reason", list(table.reason))
    if table.cell_key is not None:
        found["cell_key"] = add("cell_key", list(table.cell_key))
    if table.rounding is not None:
        found["rounding"] = _rounding(table, unit)
    found["absent"] = {"leaves": table.absent.leaves, "totals": table.absent.totals}
    follows = without_rows(table, release)
    if follows:
        found["derived"] = follows
    if where:
        found["where"] = where
    found["cells"] = cells
    return found


def _values(table: Table, unit: Fraction) -> Sequence[Any]:
    """Published values; one that cannot be stands for what was stated beside a status and cannot be."""
    values = decimals_of(table.value, unit)
    if table.impossible is None:
        return values
    return [exact(-unit) if bad else v for v, bad in zip(values, table.impossible.tolist(), strict=True)]


def _rounding(table: Table, unit: Fraction) -> dict[str, Any]:
    """Of schemes that readers need not know, what each published value stands for is spelled out (`ranges`)."""
    rounding = table.rounding
    assert rounding is not None
    found: dict[str, Any] = {}
    if rounding.method == "cell_key":
        found = {"method": "cell_key", "never": exact(rounding.never * unit)}
        if rounding.range:
            found["range"] = exact(rounding.range * unit)
        if rounding.share:
            found["share"] = exact(rounding.share)
        if rounding.flex is not None:
            found["flex"] = {"share": exact(rounding.flex[0]), "plus": exact(rounding.flex[1] * unit)}
        found["zeros"] = "stay" if rounding.zeros_stay else "change"
        if rounding.unchanged is not None:
            found["unchanged"] = exact(rounding.unchanged)
    elif rounding.method in ("noise", "adjusted"):
        found = {"method": rounding.method, "share": exact(rounding.share)}
        if rounding.range:
            found["range"] = exact(rounding.range * unit)
        found["zeros"] = "stay" if rounding.zeros_stay else "change"
    elif rounding.method != "ranges":
        found = {"base": exact(rounding.base * unit), "method": rounding.method}
    if rounding.method in EXACT_METHODS:
        shown = np.unique(table.value.units[table.value.known])
        low, high = rounding_interval(shown, rounding, nonnegative=True)
        found["ranges"] = [
            [exact(x * unit), exact(a * unit), None if b == NO_LIMIT else exact(b * unit)]
            for x, a, b in zip(shown.tolist(), low.tolist(), high.tolist(), strict=True)
        ]
    if rounding.wider:
        found["wider"] = True
    return found


def free_name(name: str, taken: set[str]) -> str:
    """A column name that no variable and no other column has."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _microdata(microdata: Microdata, release: Release) -> dict[str, Any]:
    taken = set(release.variables)
    cells: dict[str, Sequence[Any]] = {}
    for at, (name, hierarchy) in enumerate(release.variables.items()):
        positions = microdata.codes[:, at].tolist()
        if any(p >= 0 for p in positions):
            cells[name] = [hierarchy.codes[p] if p >= 0 else None for p in positions]
    found: dict[str, Any] = {}

    def add(column: str, values: Sequence[Any]) -> str:
        name = free_name(column, taken)
        cells[name] = values
        return name

    found["values"] = {
        measure: add(f"value of {measure}", decimals_of(amounts, release.measures[measure].unit))
        for measure, amounts in microdata.values.items()
    }
    if microdata.unit_id is not None:
        found["id"] = add("id", list(microdata.unit_id))
    if microdata.holding is not None:
        found["holding"] = add("holding", list(microdata.holding))
    if microdata.key is not None:
        found["key"] = add("key", microdata.key)
    if microdata.weight is not None:
        found["weight"] = add("weight", microdata.weight.tolist())
    if microdata.request is not None:
        found["request"] = add("request", [int(request) for request in microdata.request.tolist()])
    found["cells"] = cells
    return found


def _link(link: Link, release: Release) -> dict[str, Any]:
    found: dict[str, Any] = {
        "terms": [
            [term.coefficient, {"measure": term.measure, **release.cell_codes(term.codes)}] for term in link.terms
        ]
    }
    for key, bound in (("lower", link.lower), ("upper", link.upper)):
        if bound is not None:
            found[key] = exact(bound)
    return found


def _consent(consent: Consent, release: Release) -> dict[str, Any]:
    found = {
        "cell": release.cell_codes(consent.codes),
        "measure": consent.measure,
        "reason": consent.reason,
        "by": consent.by,
    }
    return found if consent.until is None else found | {"until": consent.until.isoformat()}


def _intruder(intruder: Intruder) -> dict[str, Any]:
    found: dict[str, Any] = {"nonnegative": intruder.nonnegative, "nonempty": intruder.nonempty}
    if intruder.prior is not None:
        found["prior"] = exact(intruder.prior)
    if intruder.insiders is not None:
        found["insiders"] = list(intruder.insiders)
    if intruder.coalition > 1:
        found["coalition"] = intruder.coalition
    if intruder.knows_rule:
        found["knows_rule"] = True
    return found
