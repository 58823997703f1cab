"""One table: columns, codes, status, value and truth, bounds, agency knowledge."""

from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Amounts, Release, Rounding, Status, Table


def release(folder: Path | None = None, **changes: Any) -> Release:
    """A release of one table of a (T: k, l) by default; `table` holds changes to the entry."""
    table = {"name": "t", "cells": {"a": ["T", "k", "l"], "value": [9, 4, 5]}, **changes.pop("table", {})}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [{key: value for key, value in table.items() if value is not None}],
        **changes,
    }
    document = {key: value for key, value in document.items() if value is not None}
    return release_from_document(document, folder=folder)


def table(folder: Path | None = None, **changes: Any) -> Table:
    return release(folder, **changes).tables[0]


def values(amounts: Amounts | None) -> list[int | None]:
    assert amounts is not None
    return [amounts.get(row) for row in range(len(amounts))]


def refusal(folder: Path | None = None, **changes: Any) -> str:
    with pytest.raises(InputError) as error:
        release(folder, **changes)
    return str(error.value)


def cells(**columns: list[Any]) -> dict[str, Any]:
    return {"cells": {"a": ["T", "k", "l"], **columns}}


MAGNITUDE = {"kind": "magnitude", "unit": 0.1}


def test_status_value_and_truth() -> None:
    # CONVENTION 3, 8, 10
    found = table(
        table={
            "cells": {
                "a": ["T", "k", "l", "k", "l", "T", "k"],
                "value": [9, 4, None, 3, None, None, 7],
                "s": ["", "primary", "secondary", "missing", "structural_zero", "published", "frozen"],
            },
            "status": "s",
        }
    )
    words = [Status(int(status)).word for status in found.status]
    # A published row without value is withheld.
    assert words == ["published", "primary", "secondary", "missing", "structural_zero", "withheld", "frozen"]
    # What is published is known to all; a value beside another status is the agency's own.
    assert values(found.value) == [9, None, None, None, None, None, 7]
    assert values(found.truth) == [9, 4, None, 3, 0, None, 7]


def test_a_truth_column() -> None:
    found = table(table=cells(value=[9, None, None], x=[9, 4, None]) | {"truth": "x"})
    assert values(found.value) == [9, None, None]
    assert values(found.truth) == [9, 4, None]


def test_truth_goes_before_a_value_beside_a_withheld_status() -> None:
    # CONVENTION 9
    found = release(table=cells(value=[9, 0, 5], x=[9, 4, 5], s=["", "primary", ""]) | {"truth": "x", "status": "s"})
    assert values(found.tables[0].truth) == [9, 4, 5]
    assert [note.code for note in found.notes] == ["truth_beside_withheld_differs"]


def test_an_impossible_value_beside_a_withheld_status_is_a_warning() -> None:
    # CONVENTION 9
    found = release(table=cells(value=[9, -4, 5], s=["", "primary", ""]) | {"status": "s"})
    assert values(found.tables[0].truth) == [9, None, 5]
    assert [(note.code, note.count) for note in found.notes] == [("impossible_value_beside_withheld", 1)]


def test_rounded_tables_publish_no_truth() -> None:
    # CONVENTION 9
    rounding = {"base": 3, "method": "random"}
    found = table(table=cells(value=[9, 3, 6], s=["", "", "primary"]) | {"status": "s", "rounding": rounding})
    assert found.rounding == Rounding(3, "random")
    assert values(found.value) == [9, 3, None]
    assert values(found.truth) == [None, None, None]
    found = table(table=cells(value=[9, 3, 6], x=[10, 4, None]) | {"truth": "x", "rounding": rounding})
    assert values(found.truth) == [10, 4, None]
    found = table(**MAGNITUDE, table=cells(value=[9, 4.5, 4.5]) | {"rounding": {"base": 0.5, "method": "up"}})
    assert found.rounding == Rounding(5, "up")


def test_bounds_are_rounded_inward_and_distances_up() -> None:
    # CONVENTION 107
    found = table(
        table=cells(value=[9, None, None], lo=[None, 1.2, 0], hi=["", 3.9, 4], l=[1, 1.5, None], u=["", 0, 2.01])
        | {"lower": "lo", "upper": "hi", "protection": {"lower": "l", "upper": "u"}}
    )
    assert values(found.lower) == [None, 2, 0]
    assert values(found.upper) == [None, 3, 4]
    assert values(found.protection_lower) == [1, 2, None]
    assert values(found.protection_upper) == [None, 0, 3]


