"""A status column that the release does not name: used, refused, or said to be none; never passed over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release, Status
from tableseal.audit.model.status import WORDS

WITHHOLDING = [word for word, status in WORDS.items() if status.withheld]


def release(cells: dict[str, Any], status_map: dict[str, str] | None = None, **table: Any) -> Release:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "k", "l"], "value": [9, 4, 5], **cells}, **table}],
    }
    return release_from_document(document, source="r.yaml", status_map=status_map)


def refusal(cells: dict[str, Any], **table: Any) -> str:
    with pytest.raises(InputError) as error:
        release(cells, **table)
    return str(error.value)


@given(
    name=st.sampled_from(["status", "Status", "STATUS"]),
    words=st.lists(st.sampled_from([*WORDS]), min_size=3, max_size=3),
)
def test_a_column_called_status_is_used_as_if_it_were_named(name: str, words: list[str]) -> None:
    # CONVENTION 540
    values = [
        None if WORDS[word] is Status.STRUCTURAL_ZERO else value for word, value in zip(words, [9, 4, 5], strict=True)
    ]
    found = release({name: words, "value": values})
    assert (
        found.tables[0].status.tolist()
        == release({name: words, "value": values}, status=name).tables[0].status.tolist()
    )
    assert [note.code for note in found.notes] == ["status_column_used"]


@pytest.mark.parametrize("flag", ["S", "c", "confidential", "final"])
def test_flags_in_it_that_are_no_words_are_an_error_that_says_what_to_write(flag: str) -> None:
    # CONVENTION 540
    message = refusal({"Status": ["", "primary", flag]})
    for mention in ('row 3, column "Status"', f'"{flag}"', "tau-argus", "sdmx-obs", "`status: none`"):
        assert mention in message


def test_flags_that_the_command_line_explains_are_used() -> None:
    # CONVENTION 540
    found = release({"status": ["", "c", "c"]}, {"c": "withheld"}).tables[0]
    assert found.status.tolist() == [Status.PUBLISHED, Status.WITHHELD, Status.WITHHELD]


@pytest.mark.parametrize("word", WITHHOLDING)
def test_words_that_withhold_are_never_passed_over(word: str) -> None:
    # CONVENTION 540
    message = refusal({"reason": ["", word, ""]})
    assert '"reason"' in message
    assert "`status: none`" in message
    assert '"OBS_STATUS"' in refusal({"OBS_STATUS": ["A", "Q", "Q"]})


def test_what_the_table_says_goes_first() -> None:
    # CONVENTION 540
    cells = {"status": ["", "primary", "secondary"], "conf": ["", "", ""]}
    for said in ("none", [], "conf"):
        found = release(cells, status=said)
        assert found.tables[0].status.tolist() == [0, 0, 0]
        assert found.notes == ()
    found = release(cells, status=None)
    assert found.tables[0].status.tolist() == [Status.PUBLISHED, Status.PRIMARY, Status.SECONDARY]
    assert "status, Status" in refusal({"status": ["", "", ""], "Status": ["", "", ""]})


def test_a_classification_or_a_value_of_that_name_is_no_status() -> None:
    # CONVENTION 540
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"status": {"total": "T", "codes": ["primary", "secondary"]}},
        "tables": [
            {"name": "t", "cells": {"status": ["T", "primary", "secondary"], "Status": [9, 4, 5]}, "value": "Status"}
        ],
    }
    assert release_from_document(document).tables[0].status.tolist() == [0, 0, 0]


def test_the_letter_e_of_tau_argus_is_a_published_zero() -> None:
    # CONVENTION 541
    found = release({"value": [4, 4, 0], "s": ["S", "S", "E"]}, status={"column": "s", "scheme": "tau-argus"}).tables[0]
    assert found.status.tolist() == [0, 0, 0]
    assert found.value.get(2) == 0
