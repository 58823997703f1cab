"""What `init` and bare files say that they find, each with a table of its own; what is not borne out is not assumed."""

import contextlib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from random import Random

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.io.init import infer_document
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.model import Release, Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.pipeline import audit


def noted(release: Release) -> set[str]:
    return {note.code for note in release.notes}


def intervals(release: Release) -> list[tuple[object, object]]:
    return sorted((cell.lower, cell.upper) for cell in audit(release).report.cells)


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_plain_cross_table(tmp_path: Path) -> None:
    # CONVENTION 855
    path = write(tmp_path / "t.csv", "region;F;M;Total\nNorth;12;*;42\nSouth;30;8;38\nTotal;42;38;80\n")
    release = read_release(path)
    assert {name: each.codes for name, each in release.variables.items()} == {
        "region": ("Total", "North", "South"),
        "columns": ("Total", "F", "M"),
    }
    assert noted(release) >= {"cross_table", "assumed_mark"}
    assert intervals(release) == [(30, 30)]
    (cell,) = audit(release).report.cells
    assert dict(cell.cell) == {"region": "North", "columns": "M"}
    document, _ = infer_document(path)
    assert release_from_document(document, folder=tmp_path).tables[0].value.get(3) == release.tables[0].value.get(3)


@pytest.mark.parametrize(
    "text",
    [
        "region,F,M,Total\nN,12,30,41\nS,30,8,38\nTotal,42,38,80\n",  # does not add up
        "region,F,M\nN,12,30\nS,30,8\nTotal,42,38\n",  # no total
        "region,n,M,Total\nN,12,30,42\nS,30,8,38\nTotal,42,38,80\n",  # a usual name of values
        "region,F,M,Total\nN,12,30,42\nN,30,8,38\nTotal,42,38,80\n",  # rows are not told apart
    ],
)
def test_what_is_no_cross_table(text: str, tmp_path: Path) -> None:
    # CONVENTION 855
    with contextlib.suppress(InputError):
        assert "cross_table" not in noted(read_release(write(tmp_path / "t.csv", text)))


def test_a_file_that_is_named_for_one_of_its_columns_stays_as_it_is(tmp_path: Path) -> None:
    # CONVENTION 855
    write(tmp_path / "t.csv", "region,F,M,Total\nN,12,30,42\nS,30,8,38\nTotal,42,38,80\n")
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"region": {"total": "Total", "codes": ["N", "S"]}},
        "tables": [{"name": "t", "file": "t.csv", "value": "F"}],
    }
    release = release_from_document(document, folder=tmp_path)
    assert [release.tables[0].value.get(row) for row in range(3)] == [12, 30, 42]


MIXED = {"A": ("A01", "A02"), "B": ("B05", "B06", "B07"), "C": ()}


def mixed(random: Random, withheld: int = 0) -> tuple[str, dict[str, int]]:
    """A table with two levels in one column, as CSV, and its values."""
    leaves = [leaf for group, parts in MIXED.items() for leaf in parts or (group,)]
    value = {leaf: random.randint(1, 60) for leaf in leaves}
    value |= {group: sum(value[part] for part in parts) for group, parts in MIXED.items() if parts}
    value["Total"] = sum(value[group] for group in MIXED)
    hidden = random.sample(leaves, withheld)
    rows = [f"{code},{'' if code in hidden else value[code]}" for code in value]
    random.shuffle(rows)
    return "nace,n\n" + "\n".join(rows) + "\n", value


@pytest.mark.parametrize("seed", range(20))
def test_levels_mixed_in_one_column(seed: int, tmp_path: Path) -> None:
    # CONVENTION 858
    text, _ = mixed(Random(seed))
    release = read_release(write(tmp_path / "t.csv", text))
    assert "assumed_levels" in noted(release)
    hierarchy = release.variables["nace"]
    assert hierarchy.total == "Total"
    edges = {(group, part) for group, parts in MIXED.items() for part in parts}
    assert {(parent, child) for parent, child in hierarchy.edges(0) if parent not in (None, "Total")} == edges
    assert {hierarchy.codes[leaf] for leaf in hierarchy.leaves} == {*(part for _, part in edges), "C"}


@pytest.mark.parametrize("seed", range(60))
def test_levels_that_nothing_bears_out_are_never_safe_by_mistake(seed: int, tmp_path: Path) -> None:
    # CONVENTION 858: with cells withheld no sum may be there to check; a flat reading gives intervals without the truth
    text, value = mixed(Random(seed), withheld=1 + seed % 6)
    try:
        release = read_release(write(tmp_path / "t.csv", text))
        found = audit(release).report
    except InputError:
        return
    for cell in found.cells:
        true = value[dict(cell.cell)["nace"]]
        assert cell.lower is not None
        assert cell.lower <= true
        assert cell.upper is None or true <= cell.upper


def test_levels_that_some_sums_bear_out_are_assumed_with_a_reservation(tmp_path: Path) -> None:
    # CONVENTION 858
    text = "nace,n\nA,11\nA01,5\nA02,6\nB,5\nB05,\nB06,\nTotal,16\n"
    release = read_release(write(tmp_path / "t.csv", text))
    (note,) = [note for note in release.notes if note.code == "sums_unchecked"]
    assert "sums bear that out of Total, A alone" in note.text
    assert intervals(release) == [(0, 5), (0, 5)]
    with pytest.raises(InputError, match="several levels"):
        read_release(write(tmp_path / "t.csv", "nace,n\nA,\nA01,\nA02,6\nB,\nB05,3\nB06,2\nTotal,16\n"))