def test_agency_knowledge() -> None:
    found = table(
        **MAGNITUDE,
        table=cells(value=[9, 4, 5], n=[7, 3, 4], x1=[3, 2, "2.5"], x2=[2, 1, None], c=[9, None, 2.5])
        | {"frequency": "n", "contributors": ["x1", "x2"], "cost": "c"},
    )
    assert values(found.frequency) == [7, 3, 4]
    assert [values(column) for column in found.contributors] == [[30, 20, 25], [20, 10, None]]
    assert found.cost is not None
    assert repr(found.cost.tolist()) == "[9.0, nan, 2.5]"


def test_contributions_are_ordered_by_absolute_value_where_they_may_be_negative() -> None:
    # CONVENTION 111
    found = table(
        **MAGNITUDE,
        intruder={"nonnegative": False},
        table=cells(value=[-9, 4, 5], x1=[-30, 2, 2], x2=[20, -1, 0]) | {"contributors": ["x1", "x2"]},
    )
    assert values(found.contributors[0]) == [-300, 20, 20]
    assert values(found.value) == [-90, 40, 50]


def test_noise_is_rounded_away_and_real_decimals_of_the_agency_are_noted_once_a_column() -> None:
    # CONVENTION 106
    found = release(**MAGNITUDE, table=cells(value=["9.00000001", 4.25, 4.77], status=["", "primary", "primary"]))
    assert values(found.tables[0].value)[0] == 90
    assert values(found.tables[0].truth) == [90, 43, 48]
    assert [(note.code, note.count) for note in found.notes if note.code == "rounded_to_unit"] == [
        ("rounded_to_unit", 2)
    ]
    assert any(note.code == "rounded_to_unit" and 'column "value"' in note.text for note in found.notes)


@pytest.mark.parametrize(("unit", "value", "named"), [(10, [22, 4, 18], "22"), (0.1, [9, 4.25, 4.75], "4.25")])
def test_published_values_are_multiples_of_the_unit(unit: float, value: list[float], named: str) -> None:
    # CONVENTION 106
    with pytest.raises(InputError, match=f'found "{named}", expected a multiple of the unit {unit} '):
        release(kind="magnitude", unit=unit, table=cells(value=value))


def test_contributions_are_rounded_away_from_zero() -> None:
    # CONVENTION 661
    changes = {"intruder": {"nonnegative": False}, "table": cells(value=[9, 4, -5], x=["8.41", "3.9999999", "-4.01"])}
    changes["table"] |= {"contributors": ["x"]}
    found = release(**MAGNITUDE, **changes)
    assert values(found.tables[0].contributors[0]) == [85, 40, -41]
    assert [(note.code, note.count) for note in found.notes] == [("rounded_to_unit", 2)]
    assert "away from 0" in found.notes[0].text


def test_columns_may_have_other_names_and_the_rest_is_at_its_total(tmp_path: Path) -> None:
    # CONVENTION 1, 108
    (tmp_path / "x.csv").write_text("Art;Wert;status\nT;9,5;\nk;4,5;\nl;5;\n")
    variables = {"a": {"total": "T", "codes": ["k", "l"]}, "b": {"total": "all", "codes": ["m"]}}
    found = release(
        tmp_path,
        **MAGNITUDE,
        variables=variables,
        table={"file": "x.csv", "cells": None, "columns": {"Art": "a"}, "value": "Wert"},
    )
    assert found.tables[0].named == ("a",)
    assert found.tables[0].codes.tolist() == [[0, 0], [1, 0], [2, 0]]
    assert values(found.tables[0].value) == [95, 45, 50]
    assert [note.code for note in found.notes] == ["status_column_used"]


def test_a_subpopulation_by_code_and_by_codes() -> None:
    # CONVENTION 15
    variables = {
        "a": {"total": "T", "codes": ["k", "l"]},
        "r": {"total": "W", "tree": {"N": ["N1", "N2"], "S": ["S1", "S2"]}},
        "y": {"codes": ["2024", "2025"]},
    }

    def fixed(where: Any) -> tuple[str, tuple[str, ...]]:
        found = release(variables=variables, table={"where": {"y": "2025", "r": where}})
        codes = found.cell_codes(found.tables[0].codes[1])
        assert (codes["a"], codes["y"]) == ("k", "2025")
        return codes["r"], found.variables["r"].codes

    all_codes = ("W", "N", "N1", "N2", "S", "S1", "S2")
    assert fixed("N1") == ("N1", all_codes)
    assert fixed(["N2", "N1"]) == ("N", all_codes)  # a list that is exactly a group's leaves is that group
    assert fixed(["S", "N"]) == ("W", all_codes)
    assert fixed(["S1", "N"]) == ("N+S1", (*all_codes, "N+S1"))


