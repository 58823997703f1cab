"""What formats lose is said, and what is confidential is written only if it is asked for."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.execution.writing import write_whole
from tableseal.audit.io import file_names, read_release, release_files, release_from_document
from tableseal.audit.io.formats.format import CONFIDENTIAL, Format, Part
from tableseal.audit.io.formats.kept import kept, losses
from tableseal.audit.io.formats.out import written
from tableseal.audit.io.formats.registry import FORMATS
from tableseal.audit.model import Release

WRITTEN = [one for one in FORMATS if one.writes]
PUBLIC = [one for one in WRITTEN if one.public]
TABLES = [one for one in WRITTEN if Part.SEVERAL_TABLES not in one.holds]
each_format = pytest.mark.parametrize("target", WRITTEN, ids=[one.key for one in WRITTEN])
each_public_format = pytest.mark.parametrize("target", PUBLIC, ids=[one.key for one in PUBLIC])
each_of_one_table = pytest.mark.parametrize("target", TABLES, ids=[one.key for one in TABLES])


def full() -> Release:
    """A release with as much as there can be."""
    cells = {
        "a": ["T", "k", "l", "m"],
        "value": [7000, None, None, 4000],
        "status": ["must_publish", "primary", "secondary", "published"],
        "truth": [7000, 1861, 1139, 4000],
        "n": [21, 2, 9, 10],
        "top": [1300, 1300, 600, 700],
        "low": [None, 10, None, None],
        "dist": [None, 100, None, None],
        "why": [None, "A", "D", None],
        "cost": [1, 2, 3, 4],
    }
    table: dict[str, Any] = {"name": "t", "measure": "sales", "cells": cells, "value": "value", "status": "status"}
    table |= {"truth": "truth", "frequency": "n", "contributors": ["top"], "lower": "low", "reason": "why"}
    table |= {"protection": {"upper": "dist"}, "cost": "cost"}
    return release_from_document(
        {
            "tableseal": 1,
            "title": "All there is",
            "date": "2026-01-31",
            "measures": {"sales": {"kind": "magnitude", "unit": 1}},
            "variables": {"a": {"total": "T", "codes": ["k", "l", "m", "unlisted"]}},
            "tables": [table],
            "intruder": {"nonempty": True},
            "policy": {"primary": [{"p_percent": 10}]},
            "links": [{"terms": [[1, {"a": "k"}], [-1, {"a": "l"}]], "lower": 722, "upper": 722}],
        }
    )


@each_format
def test_an_empty_code_is_kept_or_refused(target: Format, tmp_path: Path) -> None:
    # CONVENTION 923
    cells = {"a": ["T", "", "b", "c"], "value": [6, None, None, 3], "status": ["", "withheld", "withheld", ""]}
    cells["truth"] = [6, 1, 2, 3]
    variables = {"a": {"total": "T", "codes": ["", "b", "c"]}}
    table = {"name": "t", "cells": cells, "truth": "truth"}
    release = release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]})
    path = tmp_path / f"t{target.written or target.endings[0]}"
    if not target.unnamed:
        with pytest.raises(InputError, match='a code of "a" is empty'):
            written(release, path, target)
        return
    for name, content in written(release, path, target).files.items():
        write_whole(name, content)
    found = read_release(path)
    assert Part.CODES not in target.holds or "" in found.variables["a"].codes
    assert (found.tables[0].status > 5).sum() == 2


def readable(content: str | bytes) -> str:
    """All that a file says."""
    if isinstance(content, str):
        return content
    if not content.startswith(b"PK"):
        return content.decode("latin-1")
    with ZipFile(BytesIO(content)) as archive:
        inside = [name for name in archive.namelist() if "worksheets/" in name or "sharedStrings" in name]
        return "".join(archive.read(name).decode() for name in inside)


PARTS = {
    *(
        Part.KIND,
        Part.UNLISTED,
        Part.PRIMARY,
        Part.SECONDARY,
        Part.MUST_PUBLISH,
        Part.TRUTH,
        Part.FREQUENCIES,
        Part.BOUNDS,
    ),
    *(Part.CONTRIBUTORS, Part.PROTECTION, Part.COSTS, Part.LETTERS, Part.INTRUDER, Part.POLICY, Part.TITLE, Part.DAY),
    *(Part.LINKS, Part.TOTALS, Part.CODES, Part.BOUNDS),
}


@each_format
def test_everything_that_is_lost_is_said(target: Format) -> None:
    # CONVENTION 687
    release = full()
    secret = CONFIDENTIAL if target.public else frozenset()
    assert {loss.part for loss in losses(release, target)} == PARTS - (target.holds - secret)
    asked = {loss.part for loss in losses(release, target, CONFIDENTIAL)}
    assert asked == PARTS - target.holds
    assert {loss.part for loss in losses(kept(release, target), target, CONFIDENTIAL)} <= {
        *(Part.TOTALS, Part.UNLISTED, Part.CODES, Part.TITLE, Part.INTRUDER)
    }


@each_format
def test_true_values_behind_changed_ones_are_said_to_be_lost(target: Format) -> None:
    """CONVENTION 687: where the format holds true values beside withheld cells alone, too."""
    cells = {"a": ["T", "k", "l"], "value": [9, 6, 3], "truth": [9, 7, 2]}
    table = {"name": "t", "cells": cells, "truth": "truth", "rounding": {"base": 3, "method": "random"}}
    variables = {"a": {"total": "T", "codes": ["k", "l"]}}
    release = release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]})
    for asked in (frozenset[Part](), CONFIDENTIAL):
        lost = {loss.part: loss for loss in losses(release, target, asked)}
        after = kept(release, target, asked).tables[0]
        if after.truth.units.tolist() != [9, 7, 2]:
            assert Part.TRUTH in lost
        if Part.ROUNDING in lost and Part.TRUTH in target.holds and not target.public:
            assert (lost[Part.TRUTH].count, lost[Part.TRUTH].can) == (2, False)


@each_format
def test_that_codes_go_out_together_is_said_to_be_lost(target: Format) -> None:
    """CONVENTION 687 and 815."""
    status = ["published", "secondary", "secondary", "published", "published"]
    cells = {
        "a": ["T", "k", "l", "k+l", "m"],
        "value": [9, None, None, 4, 5],
        "status": status,
        "truth": [9, 1, 3, 4, 5],
    }
    variables = {"a": {"total": "T", "tree": {"k+l": ["k", "l"], "m": None}, "combined": ["k+l"]}}
    table = {"name": "t", "cells": cells, "status": "status", "truth": "truth"}
    release = release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]})
    said = Part.COMBINED in {loss.part for loss in losses(release, target)}
    assert said == (Part.COMBINED not in target.holds)
    if said and Part.CODES in target.holds:
        assert not kept(release, target).variables["a"].combined


@each_public_format
@pytest.mark.parametrize("asked", [frozenset(), frozenset((Part.TRUTH,))], ids=["public", "asked"])
def test_true_values_are_written_only_if_they_are_asked_for(target: Format, asked: frozenset[Part]) -> None:
    # CONVENTION 688
    found = written(full(), Path(f"x{target.written or target.endings[0]}"), target, asked)
    text = "".join(map(readable, found.files.values()))
    assert ("1861" in text) == (bool(asked) and Part.TRUTH in target.holds)
    assert not any(secret in text for secret in ("1300", "primary", "secondary"))
    truth = [loss for loss in found.losses if loss.part is Part.TRUTH]
    assert [loss.can for loss in truth] == ([] if asked & target.holds else [Part.TRUTH in target.holds])


@each_of_one_table
def test_several_tables_are_several_files(target: Format, tmp_path: Path) -> None:
    # CONVENTION 689
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"total": "T", "codes": ["x", "y"]}},
        "tables": [
            {"name": "by a", "cells": {"a": ["T", "k", "l"], "value": [9, 4, None]}},
            {"name": "b of k", "where": {"a": "k"}, "cells": {"b": ["T", "x", "y"], "value": [4, None, None]}},
        ],
    }
    release, ending = release_from_document(document), target.written or target.endings[0]
    path = tmp_path / f"out{ending}"
    files = release_files(release, path)
    assert [p.name for p in files if p.name.endswith(ending)] == [f"out_by_a{ending}", f"out_b_of_k{ending}"]
    named = [p for p in file_names(release, path) if p.name.endswith(ending)]  # others go with them
    assert named == [p for p in files if p.name.endswith(ending)]
    for name, text in files.items():
        write_whole(name, text)
    first, second = (read_release(name) for name in named)
    assert list(first.variables) == ["a"]
    assert list(second.variables) == ["a", "b"]
    assert [second.cell_codes(row)["a"] for row in second.tables[0].codes] == ["k", "k", "k"]


@each_of_one_table
def test_rows_that_are_not_there(target: Format, tmp_path: Path) -> None:
    # CONVENTION 684: a known zero is written as 0, what is not released is missing, and no sum lacks a part
    zero = {"a": list("TTTkkll"), "b": ["_T", "x", "y", "_T", "x", "_T", "y"], "value": [9, 4, 5, 4, 4, 5, 5]}
    open_ = {"a": list("TTTkl"), "b": ["_T", "x", "y", "_T", "_T"], "value": [9, 4, 5, 4, 1]}
    for leaves, cells, expected in (
        ("zero", zero, [0, 0, 4, 4, 4, 5, 5, 5, 9]),
        ("not_released", open_, [1, 4, 4, 5, 9]),
    ):
        document: dict[str, Any] = {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "_T", "codes": ["x", "y"]}},
            "tables": [{"name": "t", "cells": cells, "absent": {"leaves": leaves}}],
        }
        path = tmp_path / f"x{target.written or target.endings[0]}"
        for name, text in release_files(release_from_document(document), path).items():
            write_whole(name, text)
        found = read_release(path)
        (table,) = found.tables
        assert sorted(table.value.units[table.value.known].tolist()) == expected
        assert ("m" in found.variables["a"].codes) == (leaves == "not_released" or Part.UNLISTED in target.holds)


def test_what_pc_axis_has_no_way_to_write(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ['k"', "l"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", 'k"', "l"], "value": [9, 4, 5]}}],
    }
    with pytest.raises(InputError, match="quotation mark"):
        release_files(release_from_document(document), tmp_path / "x.px")
    stat = release_files(release_from_document(document), tmp_path / "x.jsonstat.json")
    assert json.loads(next(iter(stat.values())))["id"] == ["a"]


def test_units_that_are_no_decimals(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": 500,
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "k", "l"], "value": [2000, 1500, None]}}],
    }
    release = release_from_document(document)
    (target,) = [one for one in FORMATS if one.key == "px"]
    assert Part.UNIT in {loss.part for loss in losses(release, target)}
    text = next(iter(release_files(release, tmp_path / "x.px").values()))
    assert "2000" in text
    assert "1500" in text


@pytest.mark.parametrize("name", ["TITLE", "OBS_VALUE", "DATAFLOW", "CONF_STATUS", "a: b", "a[]", "DECIMALS"])
def test_variables_that_sdmx_would_take_for_something_else(name: str, tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {name: {"total": "T", "codes": ["k", "l"]}},
        "tables": [{"name": "t", "cells": {name: ["T", "k", "l"], "value": [9, 4, 5]}}],
    }
    for ending in (".sdmx.csv", ".sdmx1.csv"):
        with pytest.raises(InputError, match="another name"):
            release_files(release_from_document(document), tmp_path / f"x{ending}")
