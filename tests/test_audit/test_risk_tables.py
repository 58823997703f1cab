"""The leaf counts that risk is measured of: bare matrices, releases, sub-tables, pairs of tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io import release_from_document
from tableseal.audit.io.matrix import is_matrix, matrix_in, read_matrix, read_numbers
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.model.count_table import Axis, CountTable, aligned


def dense(table: CountTable) -> Any:
    return table.dense().tolist()


def bare(text: str, name: str, *, all_cells: bool = False) -> CountTable:
    return CountTable.of_matrix(name, read_matrix(text, name, all_cells=all_cells))


def of_array(values: np.ndarray) -> CountTable:
    axes = tuple(Axis(f"v{k}", tuple(map(str, range(n)))) for k, n in enumerate(values.shape))
    index = np.flatnonzero(values)
    return CountTable(Place("t"), axes, index, values.ravel()[index])


def release(cells: dict[str, list[Any]], **table: Any) -> Any:
    variables = {
        "region": {"total": "T", "tree": {"North": ["N1", "N2"], "South": ["S1"]}},
        "sex": {"total": "T", "codes": ["F", "M"]},
    }
    used = {name: variable for name, variable in variables.items() if name in cells}
    entry = {"name": "t", "cells": cells, "value": "n", **table}
    kind = table.pop("kind", {"kind": "count"})
    entry.pop("kind", None)
    return release_from_document({"tableseal": 1, "title": "x", **kind, "variables": used, "tables": [entry]})


FULL = {
    "region": ["N1", "N1", "N2", "N2", "S1", "S1", "North", "T", "T"],
    "sex": ["F", "M", "F", "M", "F", "M", "F", "T", "F"],
    "n": [1, 2, 3, 0, 5, 6, 4, 17, 9],
}


def test_leaf_cells_only() -> None:
    """CONVENTION 240: totals and groups are left out."""
    found = leaf_counts(release(FULL))
    assert [axis.codes for axis in found.axes] == [("N1", "N2", "S1"), ("F", "M")]
    assert dense(found) == [[1, 2], [3, 0], [5, 6]]
    assert found.cells == 6


def test_groups_may_be_asked_for() -> None:
    found = leaf_counts(release(FULL))
    assert dense(found.where({"region": ["North"]})) == [[1, 2], [3, 0]]
    assert dense(found.where({"region": ["South"], "sex": ["T"]})) == [5, 6]
    assert dense(found.where({"region": ["N2", "S1"], "sex": ["F"]})) == [3, 5]
    with pytest.raises(InputError, match='no code "N3"'):
        found.where({"region": ["N3"]})
    with pytest.raises(InputError, match='no variable "age"; variables are region, sex'):
        found.where({"age": ["1"]})


def test_a_table_of_groups_has_groups_as_leaves() -> None:
    """CONVENTION 240: the finest level that the table lists."""
    found = leaf_counts(release({"region": ["North", "South", "T"], "n": [4, 5, 9]}))
    assert found.axes[0].codes == ("North", "South")
    assert dense(found) == [4, 5]


def test_rows_that_are_not_there() -> None:
    """CONVENTION 240."""
    cells = {name: entries[:5] + entries[6:7] for name, entries in FULL.items()}
    assert dense(leaf_counts(release(cells))) == [[1, 2], [3, 0], [5, 0]]
    with pytest.raises(InputError, match="1 leaf cell has no row"):
        leaf_counts(release(cells, absent={"leaves": "not_released"}))


def test_true_and_published_counts() -> None:
    """CONVENTION 240: the original is what is true, the protected table what is published."""
    cells = {"sex": ["F", "M"], "n": [3, 6], "true": [4, 5]}
    both = release(cells, truth="true", rounding={"base": 3, "method": "random"})
    assert dense(leaf_counts(both)) == [4, 5]
    assert dense(leaf_counts(both, published=True)) == [3, 6]
    with pytest.raises(InputError, match=r"cell sex=F has no count; .*true value"):
        leaf_counts(release({"sex": ["F", "M"], "n": [3, 6]}, rounding={"base": 3, "method": "random"}))


def test_withheld_counts() -> None:
    """CONVENTION 240: a value beside a withheld status is true, and published it is not."""
    cells = {"sex": ["F", "M"], "n": [3, 6], "s": ["primary", "structural_zero"]}
    cells["n"][1] = 0
    withheld = release(cells, status="s")
    assert dense(leaf_counts(withheld)) == [3, 0]
    with pytest.raises(InputError, match="cell sex=F has no count") as caught:
        leaf_counts(withheld, published=True)
    assert "3" not in str(caught.value)


def test_magnitudes_are_no_counts() -> None:
    """CONVENTION 240."""
    with pytest.raises(InputError, match="is a magnitude"):
        leaf_counts(release({"sex": ["F", "M"], "n": [3, 6]}, kind={"kind": "magnitude", "unit": 1}))
    with pytest.raises(InputError, match="sex=M has a fractional value"):
        leaf_counts(release({"sex": ["F", "M"], "n": [3, "6.5"]}, kind={"kind": "magnitude", "unit": "0.1"}))
    kind = {"kind": "magnitude", "unit": 1, "intruder": {"nonnegative": False}}
    with pytest.raises(InputError, match="sex=M has a negative value"):
        leaf_counts(release({"sex": ["F", "M"], "n": [3, -6]}, kind=kind))


def test_a_cell_that_is_listed_twice() -> None:
    twice = {"sex": ["F", "M", "F"], "n": [3, 6, 3]}
    assert dense(leaf_counts(release(twice))) == [3, 6]
    twice["n"][2] = 4
    with pytest.raises(InputError, match="cell sex=F is listed twice, with two values"):
        leaf_counts(release(twice))


def test_a_negative_count() -> None:
    """CONVENTION 240."""
    kind = {"kind": "count", "intruder": {"nonnegative": False}}
    with pytest.raises(InputError, match="cell sex=M has a negative count"):
        leaf_counts(release({"sex": ["F", "M"], "n": [3, -6]}, kind=kind))


def test_a_table_with_more_cells_than_can_be_numbered() -> None:
    names = [f"v{k}" for k in range(7)]
    codes = [f"c{k}" for k in range(700)]
    document = {
        "tableseal": 1,
        "title": "x",
        "kind": "count",
        "variables": {name: {"codes": codes} for name in names},
        "tables": [{"name": "t", "cells": {**dict.fromkeys(names, codes), "value": [1] * 700}}],
    }
    with pytest.raises(LimitError, match=r"more than 2\^62"):
        leaf_counts(release_from_document(document))


def test_which_table() -> None:
    two = release_from_document(
        {
            "tableseal": 1,
            "title": "x",
            "kind": "count",
            "variables": {"sex": {"total": "T", "codes": ["F", "M"]}, "age": {"total": "T", "codes": ["0", "1"]}},
            "tables": [
                {"name": "a", "cells": {"sex": ["F", "M"], "value": [3, 6]}},
                {"name": "b", "cells": {"age": ["0", "1"], "value": [2, 7]}},
            ],
        }
    )
    with pytest.raises(InputError, match=r"2 tables \(a, b\); say which with table"):
        leaf_counts(two)
    with pytest.raises(InputError, match='no table "c"; tables are a, b'):
        leaf_counts(two, table="c")
    found = leaf_counts(two, table="b")
    assert [axis.name for axis in found.axes] == ["age"]
    assert dense(found) == [2, 7]


@given(arrays(np.int64, array_shapes(min_dims=1, max_dims=4, max_side=4), elements=st.integers(0, 3)), st.data())
def test_slices_and_sub_tables_are_those_of_the_array(values: np.ndarray, data: st.DataObject) -> None:
    """CONVENTION 246."""
    table = of_array(values)
    assert (table.dense() == values).all()
    slices = list(table.slices())
    wide = [axis for axis, size in enumerate(values.shape) if size > 1]
    expected = [(f"v{axis}", str(k)) for axis in wide for k in range(values.shape[axis])] if len(wide) > 1 else []
    assert [(s.axis, s.code) for s in slices] == expected
    for s in slices:
        part = values.take(int(s.code), axis=int(s.axis[1:]))
        assert s.cells == part.size
        assert sorted(table.values[s.support]) == sorted(part[part > 0])
    axis = data.draw(st.integers(0, values.ndim - 1))
    chosen = sorted(data.draw(st.sets(st.integers(0, values.shape[axis] - 1), min_size=1)))
    cut = values.take(chosen, axis=axis)
    found = table.where({f"v{axis}": [str(k) for k in chosen]})
    assert (found.dense().ravel() == cut.ravel()).all()


def test_two_tables_by_their_codes() -> None:
    """CONVENTION 242."""
    original = leaf_counts(release(FULL))
    other = {"sex": ["M", "F", "M"], "region": ["N2", "N1", "S1"], "n": [3, 3, 6]}
    first, second = aligned(original, leaf_counts(release(other), published=True))
    assert dense(first) == [[1, 2], [3, 0], [5, 6]]
    assert dense(second) == [[3, 0], [0, 3], [0, 6]]
    assert (first.index == second.index).all()


@pytest.mark.parametrize(
    ("protected", "said"),
    [
        ("1,2\n3,4\n5,6\n", "b.csv: has 3 x 2 cells, expected 2 x 2 as in a.csv"),
        ("1,2,9\n3,4,9\n", "b.csv: has 2 x 3 cells, expected 2 x 2"),
        ("1,2\n", "b.csv: has 1 x 2 cells, expected 2 x 2"),
    ],
)
def test_matrices_of_different_shapes(protected: str, said: str) -> None:
    """CONVENTION 242."""
    with pytest.raises(InputError, match=said):
        aligned(bare("1,2\n3,5\n", "a.csv"), bare(protected, "b.csv", all_cells=True))


def test_tables_of_different_variables() -> None:
    with pytest.raises(InputError, match=r"b.csv: has the variables row, column, expected those of .*: region, sex"):
        aligned(leaf_counts(release(FULL)), bare("1,2\n3,4\n", "b.csv"))


@pytest.mark.parametrize(
    "text", ["1,2\n3,5\n", "1;2\n3;5\n", "1\t2\n\n3\t5", " 1, 2\n3, 5.0\n", "1;2,0\n3;5,0\n", "1;2\n3;5e0\n"]
)
def test_bare_matrices(text: str) -> None:
    assert is_matrix(text)
    assert read_matrix(text, "a.csv").tolist() == [[1, 2], [3, 5]]
    assert dense(bare(text, "a.csv")) == [[1, 2], [3, 5]]


def test_a_header_is_no_matrix() -> None:
    """CONVENTION 241."""
    assert not is_matrix("sex,n\nF,3\n")
    assert not is_matrix(",2001,2002\nF,3,4\n")
    assert not is_matrix("sex,2001\nF,3\n")


def test_what_looks_like_numbers_is_read_as_numbers() -> None:
    """So that the message is about the entry that is wrong, not about column names."""
    assert all(map(is_matrix, ("1,nan\n", "inf,1\n", "1,,3\n")))
    assert not is_matrix('1,"2\n3,4\n')


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("1,2\n3,5\n")
    (tmp_path / "a.csv").write_text("1,2\n3,5\n")
    (tmp_path / "h.csv").write_text("v,n\na,5\n")
    assert matrix_in(tmp_path / "a.yaml") is matrix_in(tmp_path / "h.csv") is None
    found = matrix_in(tmp_path / "a.csv")
    assert found is not None
    assert found.tolist() == [[1, 2], [3, 5]]
    with pytest.raises(InputError, match=r"b\.csv: there is no such file"):
        matrix_in(tmp_path / "b.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3,-4\n", r"a.csv row 2 \(line 2\), column 2: found \"-4\", a negative or fractional count"),
        ("1,2\n\n3.5,4\n", r"a.csv row 2 \(line 3\), column 1: found \"3.5\", a negative or fractional count"),
        ("1,2\n3,x\n", 'column 2: found "x", no number'),
        ("1,2\n3,\n", 'column 2: found "", no number'),
        ("1,2\n3\n", r"a.csv row 2 \(line 2\): found 1 entry, expected 2 as in the first row"),
        (f"1,2\n3,{2**60 + 1}\n", "more than the largest count"),
        ("1,nan\n2,3\n", r'a.csv row 1 \(line 1\), column 2: found "nan", no number'),
        ("inf,1\n2,3\n", 'row 1 .*, column 1: found "inf", no number'),
        ("1,,3\n2,3,4\n", 'row 1 .*, column 2: found "", no number'),
        ("1,2,3\n4,5,9\n", "the last column is the sum"),
        ("1,2\n4,5\n5,7\n", "the last row is the sum"),
        ("1,2,3\n4,5,9\n5,7,12\n", "the last row and the last column"),
        ("1,1\n1,1\n", "the last row and the last column"),
    ],
)
def test_matrices_that_cannot_be_used(text: str, said: str) -> None:
    """CONVENTION 241."""
    with pytest.raises(InputError, match=said):
        read_matrix(text, "a.csv")


@pytest.mark.parametrize("text", ["107,107\n", "1,2\n1,2\n", "0,0,0\n0,0,0\n0,0,0\n"])
def test_what_only_looks_like_a_margin(text: str) -> None:
    """CONVENTION 241: one line that equals one other is no sum."""
    assert read_matrix(text, "a.csv").size > 1


def test_a_sum_may_be_a_cell() -> None:
    """CONVENTION 241."""
    assert read_matrix("1,2,3\n4,5,9\n", "a.csv", all_cells=True).tolist() == [[1, 2, 3], [4, 5, 9]]


def test_counts_of_a_quadrillion_do_not_overflow() -> None:
    largest = 10**15
    found = bare(f"{largest},1\n2,{largest}\n", "a.csv")
    assert int(found.values.sum()) == 2 * largest + 3
    with pytest.raises(InputError, match=r"sum to more than 2\^62"):
        CountTable(Place("t"), (Axis("v", ("a", "b")),), np.arange(2), np.array([2**62, 2**62 - 1]))


@pytest.mark.parametrize(("text", "said"), [("0.5,0.5\n1\n", "found 1 entry, expected 2"), ("1,y\n", 'found "y"')])
def test_numbers_that_are_none(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_numbers(text, "p.csv")
