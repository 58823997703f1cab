"""PC-Axis files: what they say, and what they leave open."""

from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.model import Release, Status

HEAD = """CHARSET="ANSI";
AXIS-VERSION="2013";
LANGUAGE="en";
MATRIX="m";
TITLE="People";
CONTENTS="People";
DECIMALS=0;
"""
TABLE = HEAD + 'STUB="r";\nHEADING="s";\nVALUES("r")="T","A","B";\nVALUES("s")="T","F";\n'
DATA = 'DATA=\n9 4\n5 ".."\n4 ".."\n;\n'


def read(folder: Path, text: str | bytes) -> Release:
    (folder / "x.px").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_release(folder / "x.px")


def cells(release: Release, at: int = 0) -> dict[tuple[str, ...], object]:
    """Codes -> value, or the status where there is none."""
    table = release.tables[at]
    found = {}
    for row in range(len(table.codes)):
        value = table.value.get(row)
        codes = tuple(release.cell_codes(table.codes[row]).values())
        found[codes] = Status(int(table.status[row])).word if value is None else value
    return found


def refused(folder: Path, text: str | bytes, *parts: str) -> None:
    with pytest.raises(InputError) as error:
        read(folder, text)
    for part in parts:
        assert part in str(error.value)


def test_a_declared_symbol_is_withheld(tmp_path: Path) -> None:
    # CONVENTION 682
    found = cells(read(tmp_path, TABLE + 'DATASYMBOL2="confidential";\n' + DATA))
    assert found["A", "F"] == found["B", "F"] == "withheld"
    assert (found["T", "T"], found["A", "T"]) == (9, 5)


@pytest.mark.parametrize(
    "said", ["", 'DATASYMBOL2="..";', 'DATASYMBOL2="not available";', 'DATASYMBOL2="Not applicable";']
)
def test_a_symbol_that_is_not_declared_confidential_is_a_question(tmp_path: Path, said: str) -> None:
    # CONVENTION 682: neither zero nor blank, and never safe
    refused(tmp_path, TABLE + said + DATA, "x.px row 4 (line", '".."', "--status-map", "marks")


@pytest.mark.parametrize(("word", "found"), [("withheld", "withheld"), ("missing", "missing"), ("zero", 0)])
def test_what_a_user_says_goes_first(tmp_path: Path, word: str, found: object) -> None:
    # CONVENTION 682
    data = DATA.replace("9 4", "9 0").replace("DATA", 'DATASYMBOL2="confidential";\nDATA')
    (tmp_path / "x.px").write_text(TABLE + data)
    release = read_release(tmp_path / "x.px", status_map={"..": word})
    assert cells(release)["A", "F"] == found


def test_a_wrong_word_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.px").write_text(TABLE + DATA)
    with pytest.raises(InputError, match=r"status_map .*blank"):
        read_release(tmp_path / "x.px", status_map={"..": "blank"})


@pytest.mark.parametrize("symbol", [".", "..", "...", "....", ".....", "......", "-"])
@pytest.mark.parametrize("quotes", ['"', ""])
def test_each_symbol_keeps_its_place(tmp_path: Path, symbol: str, quotes: str) -> None:
    # CONVENTION 682
    keyword = "DATASYMBOLNIL" if symbol == "-" else f"DATASYMBOL{len(symbol)}"
    written = f"{quotes}{symbol}{quotes}"
    text = TABLE + f'{keyword}="Data are suppressed";\nDATA=\n9 4 5 {written} 4 {written};'
    found = cells(read(tmp_path, text))
    assert found["A", "F"] == "withheld"
    assert found["B", "T"] == 4


def test_rows_of_any_length_and_line_ends(tmp_path: Path) -> None:
    text = TABLE + 'DATASYMBOL2="confidential";\nDATA=9\n4\n\n5\t".." 4\r\n ".." ;'
    assert cells(read(tmp_path, text)) == cells(read(tmp_path, TABLE + 'DATASYMBOL2="confidential";' + DATA))


def test_long_texts_over_several_lines_and_equals_signs_in_values(tmp_path: Path) -> None:
    text = TABLE.replace('TITLE="People"', 'TITLE="People; by "\n"region = r"').replace('"A"', '"A = old; (x)"')
    release = read(tmp_path, text + 'DATASYMBOL2="confidential";\n' + DATA)
    assert release.title == "People; by region = r"
    assert ("A = old; (x)", "T") in cells(release)


