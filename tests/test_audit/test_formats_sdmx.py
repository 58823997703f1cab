"""SDMX-CSV files: what they say, and what they leave open."""

import re
from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.model import Release
from tests.test_audit.test_formats_px import cells

FIRST = """DATAFLOW,REG,SEX,OBS_VALUE,OBS_STATUS,CONF_STATUS
X:D(1.0),_T,_T,9,A,F
X:D(1.0),_T,F,4,A,F
X:D(1.0),A,_T,5,A,F
X:D(1.0),A,F,,Q,C
X:D(1.0),B,_T,4,A,F
X:D(1.0),B,F,,Q,D
"""
EXPECTED = {
    **{("_T", "_T"): 9, ("_T", "F"): 4, ("A", "_T"): 5},
    **{("A", "F"): "withheld", ("B", "_T"): 4, ("B", "F"): "secondary"},
}


def read(folder: Path, text: str, status_map: dict[str, str] | None = None) -> Release:
    (folder / "x.csv").write_text(text)
    return read_release(folder / "x.csv", status_map=status_map)


def second(text: str = FIRST, *, structure: str = "STRUCTURE") -> str:
    """The same in version 2.0."""
    head, *rows = text.splitlines()
    rows = [row.replace("X:D(1.0)", "dataflow,X:D(1.0),I") for row in rows]
    return "\n".join([head.replace("DATAFLOW", f"{structure},STRUCTURE_ID,ACTION"), *rows, ""])


@pytest.mark.parametrize(
    "text",
    [
        FIRST,
        second(),
        FIRST.replace(",", ";"),
        FIRST.replace("4,A", '"4",A').replace("\n", "\r\n"),
        "\ufeff" + FIRST,
        second().replace("SEX", "SEX: Sex").replace(",F,4", ",F: Female,4").replace(",F,,", ",F: Female,,"),
        FIRST.replace("OBS_VALUE", "TITLE,OBS_VALUE").replace("_T,9", "_T,Some title,9").replace("F,", "F,,").replace(
            "A,_T,5", "A,_T,,5"
        ).replace("B,_T,4", "B,_T,,4"),
        FIRST.replace(",,Q", ",NaN,Q"),
        re.sub(",([FCD])\\n", r",\1,0\n", FIRST.replace("CONF_STATUS", "CONF_STATUS,DECIMALS")),
    ],
    ids=["1.0", "2.0", "semicolons", "quotes", "mark", "labels", "attribute before", "NaN", "decimals"],
)  # fmt: skip
def test_all_forms(tmp_path: Path, text: str) -> None:
    assert cells(read(tmp_path, text)) == EXPECTED


def test_several_flags(tmp_path: Path) -> None:
    # CONVENTION 686: the more restrictive one wins
    text = (
        second(structure="STRUCTURE[;]").replace("CONF_STATUS", "CONF_STATUS[]").replace("OBS_STATUS", "OBS_STATUS[]")
    )
    text = text.replace(",Q,C", ",B;Q,F;C").replace("4,A,F\ndataflow,X:D(1.0),I,A", "4,A;B,F\ndataflow,X:D(1.0),I,A")
    assert cells(read(tmp_path, text)) == EXPECTED


def test_flags_that_outrank_others_hide_nothing(tmp_path: Path) -> None:
    # Break outranks suppressed in OBS_STATUS: without a value the observation is withheld all the same.
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",,B,F")))["A", "F"] == "withheld"
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",,M,C")))["A", "F"] == "withheld"
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",,,")))["A", "F"] == "withheld"
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",,O,F")))["A", "F"] == "missing"


def test_values_beside_flags_are_the_agencys_own(tmp_path: Path) -> None:
    release = read(tmp_path, FIRST.replace(",,Q,C", ",3,Q,C"))
    assert cells(release) == EXPECTED
    assert release.tables[0].truth.get(3) == 3


def test_an_observation_without_a_row_is_no_zero(tmp_path: Path) -> None:
    # CONVENTION 684
    release = read(tmp_path, FIRST.replace("X:D(1.0),B,F,,Q,D\n", ""))
    assert release.tables[0].absent.leaves == "not_released"


def test_decimal_commas(tmp_path: Path) -> None:
    text = FIRST.replace(",", ";").replace(";9;", ";9,5;").replace(";5;", ";5,5;")
    assert cells(read(tmp_path, text))["_T", "_T"] == 95
    with pytest.raises(InputError, match=r'row 1 .*"9,5".*decimal sign "\."'):
        read(tmp_path, FIRST.replace(",9,", ',"9,5",'))


