"""`tableseal reconstruct`: what it says of areas, and the made-up state."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from commands import run

import tableseal as ts
from tableseal.api.schemas import schema
from tableseal.audit.reconstruction.reconstruct import Effort, reconstruct
from tableseal.suppression.study.blocks import FOUR, TWO, made_up_blocks, published

BLOCKS: dict[str, Any] = {
    "tableseal": 1,
    "title": "Blocks",
    "kind": "count",
    "variables": {
        "block": {"total": "T", "codes": ["b1", "b2", "b3"]},
        "sex": {"total": "T", "codes": ["F", "M"]},
        "age": {"total": "T", "trees": [{"young": ["0", "1"], "old": ["2"]}, {"ends": ["0", "2"], "middle": ["1"]}]},
        "year": {"total": "T", "codes": ["2020"]},
    },
    "tables": [
        {"name": "sexes", "cells": {"block": ["b1", "b2", "b2"], "sex": ["F", "F", "M"], "value": [3, 1, 1]}},
        {"name": "ages", "cells": {"block": ["b1", "b2", "b2"], "age": ["young", "young", "old"], "value": [3, 1, 1]}},
        {"name": "all", "cells": {"sex": ["F", "M"], "value": [4, 1]}},
    ],
}


def test_areas_with_one_table_and_records_that_are_certain(tmp_path: Path) -> None:
    """CONVENTION 1041."""
    (tmp_path / "blocks.json").write_text(json.dumps(BLOCKS))
    path = str(tmp_path / "blocks.json")
    done = run("reconstruct", path, "--areas", "block", "--records", "--json", str(tmp_path / "found.json"))
    assert done.exit_code == 0, done.output
    assert "one possible table: 1 (50.0%) of areas with units, 3 (60.0%) of units" in done.stdout
    assert "not looked at: all" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    jsonschema.validate(found, schema("reconstruction"))
    assert [(one["area"], one["tables"], one["certain"]) for one in found["found"]] == [
        ("b1", 1, 3),
        ("b2", 2, 0),
        ("b3", 1, 0),
    ]
    assert found["found"][0]["records"] == [{"codes": {"sex": "F", "age": "young"}, "records": 3}]
    again = run("reconstruct", path, "--areas", "block", "--json", "-")
    assert "records" not in json.loads(again.stdout)["found"][0]


def test_inner_codes_of_crossing_groups_are_named_by_both() -> None:
    document = json.loads(json.dumps(BLOCKS))
    ends = {"block": ["b1", "b1", "b2"], "age": ["ends", "middle", "ends"], "value": [1, 2, 2]}
    document["tables"][2] = {"name": "other", "cells": ends}
    found = ts.reconstruct(document, areas="block", records=True)
    named = {cell.codes[1][1]: cell.records for cell in found.areas[0].records}
    assert named == {"young & ends": 1, "middle": 2}
    assert found.areas[1].certain == 0


def test_what_is_not_said_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "blocks.json").write_text(json.dumps(BLOCKS))
    done = run("reconstruct", str(tmp_path / "blocks.json"))
    assert done.exit_code == 2
    assert "--areas: expected the variable of places" in done.stderr
    with pytest.raises(ts.InputError, match="areas"):
        ts.reconstruct(BLOCKS)


def test_workers_find_the_same(tmp_path: Path) -> None:
    (tmp_path / "blocks.json").write_text(json.dumps(BLOCKS))
    texts = [
        run("reconstruct", str(tmp_path / "blocks.json"), "--areas", "block", "--jobs", jobs, "--json", "-").stdout
        for jobs in ("1", "2")
    ]
    assert texts[0] == texts[1]


def test_a_made_up_state_is_the_same_each_time_and_more_tables_tell_more() -> None:
    state, again = made_up_blocks(40), made_up_blocks(40)
    assert all(np.array_equal(state.codes[name], again.codes[name]) for name in state.codes)
    assert set(np.unique(state.block).tolist()) == set(range(40))
    few, many = (reconstruct(published(state, tables), Effort(5)) for tables in (TWO, FOUR))
    assert sum(one.units for one in few) == len(state.block)
    assert all(a.certain[0] <= b.certain[1] for a, b in zip(few, many, strict=True))
    assert sum(one.unique is True for one in few) < sum(one.unique is True for one in many)


def test_the_text_is_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    """CONVENTION 1118."""
    cells = {"block": ["1", "1", "2", "2"], "sex": ["F", "M", "F", "M"], "value": [1, 0, 2, 1]}
    document = {
        "tableseal": 1,
        "title": "Blocks",
        "kind": "count",
        "variables": {"block": {"total": "T", "codes": ["1", "2"]}, "sex": {"total": "T", "codes": ["F", "M"]}},
        "tables": [{"name": "sexes", "cells": cells}],
    }
    (tmp_path / "blocks.json").write_text(json.dumps(document), "utf-8")
    found = run("reconstruct", tmp_path / "blocks.json", "--areas", "block", "--lang", "fr").output
    assert found.startswith("Blocks : 2 lieux (block), 4 unités, 1 tableau")
    assert "un seul tableau possible : 2 (100,0%) des lieux ayant des unités" in found
    assert "enregistrements certains" in found
