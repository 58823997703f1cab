"""Columns as arrays, and large plain text read by polars: the same entries as text read line by line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import delimited, plain_text
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import read_delimited

ENTRY = st.none() | st.text("ab ", max_size=2)
FIELD = st.text('ab 1.;,\\"\t', max_size=3)


@given(st.lists(ENTRY), st.data())
def test_a_column_is_the_sequence_of_its_entries(entries: list[str | None], data: st.DataObject) -> None:
    column = Column.of(entries)
    assert list(column) == entries == [column[row] for row in range(len(column))]
    assert column.texts == tuple(dict.fromkeys(entries))
    assert [column.first(text) for text in column.texts] == [entries.index(text) for text in column.texts]
    assert column.counts().tolist() == [entries.count(text) for text in column.texts]
    wanted = set(data.draw(st.lists(ENTRY)))
    assert column.rows_with(wanted).tolist() == [row for row, entry in enumerate(entries) if entry in wanted]
    assert list(column.rewritten(lambda text: text or "")) == [entry or "" for entry in entries]
    assert len(set(column.rewritten(lambda text: text or "").texts)) == len(
        column.rewritten(lambda text: text or "").texts
    )
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(entries), max_size=len(entries))), np.bool_)
    assert list(column.at(kept)) == [entry for entry, keep in zip(entries, kept, strict=True) if keep]


def either_way(text: str, patch: pytest.MonkeyPatch) -> list[Columns | str]:
    """What is read, or the message, with polars and without."""
    found: list[Columns | str] = []
    for least in (0, len(text) + 1):
        patch.setattr(plain_text, "WORTH_IT", least)
        try:
            found.append(read_delimited(text, "x.csv"))
        except InputError as error:
            found.append(str(error))
    return found


@given(st.lists(st.lists(FIELD, min_size=1, max_size=3), max_size=5), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_polars_reads_what_is_read_line_by_line(rows: list[list[str]], ending: str, last: bool) -> None:
    text = ending.join(["a,b", *(",".join(row) for row in rows)]) + ending * last
    with pytest.MonkeyPatch.context() as patch:
        quick, slow = either_way(text, patch)
    if isinstance(quick, Columns) and isinstance(slow, Columns):
        assert dict(quick.data) == dict(slow.data)
        assert [column.texts for column in quick.data.values()] == [column.texts for column in slow.data.values()]
        assert quick.lines is not None
        assert slow.lines is not None
        assert quick.lines.tolist() == slow.lines.tolist()
    else:
        assert quick == slow


def test_large_plain_text_is_read_by_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a,n\nx,1\ny,\nx,3\n"
    monkeypatch.setattr(plain_text, "WORTH_IT", 0)
    monkeypatch.setattr(delimited, "_read", lambda *_: pytest.fail("it was read line by line"))
    found = read_delimited(text, "x.csv")
    assert {name: list(column) for name, column in found.data.items()} == {"a": ["x", "y", "x"], "n": ["1", "", "3"]}
    assert found.place(1, "n").line == 3
