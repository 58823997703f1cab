"""SPSS and Stata: labels are codes, and a missing value is never 0."""

from pathlib import Path

import pandas
import pyreadstat
import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release, release_from_document

LABELS = {"sex": {1: "F", 2: "M", 3: "Total"}}


def test_user_missing_values_of_spss_are_marks(tmp_path: Path) -> None:
    # CONVENTION 780
    frame = pandas.DataFrame({"sex": [1.0, 2.0, 3.0], "persons": [5.0, -99.0, 12.0]})
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(frame, str(path), missing_ranges={"persons": [-99.0]}, variable_value_labels=LABELS)
    with pytest.raises(InputError, match="user-missing -99"):
        read_release(path)
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"sex": {"total": "Total", "codes": ["F", "M"]}},
        "tables": [{"name": "t", "file": "t.sav", "value": "persons", "marks": {"user-missing -99": "withheld"}}],
    }
    (table,) = release_from_document(document, folder=tmp_path).tables
    assert [table.value.get(row) for row in range(3)] == [5, None, 12]


def test_a_system_missing_value_beside_tagged_ones_is_no_zero(tmp_path: Path) -> None:
    # CONVENTION 780: the package that reads the file gives 0 for it
    frame = pandas.DataFrame({"sex": [1, 2, 3], "persons": [5, "c", None]})
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, str(path), missing_user_values={"persons": ["c"]}, variable_value_labels=LABELS)
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"sex": {"total": "Total", "codes": ["F", "M"]}},
        "tables": [{"name": "t", "file": "t.dta", "value": "persons", "marks": {".c": "withheld"}}],
    }
    (table,) = release_from_document(document, folder=tmp_path).tables
    assert [table.value.get(row) for row in range(3)] == [5, None, None]
    assert table.status.tolist()[1:] == [table.status[1]] * 2


def test_labels_and_decimals(tmp_path: Path) -> None:
    # CONVENTION 780
    frame = pandas.DataFrame({"sex": [1, 2, 3], "turnover": [0.1, 1.234, 1.334]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"), variable_value_labels=LABELS)
    release = read_release(tmp_path / "t.dta")
    assert release.variables["sex"].codes == ("Total", "F", "M")
    assert release.tables[0].value.units.tolist() == [100, 1234, 1334]
    assert "labels_used" in {note.code for note in release.notes}


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".sas7bdat", ".xpt", ".por"])
def test_broken_files(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"no such file" * 20)
    with pytest.raises(InputError, match=f"is not a readable {ending} file"):
        read_release(path)
