"""Bare files: marks that the user explains with the question, and cross tables without a title."""

from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, release_from_document
from tableseal.audit.model import Status

MARKS = "region,sex,value\nN,F,..\nN,M,17\nN,T,30\nS,F,14\nS,M,-\nS,T,14\nT,F,27\nT,M,17\nT,T,44\n"
CROSS = "region,F,M,Total\nNorth,x,17,30\nSouth,x,x,35\nTotal,27,38,65\n"


def statuses(path: Path, **said: str) -> dict[tuple[str, ...], str]:
    release = read_release(path, status_map=said or None)
    (table,) = release.tables
    return {
        tuple(release.cell_codes(row).values()): Status(int(status)).word
        for row, status in zip(table.codes, table.status, strict=True)
        if Status(int(status)) != Status.PUBLISHED
    }


def test_a_mark_is_explained_with_the_question(tmp_path: Path) -> None:
    # CONVENTION 851
    (tmp_path / "m.csv").write_text(MARKS)
    with pytest.raises(InputError, match="may mean"):
        read_release(tmp_path / "m.csv")
    found = read_release(tmp_path / "m.csv", status_map={"..": "withheld", "-": "zero"})
    (table,) = found.tables
    assert statuses(tmp_path / "m.csv", **{"..": "withheld", "-": "zero"}) == {("N", "F"): "withheld"}
    assert table.value.get(4) == 0
    assert statuses(tmp_path / "m.csv", **{"..": "missing", "-": "structural_zero"}) == {
        ("N", "F"): "missing",
        ("S", "M"): "structural_zero",
    }


def test_a_word_that_is_none_is_named(tmp_path: Path) -> None:
    # CONVENTION 851
    (tmp_path / "m.csv").write_text(MARKS)
    with pytest.raises(InputError, match='found "hidden", expected a status word'):
        read_release(tmp_path / "m.csv", status_map={"..": "hidden"})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_cross_table_without_a_title(tmp_path: Path, separator: str) -> None:
    # CONVENTION 852
    path = tmp_path / "c.csv"
    path.write_text(CROSS.replace(",", separator))
    release = read_release(path)
    assert list(release.variables) == ["region", "columns"]
    assert all(variable.total == "Total" for variable in release.variables.values())
    assert sorted(statuses(path)) == [("North", "F"), ("South", "F"), ("South", "M")]
    assert any("read as a cross table" in note.text for note in release.notes)


def test_a_release_file_names_it(tmp_path: Path) -> None:
    # CONVENTION 852: what `init` writes is read again
    (tmp_path / "c.csv").write_text(CROSS)
    document, _ = infer_document(tmp_path / "c.csv")
    assert document["tables"][0]["file"] == "c.csv#cross"
    again = release_from_document(document, folder=tmp_path)
    assert again.tables[0].value.units.tolist() == read_release(tmp_path / "c.csv").tables[0].value.units.tolist()
    (tmp_path / "t.csv").write_text("region,value\nNorth,3\nTotal,3\n")
    with pytest.raises(InputError, match="is no cross table"):
        release_from_document(document | {"tables": [{"name": "t", "file": "t.csv#cross"}]}, folder=tmp_path)


def test_several_columns_of_values_are_still_a_question(tmp_path: Path) -> None:
    # CONVENTION 852: none of them is the total of the others
    (tmp_path / "c.csv").write_text("region,F,M\nNorth,10,3\nTotal,10,3\n")
    with pytest.raises(InputError, match="several columns may hold the values"):
        read_release(tmp_path / "c.csv")
