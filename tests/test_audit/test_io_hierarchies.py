"""Classifications in every form."""

from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document import VariableDocument
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder
from tableseal.audit.io.hierarchies import hrc_edges, read_hierarchy
from tableseal.audit.model import Hierarchy


def read(tmp_path: Path, document: dict[str, Any], **files: str) -> Hierarchy:
    for name, text in files.items():
        (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
    where = Place("r.yaml", ("variables", "v"))
    return read_hierarchy("v", validate(VariableDocument, document, where), Folder(tmp_path), where)


def covers(hierarchy: Hierarchy) -> dict[str, set[str]]:
    """Which leaves each code covers."""
    dense = hierarchy.members.toarray()
    leaves = [hierarchy.codes[leaf] for leaf in hierarchy.leaves]
    return {
        code: {leaf for leaf, one in zip(leaves, row, strict=True) if one}
        for code, row in zip(hierarchy.codes, dense, strict=True)
    }


NESTED = {"T": {"N1", "N2", "S1"}, "N": {"N1", "N2"}, "N1": {"N1"}, "N2": {"N2"}, "S": {"S1"}, "S1": {"S1"}}


def test_forms_that_say_the_same(tmp_path: Path) -> None:
    # CONVENTION 110
    forms: list[tuple[dict[str, Any], dict[str, str]]] = [
        ({"tree": {"N": ["N1", "N2"], "S": ["S1"]}}, {}),
        ({"tree": [{"N": {"N1": None, "N2": None}}, {"S": ["S1"]}]}, {}),
        ({"trees": [{"N": ["N1", "N2"], "S": ["S1"]}]}, {}),
        ({"file": "v.hrc"}, {"v_hrc": "N\n@N1\n@N2 \n\nS\n@S1\n"}),
        ({"file": "v.hrc", "leading": "."}, {"v_hrc": "N\r\n.N1\r\n.N2\r\nS\r\n.S1\r\n"}),
        ({"file": "v.hrc"}, {"v_hrc": "T\n@N\n@@N1\n@@N2\n@S\n@@S1\n"}),
        ({"file": "v.csv"}, {"v_csv": "code,parent,label\nT,,All\nN,T,\nN1,N,\nN2,N,\nS,,\nS1,S,\n"}),
        ({"file": "v.csv", "levels": ["A", "B"]}, {"v_csv": "A;B;x\nN;N1;\nN;N2;\nS;S1;\n"}),
        ({"trees": ["v.csv"]}, {"v_csv": "code,parent\nN,\nN1,N\nN2,N\nS,\nS1,S\n"}),
        ({"codes": ["N", "N1", "N2", "S", "S1"], "trees": [{"N": ["N1", "N2"]}, {"S": ["S1"]}]}, {}),
    ]
    for document, files in forms:
        found = read(tmp_path, {"total": "T", **document}, **files)
        assert found.codes == ("T", "N", "N1", "N2", "S", "S1"), document
        assert covers(found) == NESTED


def test_flat_codes_and_no_total(tmp_path: Path) -> None:
    flat = read(tmp_path, {"codes": ["2024", "2025"]})
    assert (flat.codes, flat.total, flat.total_index) == (("2024", "2025"), None, -1)
    assert read(tmp_path, {"total": "T", "codes": ["k"]}).codes == ("T", "k")


def test_level_tables_with_repeated_and_blank_levels(tmp_path: Path) -> None:
    # CONVENTION 110
    found = read(
        tmp_path,
        {"total": "T", "levels": ["A10", "A21", "A88"], "file": "act.csv"},
        act_csv="A10,A21,A88\nAZ,A,01\nAZ,A,02\nAZ,X,X\nV,V,V\nW,,W1\nU,,\n",
    )
    assert found.codes == ("T", "AZ", "A", "01", "02", "X", "V", "W", "W1", "U")
    assert covers(found)["AZ"] == {"01", "02", "X"}
    assert covers(found)["T"] == {"01", "02", "X", "V", "W1", "U"}


def test_hrc_keeps_blanks_before_codes_and_leading_points(tmp_path: Path) -> None:
    # CONVENTION 7, 110
    found = read(tmp_path, {"total": "T", "file": "r.hrc"}, r_hrc="Nr\n@ 1\n@ 2\nOs \n.misc\n@Ærø\n")
    assert found.codes == ("T", "Nr", " 1", " 2", "Os", ".misc", "Ærø")


def test_one_child_levels_stay_separate(tmp_path: Path) -> None:
    found = read(tmp_path, {"total": "T", "file": "n.hrc"}, n_hrc="12\n@120\n@@1200\n@@@1200Z\n20\n")
    assert found.codes == ("T", "12", "120", "1200", "1200Z", "20")
    assert covers(found)["12"] == {"1200Z"}


def test_groupings_that_are_not_nested(tmp_path: Path) -> None:
    # CONVENTION 110
    found = read(
        tmp_path,
        {"total": "T", "file": "c.csv", "trees": [{"K": ["a", "d"]}, "m.hrc"]},
        c_csv="code,parent\na,C1\nb,C1\nd,C2\n",
        m_hrc="M\n@b\n@d\n",
    )
    assert len(found.parents) == 3
    assert {code: covers(found)[code] for code in ("C1", "K", "M", "T")} == {
        "C1": {"a", "b"},
        "K": {"a", "d"},
        "M": {"b", "d"},
        "T": {"a", "b", "d"},
    }


@pytest.mark.parametrize(
    ("document", "files", "mentions"),
    [
        ({}, {}, ["variables.v", "one of `codes`, `tree`, `trees` or `file`"]),
        ({"codes": ["a", "b", "a"]}, {}, ["variables.v.codes", '"a"', "twice"]),
        ({"codes": ["a", None]}, {}, ["codes[1]", "nothing", "expected text"]),
        ({"tree": "N"}, {}, ["variables.v.tree", '"N"', "expected a tree"]),
        ({"tree": {"N": "N1"}}, {}, ['"N1" below "N"', "expected a list"]),
        ({"tree": {"N": [None]}}, {}, ['below "N"', "quote"]),
        ({"tree": {"N": ["a"], "S": ["a"]}}, {}, ['"v"', '"a" is placed twice', '"N"', '"S"']),
        ({"file": "v.csv"}, {"v_csv": "code,parent\nN,S\nS,N\n"}, ["v.csv", "cycle", '"N"', '"S"']),
        ({"tree": {"N": ["T"]}}, {}, ['total "T"', 'below "N"']),
        ({"file": "v.hrc"}, {"v_hrc": "N\n@@x\n"}, ["v.hrc line 2", '"x"', "level 3"]),
        ({"file": "v.hrc"}, {"v_hrc": "N\n@\n"}, ["v.hrc line 2", "expected a code"]),
        ({"file": "v.hrc", "leading": ""}, {"v_hrc": "N\n"}, ["`leading` is empty"]),
        ({"file": "v.hrc", "levels": ["a"]}, {"v_hrc": "N\n"}, ["`levels`"]),
        ({"file": "v.csv", "leading": "@"}, {"v_csv": "code,parent\na,\n"}, ["`leading`"]),
        ({"levels": ["a"]}, {}, ["there is none"]),
        ({"file": "v.csv"}, {"v_csv": "A,B\nx,y\n"}, ["A, B", "code and parent", "levels"]),
        ({"file": "v.csv"}, {"v_csv": "code,parent\n,x\n"}, ["v.csv row 1 (line 2)", '"code"', "empty"]),
        ({"file": "v.csv", "levels": ["A", "Z"]}, {"v_csv": "A,B\nx,y\n"}, ['no column "Z"', "A, B"]),
        ({"file": "v.csv", "levels": ["A", "B"]}, {"v_csv": "A,B,n\n,,1\n"}, ["row 1", "no code on any level"]),
        ({"file": "w.csv"}, {"v_csv": "code,parent\na,\n"}, ["variables.v.file", '"w.csv"', 'did you mean "v.csv"']),
    ],
)
def test_bad_hierarchies(tmp_path: Path, document: dict[str, Any], files: dict[str, str], mentions: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, {"total": "T", **document}, **files)
    for mention in mentions:
        assert mention in str(error.value)


def test_hrc_edges() -> None:
    assert hrc_edges("a\n##b\n##c\n", "##", "x.hrc") == [(None, "a"), ("a", "b"), ("a", "c")]
