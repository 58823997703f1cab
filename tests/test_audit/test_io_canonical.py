"""The canonical JSON of a release reads back to an equal release."""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

from tableseal.audit.io import canonical_json, read_release, release_digest, release_from_document
from tableseal.audit.io.schemas import release_schema

SKIPPED = {"source", "rows", "notes", "headings"}
"""Where things were read from, and what they were called there, is not part of what they say."""


def plain(value: Any) -> Any:
    """Something that == compares as we mean it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.name not in SKIPPED}
    if issparse(value):
        return value.toarray().tolist()
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@st.composite
def variables(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """A classification with 0 to 2 groupings, with or without total."""
    leaves = draw(st.lists(names.map(lambda n: f"{n}."), min_size=2, max_size=5, unique=True))
    found: dict[str, Any] = {"codes": leaves}
    if draw(st.booleans()):
        found["total"] = "T"
    trees = []
    for at in range(draw(st.integers(0, 2))):
        size = draw(st.integers(1, len(leaves)))
        inner: Any = leaves[:size]
        if draw(st.booleans()):
            inner = {f"{name}{at}in": inner}
        trees.append({f"{name}{at}": inner})
    if trees:
        found["trees"] = trees
        if draw(st.booleans()):
            del found["codes"]
    return found


def codes_of(variable: dict[str, Any]) -> list[str]:
    tree = variable.get("trees", [{}])[0]
    group = next(iter(tree), None)
    below = tree[group] if group else []
    leaves = below if isinstance(below, list) else next(iter(below.values()))
    return [*variable.get("codes", leaves), *([group] if group else []), *(["T"] if "total" in variable else [])]


statuses = st.sampled_from(["", "primary", "secondary", "withheld", "missing", "must_publish"])
maybe = st.none() | st.integers(0, 10**6)


@st.composite
def tables(draw: st.DrawFn, name: str, measure: str, given: dict[str, dict[str, Any]]) -> dict[str, Any]:
    n = draw(st.integers(1, 5))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    cells: dict[str, Any] = {v: column(st.sampled_from(codes_of(variable))) for v, variable in given.items()}
    where: dict[str, Any] = {}
    first = next(iter(given))
    if draw(st.booleans()):
        del cells[first]
        leaves = [code for code in codes_of(given[first]) if code.endswith(".")][:2]
        where[first] = draw(st.sampled_from([leaves[0], leaves]))
    values, flags = column(maybe), column(statuses)
    cells["val"] = [v if flag != "must_publish" else v or 0 for v, flag in zip(values, flags, strict=True)]
    cells["st"] = flags
    table: dict[str, Any] = {"name": name, "measure": measure, "value": "val", "status": "st", "where": where}
    if draw(st.booleans()):
        cells["tr"] = [
            v if flag in ("", "must_publish") else draw(maybe) for v, flag in zip(cells["val"], flags, strict=True)
        ]
        table["truth"] = "tr"
    if draw(st.booleans()):
        cells |= {"n": column(maybe), "x1": column(st.integers(50, 99)), "x2": column(st.none() | st.integers(0, 50))}
        cells |= {"lpl": column(maybe), "w": column(st.none() | st.floats(0, 1e6).map(lambda w: f"{w:.6f}"))}
        table |= {"frequency": "n", "contributors": ["x1", "x2"], "protection": {"lower": "lpl"}, "cost": "w"}
    if draw(st.booleans()):
        cells |= {"lo": column(st.none() | st.integers(0, 9)), "up": column(st.none() | st.integers(10, 99))}
        table |= {"lower": "lo", "upper": "up"}
    if draw(st.booleans()):
        table["absent"] = {"leaves": "not_released", "totals": "compute"}
    return table | {"cells": cells}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    given = {
        name: draw(variables(name)) for name in draw(st.sampled_from([["a"], ["a", "value"], ["a", "status", "c"]]))
    }
    term = {name: codes_of(variable)[0] for name, variable in given.items()}
    found: dict[str, Any] = {
        "tableseal": 1,
        "title": draw(names),
        "measures": {
            "n": {"kind": "count"},
            "m": {"kind": "magnitude", "unit": draw(st.sampled_from([1, 0.1, "0.0001"]))},
        },
        "variables": given,
        "tables": [draw(tables(name, measure, given)) for name, measure in (("t", "n"), ("u", "m"))],
        "links": [{"terms": [[draw(st.integers(1, 3)), {"measure": "n", **term}]], "lower": "1/3"}],
        "intruder": {"nonempty": draw(st.booleans()), "prior": draw(st.sampled_from([None, 0.5]))},
    }
    if draw(st.booleans()):
        found["policy"] = {"primary": [{"threshold": 3}, {"dominance": {"n": 1, "k": 85.5}}]}
    if draw(st.booleans()):
        cells = {name: [codes_of(variable)[0], None] for name, variable in given.items()}
        found["microdata"] = {
            "cells": {**cells, "x": [1, 2], "i": ["p", ""], "w": ["0.1", 2]},
            "values": {"m": "x"},
            "id": "i",
            "weight": "w",
        }
    return found


@settings(max_examples=60, deadline=None)
@given(documents())
def test_it_reads_back_to_an_equal_release(document: dict[str, Any]) -> None:
    # CONVENTION 114
    release = release_from_document(document)
    text = canonical_json(release)
    again = release_from_document(json.loads(text, parse_float=str))
    assert plain(again) == plain(release)
    assert canonical_json(again) == text


def test_it_is_a_valid_release_file_on_disk(tmp_path: Path) -> None:
    import jsonschema

    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 0.1,
        "variables": {"a": {"total": "T", "tree": {"N": ["k", "l"]}}, "value": {"codes": ["x"]}},
        "tables": [
            {
                "name": "t",
                "where": {"value": "x"},
                "cells": {"a": ["T", "k", "l"], "v": [9.5, 4, 6], "s": ["", "primary", ""]},
                "value": "v",
                "status": "s",
                "rounding": {"base": 0.5, "method": "conventional"},
            }
        ],
    }
    release = release_from_document(document)
    text = canonical_json(release)
    (tmp_path / "r.json").write_bytes(text)
    parsed = json.loads(text)
    jsonschema.validate(parsed, release_schema())
    assert parsed["tables"][0]["cells"] == {
        "a": ["T", "k", "l"],
        "value_": ["9.5", None, 6],  # `value` is the name of a variable here
        "status": ["published", "primary", "published"],
    }
    again = read_release(tmp_path / "r.json")
    assert plain(again) == plain(release)
    assert release_digest(again) == release_digest(release)
    assert release_digest(replace(release, title="x")) != release_digest(release)


def test_what_follows_without_rows_is_spelled_out_and_not_read() -> None:
    """CONVENTION 304."""
    cells = {"a": ["k", "l"], "b": ["x", "y"], "value": [3, 4]}
    absent = {"leaves": "zero", "totals": "compute"}
    release = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"codes": ["x", "y"]}},
            "tables": [{"name": "t", "cells": cells, "absent": absent}],
        }
    )
    document = json.loads(canonical_json(release))
    derived = document["tables"][0]["derived"]
    assert derived["zeros"] == {"a": ["k", "l"], "b": ["x", "y"]}
    assert sorted(derived["totals"]) == [["T", "x", 3], ["T", "y", 4]]
    derived["totals"][0][-1] = 99
    assert canonical_json(release_from_document(document)) == canonical_json(release)
