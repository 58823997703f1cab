"""Each file format of tau-ARGUS by itself: what it says, and errors that name line and column."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import read_release
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.apriori import read_changes
from tableseal.audit.io.argus.batch import read_batch
from tableseal.audit.io.argus.classification import classification
from tableseal.audit.io.argus.code_list import read_code_list
from tableseal.audit.io.argus.jj import JJ, JJCell, Relation, jj_text, read_jj
from tableseal.audit.io.argus.metadata import Metadata, read_metadata
from tableseal.audit.io.argus.recode import read_recode
from tableseal.audit.io.argus.records import read_records
from tableseal.audit.io.argus.words import words
from tableseal.audit.io.files import Folder

TABLE = """   <SEPARATOR> ";"
<Safe> "V"
<UNSAFE> X
Size "99"
    <RECODABLE>
    <TOTCODE> "All"
    <DISTANCE> 2 4 4
Turnover
    <NUMERIC>
    <DECIMALS> 2
N
    <FREQUENCY>
Shadow
    <NUMERIC> <SHADOW>
Price
    <NUMERIC> <COSTVAR>
Top1
    <MAXSCORE>
Top2
    <MAXSCORE>
St
    <STATUS>
Low
    <NUMERIC> <LOWERPL>
Up
    <NUMERIC> <UPPERPL>
"""


def table(text: str = TABLE) -> Metadata:
    return read_metadata(text, "t.rda", tabular=True)


def micro(text: str) -> Metadata:
    return read_metadata(text, "m.rda", tabular=False)


def test_metadata_of_a_table() -> None:
    # FORMATS 1: roles, status letters of the header, COST and COSTVAR, RECODABLE misspelt, keywords in any letter case.
    found = table()
    roles = ["code", "response", "frequency", "shadow", "cost", "top", "top", "status", "lower", "upper"]
    assert [variable.role for variable in found.variables] == roles
    assert (found.separator, found.safe, found.unsafe, found.protect) == (";", "V", "X", "P")
    size = found.variables[0]
    assert (size.missing, size.total, size.distance) == (("99",), "All", ("2", "4", "4"))
    assert found.variables[1].decimals == 2
    assert (found.position(" TURNOVER "), found.position("tops"), found.of_a_table) == (1, None, True)
    assert table(TABLE.replace("COSTVAR", "COST")).of_role("cost") == (4,)


def test_metadata_of_microdata_keeps_all_keywords() -> None:
    # FORMATS 1: fixed positions, missing codes, request, holding, weight, record key and the cell key method.
    text = """Year 1 2 "99" "98"
  <RECODEABLE>
Branch 4 5
  <HIERARCHICAL>
  <HIERLEVELS> 3 1 1 0 0
Ask 9 1
  <REQUEST> "1" "2"
Firm 10 3
  <HOLDING>
Wgt 13 4
  <DECIMALS> 1
  <WEIGHT>
Savings 17 4
  <NUMERIC>
  <CKM> T(3)
  <INCLUDEZEROS> N
  <SEPARATION> Y
  <PARITY> N
  <SCALING> F(0.03,0.30,1000,3,0.5,0.2)
Key 21 10
  <RECORDKEY>
  <PFILE> "ptab.txt"
  <PFILE_CONT> "all.txt"
