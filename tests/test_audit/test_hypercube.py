"""Hypercubes: tables against a slow reference, and what is stored."""

import json
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from cubes import Record, about, by_hand, cells, cube, records_and_question
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, LimitError, Place, TablesealError
from tableseal.audit.hypercube.adding import sums
from tableseal.audit.hypercube.dense import DenseCells, in_memory
from tableseal.audit.hypercube.gather import gathered
from tableseal.audit.hypercube.model import HeldCells
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.hypercube.store import MANIFEST, StoredCells, open_cube, opened, pieces, write_cube
from tableseal.audit.hypercube.structural_zeros import impossible_cells, structural_zeros
from tableseal.audit.hypercube.tabulate import Tabulated, tabulate

Drawn = tuple[tuple[int, ...], list[Record], Question]

RECORDS: list[Record] = [((1, 0), 7, 5), ((0, 2), 3, -1), ((1, 0), 999, 2), ((1, 2), 0, 0)]
SIZES = (2, 3)
ALL = Question((Grouping(0, ("0", "1"), np.arange(2, dtype=np.int32)),), (), "turnover")


def listed(found: Tabulated) -> tuple[list[int], list[int], list[int] | None]:
    return found.count.tolist(), found.keys.tolist(), found.sums["turnover"].tolist() if found.sums else None


@settings(max_examples=150, deadline=None)
@given(records_and_question(), st.randoms(use_true_random=False))
def test_tables_are_sums_over_records_whatever_their_order(drawn: Drawn, random: Random) -> None:
    """CONVENTION 1033."""
    sizes, records, question = drawn
    counts, keys, values = by_hand(records, question)
    expected = counts, keys, values if question.measure else None
    assert listed(tabulate(question, cube(sizes, records))) == expected
    shuffled = random.sample(records, len(records))
    assert listed(tabulate(question, cube(sizes, shuffled))) == expected


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=records_and_question(), size=st.integers(1, 7))
def test_a_stored_hypercube_gives_the_same_in_parts_as_in_memory(tmp_path: Path, drawn: Drawn, size: int) -> None:
    """CONVENTION 1031 and 1033."""
    sizes, records, question = drawn
    held = cube(sizes, records)
    write_cube(tmp_path / "a.cube", held.about, pieces(held.held, size))
    stored = open_cube(tmp_path / "a.cube")
    assert (stored.about.units, stored.about.cells) == (len(records), len(held.held))
    assert listed(tabulate(question, stored)) == listed(tabulate(question, held))
    again = opened(tmp_path / "a.cube")
    assert isinstance(again, HeldCells)
    assert listed(tabulate(question, again)) == listed(tabulate(question, held))


@settings(max_examples=100, deadline=None)
@given(records_and_question())
def test_dense_arrays_give_the_same_tables(drawn: Drawn) -> None:
    """CONVENTION 1033."""
    sizes, records, question = drawn
    records = [*records, *((leaves, 1, 2) for leaves in product(*map(range, sizes)))]
    held = cube(sizes, records)
    dense = in_memory(held.about, held.held)
    assert isinstance(dense, DenseCells)
    assert listed(tabulate(question, dense)) == listed(tabulate(question, held))


def test_there_is_no_dense_array_where_it_would_be_slow_or_not_exact() -> None:
    few = cube((50, 50), [((1, 1), 1, 1)])
    assert not isinstance(in_memory(few.about, few.held), DenseCells)
    large = cube((1, 1), [((0, 0), 1, 1)])
    most = replace(large.held, count=np.array([2**53]))
    assert not isinstance(in_memory(large.about, most), DenseCells)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-(2**57), 2**57)), max_size=20))
def test_sums_are_exact_beyond_what_floats_hold(rows: list[tuple[int, int]]) -> None:
    found = sums(np.array([g for g, _ in rows], np.int64), np.array([v for _, v in rows], np.int64), 3)
    assert found.tolist() == [sum(v for g, v in rows if g == k) for k in range(3)]


def test_codes_whose_combinations_are_beyond_64_bits_are_sorted_too() -> None:
    rows = [(5, 2**30, 7, 2**30), (5, 2**30, 7, 1), (0, 1, 2**30, 0), (5, 2**30, 7, 1)]
    codes = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    found = gathered(codes, np.ones(4, np.int64), np.arange(4), {}, 10)
    assert [tuple(c) for c in zip(*(column.tolist() for column in found.codes), strict=True)] == sorted(set(rows))
    assert (found.count.tolist(), found.keys.tolist()) == ([1, 2, 1], [2, 4, 0])