def test_rows_about_part_of_a_key(tmp_path: Path) -> None:
    text = second() + "dataflow,X:D(1.0),I,A,,,,\n"
    release = read(tmp_path, text)
    assert cells(release) == EXPECTED
    assert "partial_keys" in [note.code for note in release.notes]
    with pytest.raises(InputError, match=r'row 7 \(line 8\), column "SEX": is empty'):
        read(tmp_path, second() + "dataflow,X:D(1.0),I,A,,,,C\n")


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("X:D(1.0),B,F", "X:E(1.0),B,F", ("DATAFLOW", "X:D(1.0)", "X:E(1.0)")),
        ("OBS_VALUE", "VALUE", ()),
        ("REG,SEX,OBS_VALUE", "OBS_VALUE,REG,SEX", ("no column before OBS_VALUE",)),
        (",Q,C", ",Y,C", ("row 4 (line 5)", "OBS_STATUS", '"Y"', "sdmx-obs")),
        (",Q,C", ",Q,H", ("row 4 (line 5)", "CONF_STATUS", '"H"', "sdmx-conf")),
        (",9,A,F", ",9,A", ("line 2",)),
        (",9,", ",nine,", ("row 1 (line 2)", '"nine"')),
        ("OBS_STATUS,CONF_STATUS", "OBS_STATUS,SUPPRESSED", ("SUPPRESSED", "seems to say")),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, FIRST.replace(old, new))
    for part in parts:
        assert part in str(error.value)


def test_rows_to_be_deleted_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'row 6 .*ACTION.*"D"'):
        read(tmp_path, second().replace("I,B,F", "D,B,F"))


def test_a_user_may_explain_flags(tmp_path: Path) -> None:
    assert cells(read(tmp_path, FIRST.replace(",Q,C", ",c,F"), {"c": "withheld"})) == EXPECTED


def test_a_plain_file_stays_one(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "STRUCTURE,n\nTotal,5\nA,3\nB,2\n")) == {("Total",): 5, ("A",): 3, ("B",): 2}


def test_a_file_without_a_last_line_end_may_be_cut_off(tmp_path: Path) -> None:
    # CONVENTION 681
    assert "no_line_end" in [note.code for note in read(tmp_path, FIRST.rstrip()).notes]
    with pytest.raises(InputError, match=r"row 6 \(line 7\)|line 7"):
        read(tmp_path, FIRST.rstrip()[:-4])


def labelled(*, repeated: bool) -> str:
    """The same with names in columns of their own (version 2.0, labels=name); some programs repeat the values."""
    head = "STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REG,Region,SEX,Sex,OBS_VALUE,"
    head += f"{'Observation value,' if repeated else ''}OBS_STATUS,Observation status,CONF_STATUS,Confidentiality"
    rows = []
    for row in FIRST.splitlines()[1:]:
        flow, region, sex, value, status, conf = row.split(",")
        shown = [value, value] if repeated else [value]
        names = [region, f"name of {region}", sex, f"name of {sex}", *shown, status, "text", conf, "text"]
        rows.append(",".join(["dataflow", flow, "All", "I", *names]))
    return "\n".join([head, *rows, ""])


@pytest.mark.parametrize("repeated", [False, True])
def test_names_in_columns_of_their_own_hide_no_flags(tmp_path: Path, repeated: bool) -> None:
    # CONVENTION 616
    assert cells(read(tmp_path, labelled(repeated=repeated))) == EXPECTED
    flagged = labelled(repeated=repeated).replace(",A,text,F,text", ",A,text,C,text", 1)
    assert cells(read(tmp_path, flagged))["_T", "_T"] == "withheld"


def test_the_older_name_of_confidentiality(tmp_path: Path) -> None:
    # CONVENTION 616
    assert cells(read(tmp_path, FIRST.replace("CONF_STATUS", "OBS_CONF"))) == EXPECTED
    moved = "\n".join(
        ",".join([*row.split(",")[:3], "2020" if row[0] == "X" else "TIME_PERIOD", *reversed(row.split(",")[3:])])
        for row in FIRST.splitlines()
    )
    before = read(tmp_path, moved.replace("CONF_STATUS", "OBS_CONF") + "\n")  # attributes before the values
    assert {cell[:2]: value for cell, value in cells(before).items()} == EXPECTED
    with pytest.raises(InputError, match='"OBS_SUPPRESSED" seems to say which cells are withheld'):
        read(tmp_path, moved.replace("CONF_STATUS", "OBS_SUPPRESSED") + "\n")


def test_more_decimals_than_decimals_says(tmp_path: Path) -> None:
    # CONVENTION 616
    text = FIRST.replace("CONF_STATUS", "CONF_STATUS,DECIMALS").replace("F\n", "F,1\n").replace("C\n", "C,1\n")
    text = text.replace("D\n", "D,1\n").replace(",9,", ",9.25,").replace("A,_T,5", "A,_T,5.25")
    release = read(tmp_path, text)
    assert str(next(iter(release.measures.values())).unit) == "1/100"


def test_nan_is_nothing_and_no_mark(tmp_path: Path) -> None:
    # CONVENTION 616: beside M (cannot exist) it is as empty as an empty entry, beside no flag it is withheld
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",NaN,M,F")))["A", "F"] in (0, "structural_zero")
    assert cells(read(tmp_path, FIRST.replace(",,Q,C", ",NaN,,")))["A", "F"] == "withheld"