"""
    found = micro(text)
    assert found.separator is None
    roles = ["code", "none", "request", "holding", "weight", "response", "record key"]
    assert [variable.role for variable in found.variables] == roles
    assert found.variables[0].missing == ("99", "98")
    assert found.variables[1].levels == (3, 1, 1, 0, 0)
    assert found.variables[2].requests == ("1", "2")
    savings = found.variables[5].cell_keys
    assert (savings.by, savings.top) == ("top", 3)
    assert (savings.zeros, savings.separation, savings.parity, savings.flex) == (False, True, False, True)
    assert savings.scaling == tuple(map(Fraction, ("0.03", "0.30", "1000", "3", "0.5", "0.2")))
    files = found.variables[6].cell_keys
    assert [word and word.text for word in (files.counts, files.values, files.small)] == ["ptab.txt", "all.txt", None]
    assert (found.variables[3].start, found.variables[3].width) == (10, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Size\n  <RECODEBLE>",
            r't\.rda line 2, column 3: keyword <RECODEBLE> is not known here \(did you mean "<RECODE',
        ),
        ("<TOTCODE> T", r"t\.rda line 1, column 1: <TOTCODE> says something of a variable, but none is named yet"),
        ("Size\n<TOTCODE>", r"line 2, column 1: nothing stands behind <TOTCODE>"),
        ('Size\n<TOTCODE> "T', r"line 2, column 11: a quotation mark is opened and never closed"),
        ("Size\n<DECIMALS> two", r'line 2, column 12: found "two", expected a whole number of at least 0'),
        ("Size\nsize", r'line 2, column 1: variable "size" was named in line 1 already'),
        ("A\n<RECODEABLE>\n<STATUS>", r"line 3, column 1: variable \"A\" is given two roles, code and status"),
        ("<SPSS>\nA", r"line 1, column 1: the data are in an SPSS system file"),
        ("A\n<SEPARATOR> ;", "<SEPARATOR> stands before the first variable"),
        ('<SEPARATOR> ";;"\nA', 'found ";;", expected one character'),
        ('A\n<HIERCODELIST> "a.hrc"\n<HIERLEVELS> 1 1', "both <HIERLEVELS> and <HIERCODELIST>"),
        ("A\n<HIERLEVELS> 0 0", "all levels are without digits"),
        ("", "t.rda: names no variable"),
        ("A 1 2 3", 'found "3", expected at most two missing codes'),
    ],
)
def test_metadata_that_cannot_be_used(text: str, said: str) -> None:
    # CONVENTION 695
    with pytest.raises(InputError, match=said):
        table(text)


def test_metadata_of_microdata_that_cannot_be_used() -> None:
    with pytest.raises(InputError, match=r'm\.rda line 1, column 1: variable "A" lacks its first position and its wid'):
        micro("A 1")
    with pytest.raises(InputError, match='levels of "A" have 3 digits, but its width is 4'):
        micro("A 1 4\n<HIERLEVELS> 2 1")


def test_records_of_a_free_file() -> None:
    # Padded and quoted codes keep their blanks, and separators inside quotes; a separator at the end says nothing.
    metadata = table("A\n<RECODEABLE>\nB\n<NUMERIC>\n")
    found = read_records('" 1"; 2,50\n\n  "a;b" ;x;\r\n"say ""so""";-\n', metadata, "t.tab")
    assert [record.entries for record in found] == [(" 1", "2,50"), ("a;b", "x"), ('say "so"', "-")]
    assert [record.line for record in found] == [1, 3, 4]


def test_records_of_fixed_columns() -> None:
    found = read_records("01  2.5\n 2  3\n", micro("A 1 2\n<RECODEABLE>\nB 5 3\n<NUMERIC>"), "m.asc")
    assert [record.entries for record in found] == [("01", "2.5"), (" 2", "3")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1;2\n3", r"t\.tab line 2: has 1 entries separated by ';', but t\.rda names 2 variables"),
        ("1;2;3", "has 3 entries"),
        ('"1;2', "line 1, column 1: a quotation mark is opened and never closed"),
        ('"1"x;2', "line 1, column 4: text stands behind a closed quotation mark"),
        (" \n", "has no records"),
    ],
)
def test_records_that_cannot_be_used(text: str, said: str) -> None:
    # CONVENTION 695: a truncated file is never a part of a table
    with pytest.raises(InputError, match=said):
        read_records(text, table("A\n<RECODEABLE>\nB\n<NUMERIC>\n"), "t.tab")


def test_a_record_that_ends_within_fixed_columns() -> None:
    with pytest.raises(InputError, match="ends at position 2, but variable 'B' begins at position 5"):
        read_records("01", micro("A 1 2\n<RECODEABLE>\nB 5 3\n<NUMERIC>"), "m.asc")