def test_sums_and_tables_that_are_too_large_are_refused() -> None:
    with pytest.raises(LimitError, match=r"2\^62"):
        sums(np.zeros(4, np.int64), np.full(4, 2**60, np.int64), 1)
    wide = Grouping(0, tuple(map(str, range(2**14))), np.zeros(2, np.int32))
    wider = Grouping(1, tuple(map(str, range(2**13))), np.zeros(3, np.int32))
    with pytest.raises(LimitError, match="coarser"):
        tabulate(Question((wide, wider)), cube(SIZES, RECORDS))


def test_a_large_hypercube_is_read_in_parts(tmp_path: Path) -> None:
    """CONVENTION 1031: nothing but the manifest is read at first."""
    stored_in(tmp_path)
    assert isinstance(opened(tmp_path / "a.cube", held=2), StoredCells)


def stored_in(folder: Path, records: list[Record] = RECORDS) -> Path:
    held = cube(SIZES, records)
    write_cube(folder / "a.cube", held.about, pieces(held.held, 2))
    return folder / "a.cube"


def test_the_same_cells_are_the_same_files(tmp_path: Path) -> None:
    """CONVENTION 1031."""
    first, other = stored_in(tmp_path), tmp_path / "other"
    other.mkdir()
    second = stored_in(other, RECORDS[::-1])
    read = [{p.name: p.read_bytes() for p in folder.iterdir()} for folder in (first, second)]
    assert read[0] == read[1]


def test_a_hypercube_takes_the_place_of_the_one_before_or_leaves_it(tmp_path: Path) -> None:
    """CONVENTION 1031: a folder holds one whole hypercube at every moment."""
    folder = stored_in(tmp_path)
    before = listed(tabulate(ALL, open_cube(folder)))
    half = cells(SIZES, [((0, 0), 1, 1)])
    with pytest.raises(InputError, match="ascending order"):
        write_cube(folder, about(SIZES), [half, half])
    assert listed(tabulate(ALL, open_cube(folder))) == before
    write_cube(folder, about(SIZES), [half])
    assert open_cube(folder).about.cells == 1
    assert len(list(folder.glob("*.parquet"))) == 1


def test_nothing_else_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.cube").mkdir()
    (tmp_path / "a.cube" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds files"):
        stored_in(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "changed", "gone", "other", "more"])
def test_damaged_parts_are_refused(tmp_path: Path, damage: str) -> None:
    """CONVENTION 1032."""
    folder = stored_in(tmp_path)
    part = min(folder.glob("*.parquet"))
    content = part.read_bytes()
    match damage:
        case "cut":
            part.write_bytes(content[: len(content) // 2])
        case "changed":
            part.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
        case "gone":
            part.unlink()
        case "other":
            part.write_bytes(max(folder.glob("*.parquet")).read_bytes())
        case "more":
            part.write_bytes(content + b"x")
    with pytest.raises(InputError, match=part.name):
        tabulate(ALL, open_cube(folder))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_cut_manifests_are_refused(tmp_path: Path, share: float) -> None:
    """CONVENTION 1032."""
    folder = stored_in(tmp_path)
    text = (folder / MANIFEST).read_text("utf-8").rstrip()
    (folder / MANIFEST).write_text(text[: int(share * len(text))], "utf-8")
    with pytest.raises(InputError, match="manifest"):
        open_cube(folder)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "tableseal/hypercube/3"),
        (("cells",), 17),
        (("variables", 0, "leaves", 0), "1"),
        (("variables", 0, "levels", 0, "of_leaf", 0), 5),
        (("variables", 0, "levels", 0, "of_leaf", 0), 10**30),
        (("variables", 0, "levels", 0, "of_leaf", 0), True),
        (("variables", 0, "levels", 0, "of_leaf"), []),
        (("variables", 1, "name"), "v0"),
        (("parts", 0, "cells"), 10**9),
        (("parts", 0, "sha256"), "0" * 64),
        (("parts", 0, "file"), "a\0b"),
        (("units",), 3),
        (("keys", "modulus"), 1),
        (("impossible",), "no"),
    ],
)
def test_manifests_that_cannot_be_are_refused(tmp_path: Path, path: tuple[str | int, ...], value: object) -> None:
    """CONVENTION 1032."""
    folder = stored_in(tmp_path)
    document = json.loads((folder / MANIFEST).read_text("utf-8"))
    entry = document
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = value
    (folder / MANIFEST).write_text(json.dumps(document), "utf-8")
    with pytest.raises(InputError):
        opened(folder)


def test_a_part_lies_in_the_folder(tmp_path: Path) -> None:
    folder = stored_in(tmp_path)
    text = (folder / MANIFEST).read_text("utf-8")
    (folder / MANIFEST).write_text(text.replace('"cells-00000', '"../cells-00000'), "utf-8")
    with pytest.raises(InputError, match="lies in the folder"):
        tabulate(ALL, open_cube(folder))