@pytest.mark.parametrize(
    ("where", "mentions"),
    [
        ({"r": "NX"}, ["tables[0] (t).where.r", '"NX"', '"r"']),
        ({"r": ["N", "N1"]}, ["overlap", '"N1"']),
        ({"q": "N"}, ["where.q", "no such variable", "a, r"]),
        ({"a": "k"}, ['"a"', "fixed by `where`", "also has the column"]),
        ({"r": []}, ["where.r", "at least 1"]),
    ],
)
def test_bad_subpopulations(where: dict[str, Any], mentions: list[str]) -> None:
    # CONVENTION 15
    variables = {
        "a": {"total": "T", "codes": ["k", "l"]},
        "r": {"total": "W", "tree": {"N": ["N1", "N2"], "S": ["S1"]}},
    }
    message = refusal(variables=variables, table={"where": where})
    for mention in mentions:
        assert mention in message


@pytest.mark.parametrize(
    ("changes", "mentions"),
    [
        # unknown code
        ({"table": {"cells": {"a": ["T", "K", "l"], "value": [9, 4, 5]}}},
         ["tables[0] (t).cells row 2", 'column "a"', 'code "K" is not in hierarchy "a"', 'did you mean "k"?']),
        ({"table": {"cells": {"a": ["T", None, "x"], "value": [9, 4, 5]}}},
         ["row 2", 'column "a"', "is empty", "1 more row"]),
        # missing columns
        ({"table": {"value": "turnover"}}, ['no column "turnover"', "the value", "Columns found: a, value"]),
        ({"table": {"truth": "valeu"}}, ['no column "valeu"', "the true value"]),
        ({"table": {"columns": {"A": "a"}}}, ['no column "A"', 'did you mean "a"?', "the codes of a"]),
        ({"table": {"columns": {"a": "b"}}}, ["tables[0] (t).columns", 'no variable "b"', "variables are a"]),
        ({"table": {"columns": {"a": "a", "value": "a"}}}, ['"a" is given two columns']),
        # numbers
        ({"table": cells(value=[9, "four", 5])}, ['cells row 2, column "value"', '"four"', "expected a number"]),
        ({"table": cells(value=[9, -4, 5])}, ["row 2", '"-4"', "a count cannot be negative"]),
        ({**MAGNITUDE, "table": cells(value=[9, -4, 5])}, ["row 2", "negative", "nonnegative: false"]),
        ({"table": cells(value=[9, 4.5, 5])}, ["row 2", '"4.5"', "expected a whole number", "count"]),
        ({"kind": "magnitude", "table": cells(value=[9, 4.5, 5])}, ["row 2", '"4.5"', "`unit: 0.1`"]),
        ({"table": cells(value=[9, "1,234", 5])}, ["row 2", '"1,234"', "decimal comma", 'decimal: ","']),
        ({"table": cells(value=[9, 4, 2**61])}, ["row 3", "2**60"]),
        # status and value
        ({"table": cells(value=[9, None, 5], s=["", "frozen", ""]) | {"status": "s"}},
         ["row 2", "is empty", "frozen", "must have a value"]),
        ({"table": cells(value=[9, 4, 5], s=["", "structural_zero", ""]) | {"status": "s"}},
         ["row 2", 'column "value"', "structural zero"]),
        ({"table": cells(value=[9, 4, 5], s=["", "S", ""]) | {"status": "s"}}, ['row 2, column "s"', '"S"', "scheme"]),
        ({"table": cells(value=[9, 4, 5], x=[9, 3, 5]) | {"truth": "x"}},
         ['row 2, column "x"', "differs", '"value"', "rounding"]),
        # rounding
        ({"table": cells(value=[9, 4, 5]) | {"rounding": {"base": 3, "method": "random"}}},
         ['row 2, column "value"', '"4"', "rounding base 3", "1 more"]),
        ({"table": {"rounding": {"base": 0.5, "method": "up"}}}, ["rounding.base", "0.5", "multiple of the unit 1"]),
        # bounds and knowledge
        ({"table": cells(value=[9, None, 5], lo=["", 5, ""], hi=["", 3, ""]) | {"lower": "lo", "upper": "hi"}},
         ['row 2, column "lo"', '"5"', '"3"', 'column "hi"']),
        ({"table": cells(value=[9, 4, 5], n=[1, -1, 1]) | {"frequency": "n"}}, ['row 2, column "n"', "negative"]),
        ({"table": cells(value=[9, 4, 5], x=[5, 3, 1], y=[1, 4, 1]) | {"contributors": ["x", "y"]}},
         ['row 2, column "y"', "larger", '"x"']),
        ({"table": cells(value=[9, 4, 5], x=[5, None, 1], y=[1, 4, 1]) | {"contributors": ["x", "y"]}},
         ['row 2, column "y"']),
        ({"table": cells(value=[9, 4, 5], c=[1, "x", 1]) | {"cost": "c"}}, ['row 2, column "c"', '"x"', "cost"]),
        ({"table": cells(value=[9, 4, 5], u=[1, -1, 1]) | {"protection": {"upper": "u"}}}, ['row 2, column "u"']),
        # shape of the entry
        ({"table": {"cells": None}}, ["tables[0] (t)", "neither `file` nor `cells`"]),
        ({"table": {"file": "x.csv"}}, ["both `file` and `cells`"]),
        ({"table": {"cells": {"a": ["T", "k"], "value": [1]}}}, ["cells.value", "1 entries", "has 2"]),
        ({"table": {"cells": {"a": [], "value": []}}}, ["has no rows"]),
        ({"table": {"cells": {"a": ["T"], "value": [[1]]}}}, ["cells.value row 1", "expected one value"]),
        ({"table": {"cells": {"a": "T"}}}, ["cells.a", "expected a list"]),
        ({"table": {"cells": "x"}}, ["expected columns"]),
        ({"table": {"measure": "valu"}}, ["tables[0] (t).measure", '"valu"', 'did you mean "value"?']),
        ({"table": {"file": "x.csv", "cells": None}}, ["tables[0] (t).file", "without a folder"]),
        ({"variables": {"a": {"codes": ["T", "k", "l"]}, "y": {"codes": ["2024"]}}},
         ['"y" has no total', "where: {y: ...}"]),
    ],
)  # fmt: skip
def test_bad_tables(changes: dict[str, Any], mentions: list[str]) -> None:
    # CONVENTION 8, 10, 106, 111
    message = refusal(**changes)
    for mention in mentions:
        assert mention in message