def test_hierarchies(tmp_path: Path) -> None:
    # FORMATS 1: leaves may have leading blanks; the file is named in another letter case, with backslashes.
    (tmp_path / "Region.HRC").write_text("Nr\n@ 1\n@ 2\nOs \n@ 3\n@10")
    text = 'R "99"\n<RECODEABLE>\n<TOTCODE> "Total"\n<HIERCODELIST> "d:\\data\\REGION.hrc"\n'
    variable = table(text).variables[0]
    found = classification(variable, ["Total", "Nr", "1", " 2", "99", ""], Folder(tmp_path))
    assert found.codes == ("Nr", " 1", " 2", "Os", " 3", "10", "99")
    assert [found.code(entry) for entry in ("1", " 2", "", "Total ", "os")] == [" 1", " 2", "Total", "Total", None]
    assert found.above(" 3") == [" 3", "Os", "Total"]
    assert found.missing == {"99"}
    assert found.document()["tree"] == {"Nr": {" 1": None, " 2": None}, "Os": {" 3": None, "10": None}, "99": None}


def test_hierarchies_by_digits() -> None:
    # FORMATS 1: HIERLEVELS, zeros pad
    variable = micro("B 1 5\n<RECODEABLE>\n<HIERLEVELS> 3 1 1 0").variables[0]
    found = classification(variable, ["15001", "150", "15002", "16110"], Folder(None))
    assert found.parents == {
        "150": None,
        "1500": "150",
        "15001": "1500",
        "15002": "1500",
        "161": None,
        "1611": "161",
        "16110": "1611",
    }
    with pytest.raises(
        InputError, match='code "15" of "B" has 2 digits, but <HIERLEVELS> 3 1 1 0 gives codes of 3, 4, 5'
    ):
        classification(variable, ["15"], Folder(None))


def test_code_lists() -> None:
    assert read_code_list(" 1,Groningen\n10,Zuid, and West\n\n", "r.cdl") == {"1": "Groningen", "10": "Zuid, and West"}
    with pytest.raises(InputError, match=r'r\.cdl line 1: found "1;A", expected a code, a comma'):
        read_code_list("1;A", "r.cdl")
    with pytest.raises(InputError, match='line 2: code "1" has another label'):
        read_code_list("1,A\n1,B", "r.cdl")


def test_recodes() -> None:
    found = read_recode("1: 1-5\nrest: a, b\n9: -0, 100-\n<MISSING> 99\n", "g.grc")
    assert [found.new(code) for code in ("1", "05", "6", "b", "0", "1000")] == ["1", "1", "6", "rest", "9", "9"]
    assert found.missing == ("99",)
    assert read_recode("<treerecode>\n142\n1500\n", "g.grc").closed == ("142", "1500")
    for text, said in (("1 2", "a colon"), ("1:2\n1:3", "there twice"), ("1:2\n2:2", "there twice"), ("", "nothing")):
        with pytest.raises(InputError, match=said):
            read_recode(text, "g.grc")