def test_languages_and_codes(tmp_path: Path) -> None:
    more = 'VALUES[sv]("r")="Totalt","Norr","Syd";\nCODES("r")="00","01","02";\nTITLE[sv]="Folk";\n'
    release = read(tmp_path, TABLE + more + 'DATASYMBOL2="confidential";\n' + DATA)
    assert release.title == "People"
    assert cells(release)["01", "T"] == 5
    assert release.variables["r"].total == "00"  # its value is called T


@pytest.mark.parametrize("said", ['TLIST(A1,"2019"-"2022")', 'TLIST(A1),"2019"-"2022"', 'TLIST(A1),"2019","2020"'])
def test_periods_from_to_are_passed_over(tmp_path: Path, said: str) -> None:
    # CONVENTION 616
    plain = cells(read(tmp_path, TABLE + 'DATASYMBOL2="confidential";\n' + DATA))
    assert cells(read(tmp_path, TABLE + f'TIMEVAL("s")={said};\n' + 'DATASYMBOL2="confidential";\n' + DATA)) == plain


def test_elimination_says_the_total(tmp_path: Path) -> None:
    text = TABLE.replace('"T","A","B"', '"R0","A","B"') + 'ELIMINATION("r")="R0";\nELIMINATION("s")=YES;\n'
    assert read(tmp_path, text + 'DATASYMBOL2="confidential";' + DATA).variables["r"].total == "R0"
    wrong = text.replace('ELIMINATION("r")="R0"', 'ELIMINATION("r")="R9"')
    refused(tmp_path, wrong + DATA, "ELIMINATION", '"R9"', "no value")


def test_hierarchies(tmp_path: Path) -> None:
    text = HEAD + 'STUB="r";\nVALUES("r")="T","N","N1","N2","S";\nDATASYMBOL2="confidential";\n'
    text += 'HIERARCHIES("r")="T","T":"N","T":"S","N":"N1","N":"N2";\nDATA=9 6 ".." ".." 3;'
    found = read(tmp_path, text).variables["r"]
    assert found.total == "T"
    assert found.edges(0) == [("T", "N"), ("N", "N1"), ("N", "N2"), ("T", "S")]


def test_contents_are_measures_and_never_added_up(tmp_path: Path) -> None:
    # CONVENTION 683
    text = HEAD.replace("DECIMALS=0", "DECIMALS=1") + 'STUB="r","c";\nVALUES("r")="T","A","B";\n'
    text += 'VALUES("c")="Firms","Sales";\nCONTVARIABLE="c";\nDATASYMBOL2="secret";\nDATA=9 1.5 5 ".." 4 "..";'
    release = read(tmp_path, text)
    assert [table.measure for table in release.tables] == ["Firms", "Sales"]
    assert list(release.variables) == ["r"]
    assert cells(release, 1) == {("T",): 15, ("A",): "withheld", ("B",): "withheld"}


