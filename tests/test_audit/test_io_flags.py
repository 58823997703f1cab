"""Columns of flags that nobody has explained: never passed over, whatever their names and their entries."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, release_from_document
from tableseal.audit.io.column import Column
from tableseal.audit.io.statuses.flags import looks_like_flags
from tableseal.audit.model import Release, Status

NAMES = [
    "suppressed", "Suppressed", "is_withheld", "isWithheld", "primary", "secondary", "primary_suppression", "conf",
    "CONF_STATUS", "confidential", "confidentiality_flag", "Geheimhaltung", "geheim", "flag", "obs_flag", "masked",
    "unsafe", "hidden", "Sperrvermerk", "unterdrückt",
]  # fmt: skip
"""Names that say what the flags are about."""

MUTE = ["k1", "mark", "note", "d", "Bemerkung"]
"""Names that say nothing."""

YES_NO = [
    ("1", "0"), ("1.0", "0.0"), ("TRUE", "FALSE"), ("true", ""), ("yes", "no"), ("Y", "N"), ("ja", "nein"), ("x", ""),
    ("X", "-"), ("c", ""), ("(D)", ""), ("suppressed", ""), ("confidential", "ok"), ("withheld", "published"),
]  # fmt: skip
"""What marks a row, and what stands in the others."""

AXES = {"region": ["Total", "A", "B", "C"], "sex": ["Total", "M", "F"]}


def rows_of(axes: Sequence[str]) -> dict[str, list[str]]:
    """A table with its totals; all its counts are above any threshold used here."""
    combinations = list(product(*(AXES[axis] for axis in axes)))
    columns = {axis: [codes[at] for codes in combinations] for at, axis in enumerate(axes)}
    weight = {"Total": 0, "A": 11, "B": 25, "C": 40, "M": 1, "F": 2}

    def count(codes: Sequence[str]) -> int:
        parts = [[code] if code != "Total" else AXES[axis][1:] for axis, code in zip(axes, codes, strict=True)]
        return sum(100 + sum(weight[code] for code in leaf) for leaf in product(*parts))

    return {**columns, "n": [str(count(codes)) for codes in combinations]}


def written(columns: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(";".join(row) for row in [tuple(columns), *zip(*columns.values(), strict=True)]) + "\n"


def read(columns: Mapping[str, Sequence[str]], axes: Sequence[str], *, bare: bool) -> Release:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.csv").write_text(written(columns), "utf-8")
        if bare:
            return read_release(folder / "t.csv")
        variables = {axis: {"total": "Total", "codes": AXES[axis][1:]} for axis in axes}
        table = {"name": "t", "file": "t.csv", "value": "n"}
        document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]}
        return release_from_document(document, folder=folder)


def outcome(columns: Mapping[str, Sequence[str]], axes: Sequence[str], *, bare: bool) -> Release | InputError:
    try:
        return read(columns, axes, bare=bare)
    except InputError as error:
        return error


@given(data=st.data())
def test_a_column_that_marks_a_row_is_used_or_refused(data: st.DataObject) -> None:
    # CONVENTION 626
    axes = data.draw(st.sampled_from([["region"], ["region", "sex"]]))
    columns: dict[str, list[str]] = rows_of(axes)
    rows = len(columns["n"])
    name = data.draw(st.sampled_from(NAMES + MUTE))
    yes, no = data.draw(st.sampled_from(YES_NO))
    marked = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows).filter(any))
    if name in MUTE:  # that all rows are alike is no flag, unless its name says so
        marked[0] = not any(marked[1:])
    columns[name] = [yes if mark else no for mark in marked]
    if data.draw(st.booleans()):
        words = data.draw(st.lists(st.sampled_from(["", "published", "frozen"]), min_size=rows, max_size=rows))
        columns["status"] = words
    order = data.draw(st.permutations(list(columns)))
    found = outcome({column: columns[column] for column in order}, axes, bare=data.draw(st.booleans()))
    if isinstance(found, InputError):
        assert name in str(found)
    else:
        statuses = found.tables[0].status.tolist()
        assert all(not Status(status).released for status, mark in zip(statuses, marked, strict=True) if mark)


@given(data=st.data())
def test_plain_variables_stay_what_they_are(data: st.DataObject) -> None:
    # CONVENTION 626
    name = data.draw(st.sampled_from([*NAMES, *MUTE, "smoker", "employed", "marital_status"]))
    codes = data.draw(st.sampled_from([("yes", "no"), ("TRUE", "FALSE"), ("x", "y"), ("Y", "N"), ("c", "d")]))
    total = data.draw(st.sampled_from(["Total", "all"]))
    regions = data.draw(st.sampled_from([["T"], ["T", "A", "B"]]))
    rows = [(region, code) for region in regions for code in (total, *codes)]
    left_out = data.draw(st.sampled_from([None, rows[-1]]))
    table = {
        "region": [region for region, code in rows if (region, code) != left_out],
        name: [code for region, code in rows if (region, code) != left_out],
    }
    value = {total: 2, codes[0]: 1, codes[1]: 1}
    table["n"] = [
        str(100 * value[code] * (2 if region == "T" and len(regions) > 1 else 1))
        for region, code in rows
        if (region, code) != left_out
    ]
    with TemporaryDirectory() as folder:
        (Path(folder) / "t.csv").write_text(written(table), "utf-8")
        document, _ = infer_document(Path(folder) / "t.csv")
    assert set(document["variables"]) == {"region", name}
    assert "status" not in document["tables"][0]


@pytest.mark.parametrize(
    ("name", "entries", "flags"),
    [
        ("suppressed", ["0", "0", "0"], False),
        ("suppressed", ["no", "", "no"], False),
        ("suppressed", ["1", "1", "1"], True),
        ("conf_status", ["N", "N", "N"], True),  # not for publication
        ("conf_status", ["F", "N", "F"], True),
        ("published", ["0", "0", "0"], True),
        ("published", ["1", "1", "1"], False),
        ("is_published", ["1", "0", "1"], True),
        ("suppressed", ["", "", "250"], True),  # the value that is withheld
        ("primary", ["1200", "330", "87"], False),  # pupils of primary schools
        ("suppressed_cells", ["1200", "330", "87"], False),
        ("confidence_low", ["1", "3", "2"], False),
        ("conf", ["A", "B", "F"], True),
        ("education", ["primary", "secondary", "tertiary"], False),
        ("activity", ["Sensitive goods", "Hidden", ""], True),
        ("activity", ["Sensitive goods", "Hidden treasures", ""], False),
        ("weight", ["1", "2", "3"], False),
        ("label", ["A", "B", "C"], False),
        ("note", ["", "see page 3 for the method", ""], False),
        ("flag", ["", "", ""], False),
    ],
)
def test_what_is_taken_for_flags(name: str, entries: list[str], flags: bool) -> None:
    # CONVENTION 626
    assert looks_like_flags(name, Column.of(entries)) is flags


def test_what_another_table_of_the_file_names_is_no_flag(tmp_path: Path) -> None:
    # CONVENTION 626
    (tmp_path / "t.csv").write_text("a;n;firms;flag\nT;90;2;\nk;40;1;\nl;50;1;c\n", "utf-8")
    tables = [
        {"name": "n", "file": "t.csv", "value": "n", "measure": "n"},
        {"name": "f", "file": "t.csv", "value": "firms", "measure": "firms"},
    ]
    document = {
        "tableseal": 1,
        "measures": {"n": {"kind": "count"}, "firms": {"kind": "count"}},
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": tables,
    }
    with pytest.raises(InputError, match='"flag"'):
        release_from_document(document, folder=tmp_path)
    for table in tables:
        table["status"] = "none"
    assert len(release_from_document(document, folder=tmp_path).tables) == 2
    del tables[1]["status"]
    with pytest.raises(InputError, match='"flag"'):  # that of the one table says nothing of the other
        release_from_document(document, folder=tmp_path)


def test_messages_say_what_to_write_and_no_value_that_is_withheld() -> None:
    # CONVENTION 626
    axes = ["region"]
    counts = rows_of(axes)
    for bare in (True, False):
        with pytest.raises(InputError) as error:
            read({**counts, "primary": ["0", "1", "0", "0"]}, axes, bare=bare)
        for mention in ('"primary"', '"1" in 1 of 4 rows', 'map: {"0": published, "1": primary}', "`status: none`"):
            assert mention in str(error.value)
        with pytest.raises(InputError) as error:
            read({**counts, "is_published": ["1", "0", "1", "1"]}, axes, bare=bare)
        assert 'map: {"1": published, "0": withheld}' in str(error.value)
        with pytest.raises(InputError) as error:
            read({**counts, "suppressed": ["", "17", "", ""]}, axes, bare=bare)
        assert "17" not in str(error.value)


def test_flags_that_are_explained_are_used(tmp_path: Path) -> None:
    # CONVENTION 626
    columns = {**rows_of(["region"]), "primary": ["0", "1", "0", "0"]}
    (tmp_path / "t.csv").write_text(written(columns), "utf-8")
    expected = [Status.PUBLISHED, Status.PRIMARY, Status.PUBLISHED, Status.PUBLISHED]
    quick = read_release(tmp_path / "t.csv", status_map={"0": "published", "1": "primary"})
    assert quick.tables[0].status.tolist() == expected
    table = {
        "name": "t",
        "file": "t.csv",
        "value": "n",
        "status": {"column": "primary", "map": {"0": "published", "1": "primary"}},
    }
    variables = {"region": {"total": "Total", "codes": AXES["region"][1:]}}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]}
    assert release_from_document(document, folder=tmp_path).tables[0].status.tolist() == expected


def test_letters_of_reasons_beside_withheld_cells_are_reasons(tmp_path: Path) -> None:
    # CONVENTION 626
    text = "region;n;status;reason\nTotal;90;published;\nA;;withheld;A\nB;;withheld;D\nC;31;published;\n"
    (tmp_path / "t.csv").write_text(text, "utf-8")
    assert read_release(tmp_path / "t.csv").tables[0].reason == ("", "A", "D", "")
    (tmp_path / "t.csv").write_text(text.replace("31;published;", "31;published;B"), "utf-8")
    with pytest.raises(InputError, match='"reason"'):
        read_release(tmp_path / "t.csv")