def test_apriori_files() -> None:
    # FORMATS 1: as other programs write it, letters in any case, C and W, M and ML
    found = read_changes("A;B;u\nA;C;c;10\n//\nA;B;pl;2.5;0,00001\nA;D;ML\n", ";", 2, "h.hst")
    assert [(change.codes, change.kind) for change in found] == [
        (("A", "B"), "U"),
        (("A", "C"), "C"),
        (("A", "B"), "PL"),
        (("A", "D"), "M"),
    ]
    assert found[2].numbers == (Fraction(5, 2), Fraction(1, 100000))
    assert found[2].at == Place("h.hst", line=4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A,B,u", r'h\.hst line 1: has 1 entries separated by ";", expected 2 codes and a change \(S, U, P'),
        ("A;B;q", 'found "q", expected one of S, U, P, M, ML, C, W, PL, AB'),
        ("A;B;pl;1", "PL has 2 numbers behind it, found 1"),
        ("A;B;c;0", 'found "0", expected a number above 0'),
        ("A;B;pl;1;-1", 'found "-1", expected a number of at least 0'),
        ("\n", "changes nothing"),
    ],
)
def test_apriori_files_that_cannot_be_used(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_changes(text, ";", 2, "h.hst")


JOB = r"""// made by hand
<OPENTABLEDATA>  "data\t.tab"   // the data
<openmetadata>   t.rda
<SPECIFYTABLE>   "Size""Region"|"Var2"|"Var2_Shadow"|-3,0.5
<SAFETYRULE>     P(20,3)|P(0,1)|NK(2,75)|FREQ(3,20)|ZERO(10)|REQ(70,80,10)|WGT(1)|MIS(1)|MAN(20)
<READTABLE>      1T
<APRIORI>        "h.hst",1,";",0,1
<SOLVER>         CPLEX,"license.ilm"
<RECODE>         1, Size, "GK.grc"
<RECODE>         1, Region, 2
<SUPPRESS>       MOD(1,5,1,1,1)
<WRITETABLE>     (1,3,AS+FL-,"out.csv")
<WRITETABLE>     (1,1,,out.csv)
<LOGBOOK>        "log.txt"
<CLEAR>
<GOINTERACTIVE>
"""


def test_batches() -> None:
    found = read_batch(JOB, "j.arb")
    kinds = (
        "OpenData OpenMetadata SpecifyTable SafetyRule ReadTable Apriori PassedOver RecodeTable RecodeTable Suppress "
    )
    kinds += "WriteTable WriteTable WriteText Clear PassedOver"
    assert [type(command).__name__ for command in found] == kinds.split()
    assert found[0] == c.OpenData(Place("j.arb", line=2, character=1), "data\\t.tab", micro=False)
    expected = (("Size", "Region"), "Var2", "Var2_Shadow", "-3", Fraction(1, 2))
    said: Any = found[2]
    assert (said.variables, said.response, said.shadow, said.cost, said.power) == expected
    rules: Any = found[3]
    assert [(rule.name, *map(int, rule.numbers)) for rule in rules.rules][:3] == [
        ("P", 20, 3),
        ("P", 0, 1),
        ("NK", 2, 75),
    ]
    assert found[4] == c.ReadTable(found[4].at, 1, keep=True)
    assert found[5] == c.Apriori(found[5].at, "h.hst", 1, ";", lenient=False, trivial=True)
    assert found[8] == c.RecodeTable(found[8].at, 1, "Region", 2)
    assert found[9] == c.Suppress(found[9].at, "MOD", 1, ("5", "1", "1", "1"))
    assert found[10] == c.WriteTable(found[10].at, 1, 3, {"AS": True, "FL": False}, "out.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<OPENTABLEDAT> x", r"j\.arb line 1, column 1: keyword <OPENTABLEDAT> is not known here \(did you mean"),
        ("OPEN", 'line 1, column 1: found "OPEN", expected a keyword'),
        ("<OPENTABLEDATA>", "<OPENTABLEDATA>: the line ends where the name of a file is expected"),
        ('<SPECIFYTABLE> "A"', 'the line ends where "|" is expected'),
        ('<SPECIFYTABLE> |"x"', "names no variable that spans the table"),
        ('<SPECIFYTABLE> "A""B""a"|"x"', r'line 1, column 22: <SPECIFYTABLE>: names "a" twice'),
        ("<SAFETYRULE> Q(3)", r"line 1, column 14: rule \"Q\" is not known; rules are P, NK, FREQ"),
        ("<SAFETYRULE> NK(3)", "NK has 1 numbers in its brackets, expected 2"),
        ("<SAFETYRULE> P(x)", 'found "x" behind <SAFETYRULE>, expected a number'),
        ("<SAFETYRULE> P(1", "the line ends where"),
        ("<READTABLE> 3", 'found "3" behind <READTABLE>, expected 0'),
        ("<SUPPRESS> MOB(1)", r'method "MOB" is not known \(did you mean "MOD"\?\); methods are GH, MOD'),
        ("<SUPPRESS> MOD(x)", 'found "x", expected a whole number'),
        ('<WRITETABLE> (1,9,,"a")', "expected 1 csv, 2 pivot"),
        ('<WRITETABLE> (1,1,XX+,"a")', r"line 1, column 19: found \"XX\+\" behind <WRITETABLE>, expected options"),
        ('<WRITETABLE> (1,1,,"a"', "the line ends where"),
        ('<APRIORI> "a",1', "the line ends where"),
        ("<CLEAR> all", 'found "all" behind <CLEAR>, expected the end of the line'),
        ("//\n", "holds no command"),
    ],
)
def test_batches_that_cannot_be_used(text: str, said: str) -> None:
    # CONVENTION 695: file, line, column, keyword, what was found and what is allowed
    with pytest.raises(InputError, match=said):
        read_batch(text, "j.arb")


