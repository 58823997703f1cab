"""CSV as it is saved from a spreadsheet: title lines, a table, footnotes."""

from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release

TABLE = "region,sex,persons\nNorth,F,12\nNorth,M,*\nNorth,Total,19\nTotal,F,12\nTotal,M,*\nTotal,Total,19\n"
CROSS = "region,F,M,Total\nNorth,12,x,19\nSouth,30,x,61\nTotal,42,38,80\n"


@pytest.mark.parametrize("text", [TABLE, CROSS], ids=["tidy", "cross"])
def test_title_lines_and_footnotes_are_passed_over(text: str, tmp_path: Path) -> None:
    # CONVENTION 782
    path = tmp_path / "t.csv"
    commas = "," * text.partition("\n")[0].count(",")
    path.write_text(f"Persons in 2025{commas}\n{commas}\n{text}{commas}\nSource: the register{commas}\n")
    release = read_release(path)
    assert len(release.variables) == 2
    assert "lines_passed_over" in {note.code for note in release.notes}
    path.write_text(f"Persons in 2025\n\n{text}\nSource: the register\n")
    assert len(read_release(path).tables[0].codes) == len(release.tables[0].codes)


@pytest.mark.parametrize("bad", ["North,F\n", "North,F,12,3\n", "\nNorth,F,12\n"])
def test_a_row_that_is_not_whole_is_no_footnote(bad: str, tmp_path: Path) -> None:
    # CONVENTION 782
    path = tmp_path / "t.csv"
    path.write_text(f"Persons in 2025\n\n{TABLE}{bad}")
    with pytest.raises(InputError):
        read_release(path)


def test_multiples_of_three_are_told(tmp_path: Path) -> None:
    # CONVENTION 783
    path = tmp_path / "t.csv"
    rows = [(f"r{at}", 3 * (7 * at % 20 + 1)) for at in range(20)]
    total = sum(value for _, value in rows)
    path.write_text("region,n\n" + "".join(f"{code},{value}\n" for code, value in [*rows, ("Total", total)]))
    assert "likely_rounded" in {note.code for note in read_release(path).notes}