def test_one_part_that_equals_its_group_shows_nothing(tmp_path: Path) -> None:
    # CONVENTION 858
    release = read_release(write(tmp_path / "t.csv", "code,n\na,40\na b,40\nc,\nTotal,\n"))
    assert release.variables["code"].codes == ("Total", "a", "a b", "c")
    assert {release.variables["code"].codes[leaf] for leaf in release.variables["code"].leaves} == {"a", "a b", "c"}


def test_codes_that_begin_alike_and_do_not_add_up_are_parts_of_the_total(tmp_path: Path) -> None:
    # CONVENTION 858
    release = read_release(write(tmp_path / "t.csv", "age,n\n1,4\n10,5\n100,6\nTotal,15\n"))
    assert "assumed_levels" not in noted(release)
    assert release.variables["age"].codes == ("Total", "1", "10", "100")


@pytest.mark.parametrize("seed", range(10))
def test_each_district_in_one_region(seed: int, tmp_path: Path) -> None:
    # CONVENTION 859: two columns of codes say the same as one nested classification
    random = Random(seed)
    districts = {"R1": ("D1", "D2", "D3"), "R2": ("D4", "D5"), "R3": ("D6", "D7")}
    value = {d: random.randint(0, 30) for below in districts.values() for d in below}
    hidden = set(random.sample(list(value), 4))
    rows, nested = [], []
    for region, below in districts.items():
        for district in below:
            shown = "" if district in hidden else value[district]
            rows.append((region, district, shown))
            nested.append((district, shown))
        rows.append((region, "Total", sum(value[d] for d in below)))
        nested.append((region, rows[-1][2]))
    rows.append(("Total", "Total", sum(value.values())))
    nested.append(("Total", rows[-1][2]))
    lines = "".join(",".join(map(str, row)) + "\n" for row in rows)
    two = read_release(write(tmp_path / "two.csv", "region,district,n\n" + lines))
    assert "nested_columns" in noted(two)
    cells = {"place": [code for code, _ in nested], "n": [None if n == "" else n for _, n in nested]}
    tree = {region: list(below) for region, below in districts.items()}
    one = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"place": {"total": "Total", "tree": tree}},
            "tables": [{"name": "t", "value": "n", "cells": cells}],
        }
    )
    assert intervals(two) == intervals(one)


def test_rounding_titles_and_footnotes_are_found(tmp_path: Path) -> None:
    # CONVENTION 782, 783
    codes = [f"c{n}" for n in range(16)]
    body = "".join(f"{code},{3 * n + 3}\n" for n, code in enumerate(codes))
    text = f"Persons by place\n\nplace,n\n{body}Total,408\n\nSource: register\n"
    assert noted(read_release(write(tmp_path / "t.csv", text))) >= {"lines_passed_over", "likely_rounded"}


def test_values_frequencies_statuses_and_contributors_are_found(tmp_path: Path) -> None:
    text = "region,turnover,status,respondents,top1,top2\nN,,primary,2,40,20\nS,50.5,,4,30,10\nT,151.0,,6,40,30\n"
    document, notes = infer_document(write(tmp_path / "t.csv", text))
    (table,) = document["tables"]
    assert (table["value"], table["status"], table["frequency"]) == ("turnover", "status", "respondents")
    assert table["contributors"] == ["top1", "top2"]
    assert {note.code for note in notes} >= {"assumed_value", "assumed_status"}


def used_or_refused(tmp_path: Path, words: tuple[str, str], meaning: Mapping[str, Status]) -> None:
    rows = f"N,3,{words[0]}\nS,6,{words[1]}\nT,9,{words[0]}\n"
    for name in ("status", "Status", "STATUS"):
        try:
            release = read_release(write(tmp_path / "t.csv", f"region,n,{name}\n{rows}"))
        except InputError:
            continue
        found = release.tables[0].status.tolist()
        assert found == [meaning[words[0]], meaning[words[1]], meaning[words[0]]], words
        assert "assumed_status" in noted(release)


@pytest.mark.parametrize("word", WORDS)
def test_a_column_called_status_with_words_is_used(word: str, tmp_path: Path) -> None:
    # CONVENTION 860
    for published in ("published", ""):
        meaning = {**WORDS, "": Status.PUBLISHED}
        used_or_refused(tmp_path, (published, word), meaning)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_column_called_status_with_letters_is_never_passed_over(scheme: str, tmp_path: Path) -> None:
    # CONVENTION 860: what its letters mean is said by who knows it, so it is refused; words are as above
    letters = {letter: Status(status) for letter, status in SCHEMES[scheme].items()}
    shown = [letter for letter, status in letters.items() if status == Status.PUBLISHED][:2]
    for one, other in product(shown, letters):
        words = {**letters, **{key: value for key, value in WORDS.items() if key in letters}}
        used_or_refused(tmp_path, (one, other), words)