def test_keys_leave_out_rows_that_are_zero(tmp_path: Path) -> None:
    # CONVENTION 684
    text = TABLE + 'KEYS("r")=VALUES;\nDATASYMBOL2="confidential";\nDATA=\n"T",5 ".."\n"A",5 ".." ;'
    found = cells(read(tmp_path, text))
    assert (found["B", "T"], found["B", "F"]) == (0, 0)
    assert found["A", "F"] == "withheld"
    refused(tmp_path, text.replace('"A",5', '"C",5'), "line 16", "row C", 'VALUES("r")')
    refused(tmp_path, text.replace('"A",5', '"T",5'), "twice")
    refused(tmp_path, text.replace('"A",5 ".."', '"A",5'), "row A", "1 figures, expected 2")
    refused(tmp_path, text.replace('KEYS("r")', 'KEYS("s")'), "KEYS are for s", "are r")


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("9 4", "9,0 4", ("line 13", "DATA", '"9,0"', "decimal point")),
        ("9 4", '"9" 4', ("line 13", '"9"', "without quotation marks")),
        ("9 4", "9 4 7", ("7 figures", "3 x 2 = 6")),
        ("9 4", "9", ("5 figures", "3 x 2 = 6", "cut off")),
        ("9 4", "9 x", ("line 13", '"x"')),
        ("9 4", "9 NaN", ("line 13", '"NaN"')),
        (";\n", "\n", ()),
        ('VALUES("s")="T","F"', 'VALUES("S")="T","F"', ('VALUES("s")', '"S"')),
        ('"T","F"', '"T","T"', ("line 11", '"T"', "twice")),
        ('"T","F"', '"T",""', ("empty code",)),
        ('STUB="r"', 'STUB="r","s"', ('"s"', "twice")),
        ("DECIMALS=0", "DECIMALS=many", ("line 7", "DECIMALS", '"many"')),
        ('MATRIX="m";', 'MATRIX="m";\nVALUES("r")="x";', ("VALUES", "twice", "line 5")),
        ('MATRIX="m"', 'MATRIX="m', ("no end",)),
        ("LANGUAGE", "LANG UAGE", ("line 3", "keyword")),
        ("DATA=", "DATEN=", ("line 12", '"4"')),
        (DATA, "", ("no DATA", "before its figures")),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, parts: tuple[str, ...]) -> None:
    text = TABLE + DATA
    assert old in text
    refused(tmp_path, text.replace(old, new, 1 if old != ";\n" else -1), *parts)


def test_no_part_of_a_file_that_is_cut_off_is_read(tmp_path: Path) -> None:
    # CONVENTION 681
    text = TABLE + 'DATASYMBOL2="confidential";\n' + DATA
    for end in range(len(text.rstrip())):
        if text[:end].strip():
            refused(tmp_path, text[:end])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-15", "cp1252", "cp850", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    # CONVENTION 685
    text = TABLE.replace('"A"', '"Ä €"' if encoding != "cp850" else '"Ä ×"')
    text = text + 'DATASYMBOL2="confidential";\n' + DATA
    if encoding in ("iso-8859-15", "cp1252", "cp850"):
        text = text.replace(
            "AXIS", f'CODEPAGE="{encoding.removeprefix("cp") if encoding == "cp850" else encoding}";\nAXIS'
        )
    assert any(codes[0].startswith("Ä") for codes in cells(read(tmp_path, text.encode(encoding))))


def test_an_encoding_that_is_not_the_one_named(tmp_path: Path) -> None:
    # CONVENTION 685
    text = (TABLE + 'DATASYMBOL2="confidential";\n' + DATA).replace('"A"', '"Ä"')
    said = text.replace("AXIS", 'CODEPAGE="{}";\nAXIS')
    refused(tmp_path, said.format("utf-8").encode("cp1252"), "line 2", "CODEPAGE", "utf-8", "0xC4 in line 11")
    refused(tmp_path, said.format("klingon").encode(), "CODEPAGE", '"klingon"')
    refused(tmp_path, said.format("base64").encode(), "CODEPAGE", '"base64"')
    release = read(tmp_path, said.format("windows-1252").encode())
    assert "decoded_utf_8" in [note.code for note in release.notes]
    assert ("Ä", "T") in cells(release)
    dos = read(tmp_path, text.replace('CHARSET="ANSI";', "").encode("cp850"))
    assert ("Ä", "T") in cells(dos)
    assert "decoded_dos" in [note.code for note in dos.notes]


def test_a_program_that_hides_figures_later_changes_nothing(tmp_path: Path) -> None:
    text = TABLE + 'CONFIDENTIAL=1;\nDATASYMBOL2="confidential";\n' + DATA
    assert "px_confidential" in [note.code for note in read(tmp_path, text).notes]


def test_a_release_file_may_name_it_for_its_data(tmp_path: Path) -> None:
    (tmp_path / "x.px").write_text(TABLE + DATA)
    (tmp_path / "r.yaml").write_text(
        "tableseal: 1\nkind: count\nvariables: {r: {total: T, codes: [A, B]}, s: {total: T, codes: [F]}}\n"
        'tables: [{name: t, file: x.px, marks: {"..": withheld}}]\n'
    )
    assert cells(read_release(tmp_path / "r.yaml"))["A", "F"] == "withheld"