@pytest.mark.parametrize("name", ["nothing", "file", "folder"])
def test_what_is_no_hypercube_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="hypercube build"):
        open_cube(tmp_path / name)


@settings(max_examples=100, deadline=None)
@given(records_and_question(), st.data())
def test_cells_of_a_table_that_cannot_occur(drawn: Drawn, data: st.DataObject) -> None:
    """CONVENTION 1035: against a look at every base cell."""
    sizes, _, question = drawn
    axes = data.draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, min_size=1, max_size=2))
    said = data.draw(st.lists(st.tuples(*(st.sampled_from(range(sizes[at])) for at in axes)), max_size=6))
    statements = [{f"v{at}": (str(code),) for at, code in zip(axes, codes, strict=True)} for codes in said]
    described = replace(about(sizes), impossible=tuple(statements))
    found = impossible_cells(question, structural_zeros(described, Place("cube")), sizes)
    expected = []
    for cell in product(*(range(len(axis.codes)) for axis in question.axes)):
        inside = [
            leaves
            for leaves in product(*map(range, sizes))
            if all(axis.of_leaf[leaves[axis.variable]] == g for axis, g in zip(question.axes, cell, strict=True))
            and all(chosen.of_leaf[leaves[chosen.variable]] >= 0 for chosen in question.where)
        ]
        expected.append(all(tuple(leaves[at] for at in axes) in said for leaves in inside))
    assert found.tolist() == expected


def test_what_is_said_of_structural_zeros_is_checked() -> None:
    for statement, words in [({"V0": ("0",)}, 'did you mean "v0"'), ({"v0": ("7",)}, "a code of v0"), ({}, "names no")]:
        described = replace(about((2, 2)), impossible=(statement,))
        with pytest.raises(InputError, match=words):
            structural_zeros(described, Place("cube"))
    described = replace(about((2, 2)), impossible=({"v0": ("all",)},))
    assert structural_zeros(described, Place("cube"))[0].impossible.all()


def test_a_hypercube_without_units(tmp_path: Path) -> None:
    held = cube(SIZES, [])
    write_cube(tmp_path / "a.cube", held.about, pieces(held.held))
    found = opened(tmp_path / "a.cube")
    assert found.about.cells == 0
    assert listed(tabulate(ALL, found)) == ([0, 0], [0, 0], [0, 0])


STRANGE = st.none() | st.booleans() | st.integers() | st.just(10**30) | st.floats() | st.text(max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_a_manifest_says_is_read_or_refused(tmp_path_factory: Any, data: st.DataObject) -> None:
    """CONVENTION 1032: an entry anywhere is gone, or something else."""
    folder = stored_in(tmp_path_factory.mktemp("cube"))
    entry = document = json.loads((folder / MANIFEST).read_text("utf-8"))
    while True:
        keys = list(entry) if isinstance(entry, dict) else list(range(len(entry)))
        key = data.draw(st.sampled_from(keys))
        inner = entry[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            entry = inner
            continue
        break
    if data.draw(st.booleans()):
        del entry[key]
    else:
        entry[key] = data.draw(STRANGE | st.lists(STRANGE, max_size=2) | st.dictionaries(st.text(max_size=2), STRANGE))
    (folder / MANIFEST).write_text(json.dumps(document), "utf-8")
    with suppress(TablesealError):
        found = opened(folder)
        structural_zeros(found.about, Place("cube"))
        tabulate(Question((), ()), found)


def test_a_hypercube_of_the_version_before_is_read(tmp_path: Path) -> None:
    """CONVENTION 1110. It has sums, and nothing is known of who contributes; later versions are refused."""
    held = cube(SIZES, RECORDS)
    write_cube(tmp_path / "a.cube", held.about, pieces(held.held))
    file = tmp_path / "a.cube" / MANIFEST
    document = json.loads(file.read_text("utf-8"))
    assert document["schema"] == "tableseal/hypercube/2"
    before = {key: value for key, value in document.items() if key != "contributions"}
    file.write_text(json.dumps({**before, "schema": "tableseal/hypercube/1"}), "utf-8")
    found = open_cube(tmp_path / "a.cube")
    assert found.about.ranks is None
    assert listed(tabulate(ALL, found)) == listed(tabulate(ALL, held))
    file.write_text(json.dumps({**document, "schema": "tableseal/hypercube/3"}), "utf-8")
    with pytest.raises(InputError, match=r"manifest\.schema"):
        open_cube(tmp_path / "a.cube")
