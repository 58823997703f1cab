"""Documents keep every scalar as the text that was written; nothing blows up."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io.yaml_text import MAX_DEPTH, as_text, parse_document


def test_scalars_stay_as_written() -> None:
    # CONVENTION 7, 100
    text = "codes: [NO, 010, 12:30, 1e3, 0x1F, yes, 1_000, '', \"~\", 9007199254740993, 2024-01-01]"
    assert parse_document(text, "r.yaml") == {
        "codes": ["NO", "010", "12:30", "1e3", "0x1F", "yes", "1_000", "", "~", "9007199254740993", "2024-01-01"]
    }


def test_plain_nulls_are_nothing_and_quoted_ones_are_text() -> None:
    # CONVENTION 100
    assert parse_document("a: [null, ~, 'null']\nb:\nc: !!str null", "r.yaml") == {
        "a": [None, None, "null"],
        "b": None,
        "c": "null",
    }
    assert parse_document("{null: 1}", "r.yaml") == {"null": "1"}  # a code may be called null


def test_json_keeps_digits() -> None:
    text = '{"v": [9007199254740993, 0.10, 1e400, true, null, "x"]}'
    assert parse_document(text, "r.json", json_only=True) == {
        "v": ["9007199254740993", "0.10", "1e400", "true", None, "x"]
    }
    assert parse_document(text, "r.yaml") == parse_document(text, "r.json", json_only=True)


@given(st.lists(st.sampled_from([*"aé😀", "\\ud83d\\ude00", "\\uD800", "\\udfFF", "\\\\ud800"])), st.booleans())
def test_half_of_a_surrogate_pair_is_no_character(parts: list[str], key: bool) -> None:
    """No report, digest or log can hold it; JSON has an escape for it all the same."""
    written = f'"{"".join(parts)}"'
    text = f'{{"a": [{{{written}: 1}}]}}' if key else f'{{"a": [{written}]}}'
    try:
        json.loads(written).encode()
    except UnicodeEncodeError:
        with pytest.raises(InputError, match=r"r\.json: found \\ud[8-f]\w\w, half of a surrogate pair"):
            parse_document(text, "r.json", json_only=True)
    else:
        found = parse_document(text, "r.json", json_only=True)
        assert found == {"a": [{json.loads(written): "1"} if key else json.loads(written)]}


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a: 1\nb: [1, 2", ["r.yaml line ", "not valid YAML"]),
        ("a: 1\n\tb: 2", ["line 2, column 1"]),
        ("a: 1\na: 2", ["line 2, column 1", '"a"', "twice"]),
        ("a: !!python/object:os.system x", ["line 1", "tag", "python/object"]),
        ("a: !!int 3", ["tag"]),
        ("a: *b", ["*b", "nothing before it"]),
        ("a: &x [*x]", ["*x", "inside"]),
        ("? [a, b]\n: 1", ["key is expected"]),
        ("a: 1\n---\nb: 2", ["line 2", "second document"]),
        ("# nothing", ["nothing in this document"]),
        ("[" * (MAX_DEPTH + 2), ["levels deep"]),
        ("\x07", ["not valid YAML"]),
    ],
)
def test_bad_yaml_is_located(text: str, mentions: list[str]) -> None:
    # CONVENTION 100
    with pytest.raises(InputError) as error:
        parse_document(text, "r.yaml")
    for mention in mentions:
        assert mention in str(error.value)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ('{"a": 1,\n "a": 2}', ["r.json", '"a"', "twice"]),
        ('{"a": NaN}', ["NaN", "expected a number or null"]),
        ('{"a": 1', ["line 1", "not valid JSON"]),
        ("[" * 100_000, ["r.json", "nested too deeply"]),
    ],
)
def test_bad_json_is_located(text: str, mentions: list[str]) -> None:
    with pytest.raises(InputError) as error:
        parse_document(text, "r.json", json_only=True)
    for mention in mentions:
        assert mention in str(error.value)


def test_aliases_work_within_a_budget_and_bombs_are_refused() -> None:
    # CONVENTION 101
    assert parse_document("a: &x [k, l]\nb: *x\nc: &y m\n*y : 1", "r.yaml") == {
        "a": ["k", "l"],
        "b": ["k", "l"],
        "c": "m",
        "m": "1",
    }
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(InputError, match="aliases stand for more than"):
        parse_document("\n".join(lines), "bomb.yaml")


def test_python_documents_become_text() -> None:
    assert as_text({"a": [1, 2.5, True, None, float("nan")], 3: "x"}) == {
        "a": ["1", "2.5", "true", None, None],
        "3": "x",
    }
    with pytest.raises(InputError, match="document: a: found a object"):
        as_text({"a": object()})


scalars = st.none() | st.text(max_size=8)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)


@given(st.dictionaries(st.text(max_size=5), documents, min_size=1, max_size=4))
def test_json_text_reads_back(document: dict[str, object]) -> None:
    assert parse_document(json.dumps(document), "r.json", json_only=True) == document