@pytest.mark.parametrize(
    ("columns", "entry"),
    [
        ({"value": [9, "7531x", 5], "s": ["", "primary", ""]}, {"status": "s"}),
        ({"value": [9, "7,531", 5], "s": ["", "primary", ""]}, {"status": "s"}),
        ({"value": [9, 7531, 5], "s": ["", "structural_zero", ""]}, {"status": "s"}),
        ({"value": [9, None, 5], "x": [9, -7531, 5]}, {"truth": "x"}),
        ({"value": [9, None, 5], "x": [9, "7531?", 5]}, {"truth": "x"}),
        ({"value": [9, None, 5], "x": [1, "7531?", 5]}, {"frequency": "x"}),
        ({"value": [9, None, 5], "x": [1, 1, 5], "y": [1, 7531, 5]}, {"contributors": ["x", "y"]}),
    ],
)
def test_messages_never_tell_what_is_withheld(columns: dict[str, list[Any]], entry: dict[str, Any]) -> None:
    # CONVENTION 3, 112
    message = refusal(table=cells(**columns) | entry)
    assert "row 2" in message
    assert "531" not in message


def test_files_name_rows_and_lines(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,value\nT,9\n\nk,four\n")
    message = refusal(tmp_path, table={"file": "x.csv", "cells": None})
    assert 'x.csv row 2 (line 4), column "value": found "four"' in message


@pytest.mark.slow
def test_a_million_rows_take_seconds(tmp_path: Path) -> None:
    size = 1000
    codes = [f"c{i}" for i in range(size)]
    rows = (f"{a},{b},{i}.{j % 10}\n" for i, a in enumerate(codes) for j, b in enumerate(codes))
    (tmp_path / "x.csv").write_text("a,b,value\n" + "".join(rows))
    variables = {"a": {"total": "T", "codes": codes}, "b": {"total": "T", "codes": codes}}
    found = table(tmp_path, **MAGNITUDE, variables=variables, table={"file": "x.csv", "cells": None})
    assert len(found.value) == size * size
    assert found.value.get(size * size - 1) == 9999
