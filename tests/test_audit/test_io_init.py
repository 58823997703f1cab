"""A release from a bare data file: what is inferred, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, release_from_document, write_document
from tableseal.audit.io.release_out import release_files
from tableseal.audit.io.yaml_text import as_text, parse_document
from tableseal.audit.model import COLUMNS_LEFT_OUT, Policy, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report.called import called
from tableseal.audit.report.words import verdict_line
from tableseal.audit.rules import Threshold


def infer(tmp_path: Path, text: str, name: str = "x.csv") -> dict[str, object]:
    (tmp_path / name).write_text(text)
    document, notes = infer_document(tmp_path / name)
    written = write_document(document, notes)
    assert parse_document(written, "r.yaml") == as_text(document)
    assert all(note.text in written for note in notes)
    release = read_release(tmp_path / name)
    assert release.notes[: len(notes)] == tuple(notes)
    return document


def refusal(tmp_path: Path, text: str) -> str:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError) as error:
        infer_document(tmp_path / "x.csv")
    assert str(error.value).startswith("x.csv")
    return str(error.value)


def test_a_table_of_counts_with_status(tmp_path: Path) -> None:
    # CONVENTION 113
    document = infer(
        tmp_path,
        "region,sex,n,flag\nT,T,60,\nT,M,33,\nT,F,27,\nA,T,20,\nA,M,,primary\nA,F,,secondary\n"
        "010,T,40,\n010,M,,secondary\n010,F,,secondary\n",
    )
    assert document == {
        "tableseal": 1,
        "title": "x",
        "kind": "count",
        "variables": {
            "region": {"total": "T", "codes": ["A", "010"]},
            "sex": {"total": "T", "codes": ["M", "F"]},
        },
        "tables": [{"name": "x", "file": "x.csv", "value": "n", "status": "flag"}],
    }


def test_magnitudes_with_decimal_commas_and_a_year(tmp_path: Path) -> None:
    document = infer(
        tmp_path,
        "act;year;turnover\nTotal;2024;9,5\nk;2024;4,25\nl;2024;5,25\nTotal;2025;8\nk;2025;\nl;2025;5\n",
        "y.tsv",
    )
    assert (document["kind"], document["unit"]) == ("magnitude", "0.01")
    assert document["variables"] == {
        "act": {"total": "Total", "codes": ["k", "l"]},
        "year": {"codes": ["2024", "2025"]},
    }


def test_negative_values_are_allowed_and_said(tmp_path: Path) -> None:
    document = infer(tmp_path, "a,value\nT,-1\nk,4\nl,-5\n")
    assert document["intruder"] == {"nonnegative": False}


def test_a_total_without_a_usual_name_is_found_by_arithmetic(tmp_path: Path) -> None:
    # CONVENTION 113
    text = "land,y,n\nHele landet,p,9\nk,p,4\nl,p,5\nHele landet,q,8\nk,q,7\nl,q,1\n"
    assert infer(tmp_path, text)["variables"] == {
        "land": {"total": "Hele landet", "codes": ["k", "l"]},
        "y": {"codes": ["p", "q"]},
    }


def test_columns_of_other_numbers_are_left_out_and_said(tmp_path: Path) -> None:
    # CONVENTION 113
    (tmp_path / "x.csv").write_text("a,value,weight\nT,9,1\nk,4,2\nl,5,3\n")
    _, notes = infer_document(tmp_path / "x.csv")
    assert COLUMNS_LEFT_OUT in [note.code for note in notes]


def test_what_columns_that_are_left_out_may_say_is_no_plain_safe(tmp_path: Path) -> None:
    """CONVENTION 113, 630: the total that stands beside each row is 20 + 3."""
    (tmp_path / "x.csv").write_text("area,sex,n,sum\nk,f,10,22\nk,m,12,22\nl,f,20,23\n")
    release = read_release(tmp_path / "x.csv")
    report = audit(replace(release, policy=Policy(primary=(Threshold(4),)))).report
    assert called(report) == "safe as listed"
    what = "1 column of numbers was not looked at; 2 columns of codes may hold unknown sums (see the notes)"
    assert verdict_line(report).startswith(f"SAFE as listed; {what}.")


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a,x,y\nT,9,1\nk,4,2\n", ["several columns may hold the values (x, y)", "value: x"]),
        ("a,n,value\nT,9,1\nk,4,2\n", ["several columns may hold the values (n, value)"]),
        ("a,b\nT,x\nk,y\n", ["no column holds numbers only", "a, b"]),
        ("a,n\nT,9\nk,q\n", ['x.csv row 2 (line 3), column "n": "q" is no number', 'marks: {"q": ...}']),
        ("n\n9\n4\n", ["no column holds codes"]),
        ("a,n,status\nT,9,\nk,4,S\n", ['column "status"', '"S"', "scheme"]),
        ("a,n,s1,s2\nT,9,primary,\nk,4,,secondary\n", ["several columns hold status words (s1, s2)"]),
        ("a,n\nT,9\nk,4\nl,4\n", ['column "a"', '"T"', "expected 8, found 9", "tree:"]),
        ("a,n\nT,9\nall,9\nk,4\nl,5\n", ["several codes may be the total (T, all)"]),
        ("a,n\nHele,9\nk,4\nl,5\n", ['"Hele"', "only once", "`total:`"]),
        ("a,year,value\nk,1,4\nk,2,5\n", ["not clear whether", "year"]),
        ("a,n\nT,1,2\n", ["row 1", "3 fields"]),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(tmp_path: Path, text: str, mentions: list[str]) -> None:
    # CONVENTION 113
    message = refusal(tmp_path, text)
    for mention in mentions:
        assert mention in message


def test_withheld_values_take_no_part_in_the_arithmetic(tmp_path: Path) -> None:
    document = infer(tmp_path, "a,n,status\nT,9,\nk,7531,primary\nl,5,secondary\n")
    assert document["variables"] == {"a": {"total": "T", "codes": ["k", "l"]}}


def test_written_codes_are_quoted() -> None:
    document = {"variables": {"a": {"total": "NO", "codes": ["010", "null", "~", ""]}}}
    text = write_document(document)
    assert '"NO"' in text
    assert '"010"' in text
    assert parse_document(text, "r.yaml") == document


def test_a_written_document_is_a_release(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,value\nT,9\nk,4\nl,5\n")
    document, _ = infer_document(tmp_path / "x.csv")
    release = release_from_document(document, folder=tmp_path)
    (tmp_path / "r.yaml").write_text(write_document(document))
    assert read_release(tmp_path / "r.yaml").title == release.title


RECORDS = "Region,Sales,Id\nNorth,90,f1\nNorth,80,f2\nNorth,30,f3\nSouth,60,f4\nSouth,50,f5\n"


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        (RECORDS, ["every row is a unit of its own", '"Id"', "init x.csv --by Region --value Sales --id Id -o"]),
        (RECORDS.replace("Id", "firm_no"), ['"firm_no"', "microdata"]),
        ("id,sex,age\n1,1,40\n2,2,41\n3,1,40\n4,2,17\n", ['"id"', "microdata"]),
        ("region,n\nN,4\nN,5\nS,3\n", ['row 2 (line 3), column "region": has the same codes as row 1', "microdata"]),
    ],
)
def test_records_are_no_table(tmp_path: Path, text: str, mentions: list[str]) -> None:
    # CONVENTION 549
    message = refusal(tmp_path, text)
    for mention in mentions:
        assert mention in message


@pytest.mark.parametrize(
    "text",
    [
        "id,n\nA,4\nB,5\nC,3\nD,2\n",  # one-way
        "id,group,n\nTotal,Total,14\nA,g,4\nB,g,5\nC,g,3\nD,g,2\n",  # a total
        "region,country,n\nA,X,4\nB,X,5\nC,Y,3\nD,Y,2\n",  # regions are no units
        "a,n\nT,9\nk,4\nl,5\nk,4\n",  # the same row twice
        "region,sex,number\nA,f,4\nA,m,5\nB,f,3\nB,m,2\n",  # numbers of units
        "region,sex,unit\nA,f,4\nA,m,5\nB,f,3\nB,m,2\n",
    ],
)
def test_tables_that_look_a_little_like_records_are_tables(tmp_path: Path, text: str) -> None:
    # CONVENTION 549
    (tmp_path / "x.csv").write_text(text)
    infer_document(tmp_path / "x.csv")


def test_bounds_that_stand_where_no_value_is_are_known_to_everybody(tmp_path: Path) -> None:
    # CONVENTION 552
    document = infer(tmp_path, "a,value,status,lower,upper\nT,9,,,\nk,,withheld,1,4\nl,,withheld,,\nm,2,,,\n")
    table = read_release(tmp_path / "x.csv").tables[0]
    assert (table.lower.get(1), table.upper.get(1)) == (1, 4)
    assert document["tables"] == [
        {"name": "x", "file": "x.csv", "value": "value", "status": "status", "lower": "lower", "upper": "upper"}
    ]
    confidence = infer(tmp_path, "a,value,lower,upper\nT,9,8,10\nk,4,3,5\nl,5,4,6\n")
    assert confidence["tables"] == [{"name": "x", "file": "x.csv", "value": "value"}]


@pytest.mark.parametrize("mark", ["[1, 4]", "[null, 4]", "[2, null]", "withheld"])
def test_what_goes_out_as_csv_says_what_the_marks_said(tmp_path: Path, mark: str) -> None:
    # CONVENTION 552
    (tmp_path / "r.yaml").write_text(
        "{tableseal: 1, kind: count, variables: {a: {total: T, codes: [k, l, m]}}, tables: [{name: t, "
        f"cells: {{a: [T, k, l, m], value: [9, '<5', '<5', 2]}}, marks: {{'<5': {mark}}}}}]}}"
    )
    before = read_release(tmp_path / "r.yaml")
    for target in ("x.csv", "y.yaml", "z.json"):
        for path, text in release_files(before, tmp_path / target).items():
            path.write_text(text)
        after = read_release(tmp_path / target).tables[0]
        assert after.status.tolist() == before.tables[0].status.tolist()
        for name in ("value", "lower", "upper"):
            one, other = getattr(after, name), getattr(before.tables[0], name)
            assert [one.get(row) for row in range(4)] == [other.get(row) for row in range(4)]


def test_flags_of_a_bare_file_may_be_explained_on_the_command_line(tmp_path: Path) -> None:
    # CONVENTION 540
    (tmp_path / "x.csv").write_text("a,n,flag\nT,9,\nk,4711,c\nl,5,x\nm,4,\n")
    found = read_release(tmp_path / "x.csv", status_map={"c": "primary", "x": "secondary"}).tables[0]
    assert [Status(code).word for code in found.status.tolist()] == ["published", "primary", "secondary", "published"]
    with pytest.raises(InputError, match=r"--status-map c=withheld"):
        read_release(tmp_path / "x.csv", status_map={"x": "secondary"})