PROBLEM = "0\n3\n0 10 1 s 0 15 0 0 0\n1 6 1 u 0 15 1 1 0\n2 4 1 s 0 15 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n"


def test_jj_files() -> None:
    # FORMATS 1, the example
    found = read_jj(PROBLEM, "a.jj")
    assert found.cells[1] == JJCell(*map(Fraction, (6, 1)), "u", *map(Fraction, (0, 15, 1, 1, 0)))
    assert found.relations == (Relation(Fraction(0), ((0, -1), (1, 1), (2, 1))),)
    assert jj_text(found) == PROBLEM
    assert read_jj(jj_text(JJ(found.cells[:1], ())), "a.jj") == JJ(found.cells[:1], ())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0\n3", "1\n3", r"a\.jj line 1, column 1: expected 0 alone"),
        ("\n3\n", "\n4\n", "line 6, column 1: has 1 entries, expected 9"),
        (" u ", " q ", 'line 4, column 7: found "q", expected one of s, u, z, m'),
        ("2 (1)", "3 (1)", 'found "3", expected a cell from 0 to 2'),
        ("0 3 :", "0 2 :", "says 2 terms and has 3"),
        ("(-1)", "(0)", "expected a whole coefficient other than 0"),
        ("\n0 3 : 0 (-1) 1 (1) 2 (1)", "", "the file ends where a relation is expected"),
        ("2 (1)\n", "2 (1)\nx", "line 8, column 1: expected the end of the file"),
        ("1 6 1 u 0 15", "1 6 1 u 16 15", "the lower bound is above the upper bound"),
    ],
)
def test_jj_files_that_cannot_be_used(old: str, new: str, said: str) -> None:
    assert old in PROBLEM
    with pytest.raises(InputError, match=said):
        read_jj(PROBLEM.replace(old, new, 1), "a.jj")


def test_words_have_their_places() -> None:
    found = words('<SAFE>S "a b"(x)', Place("f", line=3), "()")
    assert [(w.text, w.kind, w.at.character) for w in found] == [
        ("<SAFE>", "keyword", 1),
        ("S", "plain", 7),
        ("a b", "quoted", 9),
        ("(", "sign", 14),
        ("x", "plain", 15),
        (")", "sign", 16),
    ]


@pytest.mark.parametrize("name", ["Status", "Remark"])
def test_a_column_of_letters_of_which_nothing_is_said_is_refused(tmp_path: Path, name: str) -> None:
    """Metadata that were cut off, or lack a keyword: statuses are never passed over."""
    # CONVENTION 638
    text = f'<SEPARATOR> ";"\nR\n  <RECODEABLE>\nV\n  <NUMERIC>\n{name}\n'
    (tmp_path / "t.rda").write_text(text)
    (tmp_path / "t.tab").write_text('"Total";9;S\n"A";4;U\n"B";5;S\n')
    with pytest.raises(InputError, match=rf't\.rda line 6.*"{name}" seems to say which cells are withheld.*<STATUS>'):
        read_release(tmp_path / "t.tab")
    (tmp_path / "t.rda").write_text(f"{text}  <STATUS>\n")
    assert (read_release(tmp_path / "t.tab").tables[0].status > 5).sum() == 1
    (tmp_path / "t.rda").write_text(text)
    (tmp_path / "t.tab").write_text('"Total";9;all\n"A";4;first\n"B";5;second\n')
    if name == "Remark":
        notes = [note.text for note in read_release(tmp_path / "t.tab").notes if note.code == "columns_left_out"]
        assert notes == ["t.rda: variables of which nothing is said are left out: Remark."]
