"""DataFrames of every kind at the door: the same release, and never a withheld cell that became something else."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import MAKERS, PERSONS, WITHHELD, frame, values
from hypothesis import given, settings
from hypothesis import strategies as st

import tableseal as ts
from tableseal.audit.io import release_digest
from tableseal.audit.model import Status

TABLE = pd.DataFrame(WITHHELD)
TRUE = pd.DataFrame(PERSONS)
REFERENCE = release_digest(ts.read(pl.DataFrame(WITHHELD), value="persons"))


def same(data: Any, **keywords: Any) -> bool:
    """Whether a frame is read as the plain one of polars."""
    return release_digest(ts.read(data, value="persons", **keywords)) == REFERENCE


@pytest.mark.parametrize("kind", MAKERS)
def test_every_library(kind: str) -> None:
    assert same(frame(kind, WITHHELD))


@pytest.mark.parametrize(
    "data",
    [
        TABLE.set_index(["district", "sex"]),
        TABLE.set_index("district"),
        TABLE.set_index(["district", "sex"])["persons"],
        TABLE.set_index(pd.Index(range(9, 18))),
        TABLE.set_index(np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])),
        TABLE.rename_axis("row").reset_index(drop=True),
        TABLE.astype({"district": "category", "sex": "category"}),
        TABLE.astype({"district": pd.CategoricalDtype(["South", "North", "Total", "unused"])}),
        TABLE.astype({"persons": "Int64"}),
        TABLE.astype({"persons": "Float32"}),
        TABLE.astype({"persons": "int64[pyarrow]"}),
        TABLE.astype({"district": "string[pyarrow]", "sex": object}),
        TABLE.assign(persons=[pd.NA, *PERSONS["persons"][1:]]),
        TABLE.assign(
            persons=[None, 17, "19", 14.0, np.int64(21), Decimal(35), Fraction(16), np.float32(38), True + 53]
        ),
        TABLE.assign(persons=[float("nan"), *map(str, PERSONS["persons"][1:])]),
        pl.DataFrame(WITHHELD).with_columns(pl.col("sex").cast(pl.Categorical), pl.col("persons").cast(pl.UInt8)),
        pl.DataFrame(WITHHELD).with_columns(pl.col("persons").cast(pl.Decimal(10, 2))),
        pa.table(WITHHELD).set_column(0, "district", pa.array(WITHHELD["district"]).dictionary_encode()),
    ],
)
def test_unusual_columns_and_indexes(data: Any) -> None:
    # CONVENTION 670
    assert same(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (TABLE.set_axis(list("abcdefghi")), "the index has no name and holds more than row numbers"),
        (TABLE.set_index(pd.date_range("2024", periods=9)), "the index has no name and holds more than row numbers"),
        (TABLE.set_index(["district", "sex"]).rename_axis([None, "sex"]), "levels of the index have no name"),
        (TABLE.set_index("district", drop=False), "district is a level of the index and a column"),
        (TABLE.set_axis(pd.MultiIndex.from_product([["a"], list("xyz")]), axis=1), "its columns have several levels"),
        (TABLE.assign(sex=pd.period_range("2024", periods=9)), "holds Period objects, expected text or numbers"),
        (TABLE.assign(sex=[["F"]] * 9), "holds list objects, expected text or numbers"),
    ],
)
def test_what_is_not_clear_is_an_error(data: Any, said: str) -> None:
    with pytest.raises(ts.InputError, match=said):
        ts.read(data, value="persons")


def test_codes_keep_their_type() -> None:
    """Whole numbers come back as such, so that a result can be joined to what came in; also where a missing value made
    floats of them."""
    table = TABLE.assign(district=[1, 1, 1, 2, 2, 2, 0, 0, 0])
    found = ts.audit(table, value="persons", total={"district": 0, "sex": "Total"}).to_frame()
    assert found["district"].tolist() == [1]
    assert len(found.merge(table, on=["district", "sex"])) == 1
    floats = ts.audit(table.astype({"district": float}), value="persons", total={"district": 0, "sex": "Total"})
    assert floats.to_frame()["district"].tolist() == [1]


def test_dates_are_codes() -> None:
    days = [dt.date(2024, 1, day) for day in (1, 1, 1, 2, 2, 2)]
    table = pl.DataFrame({"day": days, "sex": ["F", "M", "Total"] * 2, "persons": [2, 17, 19, 14, 21, 35]})
    release = ts.read(table, value="persons", total={"day": None, "sex": "Total"})
    assert release.variables["day"].codes == ("2024-01-01", "2024-01-02")
    assert release.variables["day"].total is None


def test_numbers_with_three_decimals_are_no_thousands() -> None:
    table = pl.DataFrame({"a": ["x", "y", "Total"], "v": [1.234, 2.345, 3.579]})
    assert ts.read(table, value="v").measures["value"].unit == Fraction(1, 1000)


def test_what_adding_up_leaves_behind_needs_a_unit() -> None:
    # CONVENTION 671
    table = pl.DataFrame({"a": ["x", "y", "Total"], "v": [0.1, 0.2, 0.1 + 0.2]})
    with pytest.raises(ts.InputError, match="pass the published precision, such as unit=") as error:
        ts.read(table, value="v")
    assert "0000004" not in str(error.value)
    assert ts.read(table, value="v", unit=0.1).tables[0].value.units.tolist() == [1, 2, 3]


def test_a_mask_or_a_column_says_what_is_sensitive() -> None:
    # CONVENTION 672
    wanted = [Status.PRIMARY, *[Status.PUBLISHED] * 8]
    for data, primary in (
        (TRUE, TRUE["persons"] < 5),
        (TRUE, (TRUE["persons"] < 5).to_numpy()),
        (TRUE, (TRUE["persons"] < 5).tolist()),
        (TRUE.assign(unsafe=TRUE["persons"] < 5), "unsafe"),
        (TRUE.assign(unsafe=(TRUE["persons"] < 5).astype(int)), "unsafe"),
        (pl.DataFrame(PERSONS), pl.DataFrame(PERSONS)["persons"] < 5),
        (pa.table(PERSONS), pa.array([value < 5 for value in PERSONS["persons"]])),
    ):
        (table,) = ts.read(data, value="persons", primary=primary).tables
        assert table.status.tolist() == wanted
        assert not table.value.known[0]  # not published
        assert table.truth.units[0] == 2


def test_the_more_restrictive_of_status_and_mask_wins() -> None:
    table = TRUE.assign(status=["", "secondary", *[""] * 7])
    found = ts.read(table, value="persons", status="status", primary=table["persons"] < 5)
    assert found.tables[0].status.tolist()[:3] == [Status.PRIMARY, Status.SECONDARY, Status.PUBLISHED]


def test_a_column_that_is_not_named_but_says_what_is_withheld_is_asked_for() -> None:
    table = TRUE.assign(note=["suppressed", *[None] * 8])
    with pytest.raises(ts.InputError, match="seems to say which cells are withheld"):
        ts.read(table, value="persons", variables=["district", "sex"])
    assert (
        ts.read(table, value="persons", variables=["district", "sex"], status="none").title
        == "persons by district, sex"
    )


def test_hierarchies_in_every_form(tmp_path: Path) -> None:
    # CONVENTION 673
    table = TABLE.assign(district=["N1", "N1", "N1", "N2", "N2", "N2", "N", "N", "N"], sex=["F", "M", "Total"] * 3)
    (tmp_path / "d.hrc").write_text("N\n@N1\n@N2\n")
    pairs = {"code": ["N", "N1", "N2"], "parent": [None, "N", "N"]}
    pl.DataFrame(pairs).write_csv(tmp_path / "d.csv")
    levels = pd.DataFrame({"broad": ["N", "N"], "fine": ["N1", "N2"]})
    forms = [
        {"N": ["N1", "N2"]},
        tmp_path / "d.hrc",
        str(tmp_path / "d.csv"),
        pd.DataFrame(pairs),
        pa.table(pairs),
        levels,
    ]
    digests = {
        release_digest(ts.read(table, value="persons", total={"sex": "Total"}, hierarchies={"district": form}))
        for form in forms
    }
    assert len(digests) == 1
    found = ts.audit(table, value="persons", hierarchies={"district": forms[0]})
    assert found.to_frame()["upper"].tolist() == [2]


def test_keywords_work_with_bare_files(tmp_path: Path) -> None:
    TRUE.assign(other=1.5, flag=["c", *[""] * 8]).to_csv(tmp_path / "t.csv", index=False)
    release = ts.read(
        tmp_path / "t.csv", value="persons", variables=["district", "sex"], status="flag", status_map={"c": "primary"}
    )
    assert release.tables[0].status.tolist() == [Status.PRIMARY, *[Status.PUBLISHED] * 8]
    with pytest.raises(ts.InputError, match=r't.csv: there is no column "people"'):
        ts.read(tmp_path / "t.csv", value="people")


def test_text_values_with_marks() -> None:
    table = pl.DataFrame({"a": ["x", "y", "z", "Total"], "n": ["<5", "-", "12", "15"]})
    with pytest.raises(ts.InputError, match="pass marks="):
        ts.read(table, value="n")
    found = ts.audit(table, value="n", marks={"-": "zero", "<5": [0, 4]})
    assert found.to_frame()["upper"].to_list() == [3]


CELLS = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=4, max_size=4)


@settings(max_examples=40, deadline=None)
@given(CELLS, st.sampled_from(sorted(MAKERS)), st.booleans())
def test_a_withheld_cell_is_never_a_number(cells: list[tuple[int, bool]], kind: str, as_floats: bool) -> None:
    """2 x 2 with margins: what is withheld (nothing in the frame) has no value in the release, and in no result but as
    far as its interval goes; what is published is as it was."""
    (a, b, c, d) = (n for n, _ in cells)
    inner = [None if hidden else n for n, hidden in cells]
    margins = [a + b, c + d, a + c, b + d, a + b + c + d]
    order = [inner[0], inner[1], margins[0], inner[2], inner[3], margins[1], *margins[2:]]
    number = float if as_floats else int
    column = [None if value is None else number(value) for value in order]
    data = frame(
        kind,
        {
            "r": ["1"] * 3 + ["2"] * 3 + ["T"] * 3,
            "c": ["1", "2", "T"] * 3,
            "n": column,
        },
    )
    release = ts.read(data, value="n", total="T")
    (table,) = release.tables
    assert table.value.known.tolist() == [value is not None for value in order]
    assert [u for u, known in zip(table.value.units, table.value.known, strict=True) if known] == [
        value for value in order if value is not None
    ]
    assert (table.status >= Status.SECONDARY).tolist() == [value is None for value in order]
    found = ts.audit(data, value="n", total="T")
    open_cells = [cell for cell in found.cells if cell.status == "withheld"]
    assert len(open_cells) == sum(value is None for value in order)
    truth = {("1", "1"): a, ("1", "2"): b, ("2", "1"): c, ("2", "2"): d}
    for cell in open_cells:
        value = truth[cell.cell[0][1], cell.cell[1][1]]
        assert cell.truth is None
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.lower <= value <= cell.upper
    shown = found.to_frame()
    assert values(shown, "truth") == [None] * len(found.cells)
