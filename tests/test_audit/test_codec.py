"""One codec for results: whatever a class declares is written, read back, described, laid out, and confidential."""

import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from result_classes import records

from tableseal.api.schemas import SCHEMAS, documents, schema
from tableseal.audit.codec.declared import HIDDEN, INLINE, PUBLIC, ROW, SPARSE, Key, derived
from tableseal.audit.codec.documents import document_of, json_of, record_from_json, schema_of
from tableseal.audit.codec.kinds import Also, Codes, Count, Limited, Rounded, kind_of
from tableseal.audit.codec.layout import layout
from tableseal.audit.codec.public import public_part
from tableseal.audit.errors import InputError

COMMITTED = Path(__file__).parents[1] / "data" / "schemas"


@dataclass(frozen=True)
class Sum:
    """A sum."""

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """A share."""

    of: str
    percent: Fraction | None


class Factor(NamedTuple):
    """A factor and what it multiplies."""

    factor: Fraction
    what: Sum | Share


@dataclass(frozen=True)
class Draw:
    """How it was drawn."""

    seed: Count
    runs: Annotated[int, Also({"minimum": 1})]


class Line(NamedTuple):
    """One line."""

    codes: Codes
    ends: tuple[Fraction | None, Fraction | None] | None
    draw: Draw
    more: Annotated[str | None, SPARSE] = None


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Something whole. It has a field of every form.

    This is for those who read the code.
    """

    schema: ClassVar[Literal["test/1"]] = "test/1"
    title: Annotated[str, "Its title.", Key("release.title", "What it is about.")]
    digest: Annotated[str | None, Key("release.digest")]
    kept: Annotated[int, HIDDEN] = 0
    bits: Annotated[Limited | None, "Its bits."]
    mean: Rounded
    number: int | float | None
    word: Literal["a", "b"] | None
    values: dict[str, Fraction]
    factors: tuple[Annotated[Factor, ROW], ...]
    lines: tuple[Line, ...]
    draw: Annotated[Draw | None, INLINE] = None
    notes: Annotated[tuple[str, ...], SPARSE] = ()

    @derived(after="title", key="release.length", group="unused")
    def length(self) -> Count:
        """Length of the title."""
        return len(self.title)


texts = st.text(max_size=6)
decimals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-(2**40), 2**40), st.integers(0, 4))
floats = st.floats(0, 60).map(lambda x: float(f"{x:.6g}"))
draws = st.builds(Draw, st.integers(0, 9), st.integers(1, 9))
codes = st.dictionaries(texts, texts, max_size=2).map(lambda found: tuple(found.items()))
lines = st.builds(
    Line, codes, st.none() | st.tuples(st.none() | decimals, st.none() | decimals), draws, st.none() | texts
)
wholes = st.builds(
    Whole,
    title=texts,
    digest=st.none() | texts,
    bits=st.none() | floats | st.just(inf),
    mean=floats,
    number=st.none() | st.integers(0, 9) | floats,
    word=st.sampled_from(["a", "b", None]),
    values=st.dictionaries(texts, decimals, max_size=2),
    factors=st.lists(
        st.builds(
            Factor,
            decimals,
            st.builds(Sum, st.lists(texts, max_size=2).map(tuple)) | st.builds(Share, texts, st.none() | decimals),
        ),
        max_size=2,
    ).map(tuple),
    lines=st.lists(lines, max_size=3).map(tuple),
    draw=st.none() | draws,
    notes=st.lists(texts, max_size=2).map(tuple),
)
SCHEMA = jsonschema.Draft202012Validator(schema_of(Whole))


@given(wholes)
def test_every_form_is_written_described_and_read_back(whole: Whole) -> None:
    text = json_of(whole)
    SCHEMA.validate(json.loads(text))
    assert record_from_json(Whole, text, what="whole") == whole


def test_what_is_written() -> None:
    line = Line((("a", "T"),), (Fraction(1, 2), None), Draw(0, 3))
    whole = Whole(
        title="abc", digest=None, kept=7, bits=inf, mean=1 / 3, number=None, word="a", values={"x": Fraction(1)},
        factors=(Factor(Fraction(2), Sum(("k",))),), lines=(line,), draw=Draw(5, 1),
    )  # fmt: skip
    assert json.loads(json_of(whole)) == {
        "schema": "test/1",
        "release": {"title": "abc", "length": 3, "digest": None},
        "bits": "no limit",
        "mean": 0.333333333333,
        "number": None,
        "word": "a",
        "values": {"x": 1},
        "factors": [[2, {"parts": ["k"]}]],
        "lines": [{"codes": {"a": "T"}, "ends": [0.5, None], "draw": {"seed": 0, "runs": 3}}],
        "seed": 5,
        "runs": 1,
    }
    assert document_of(whole)["lines"] == [document_of(line)]
    described = schema_of(Whole)
    assert (described["title"], described["description"]) == ("Something whole", "It has a field of every form.")
    assert described["properties"]["release"]["properties"]["length"]["description"] == "Length of the title."
    assert described["dependentRequired"] == {"seed": ["runs"], "runs": ["seed"]}
    assert "notes" not in described["required"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "test/2"}, r'whole\.schema: found a text where one of "test/1"'),
        ({"release": {"title": "t"}}, r'whole\.release: the key "digest" is missing'),
        ({"bits": "many"}, r"whole\.bits: found a text where a number"),
        ({"word": "c"}, r'whole\.word: found a text where one of "a", "b"'),
        ({"number": True}, r"whole\.number: found true or false where a whole number"),
        ({"factors": [[1]]}, r"whole\.factors\[0\]: found a list where a list of two"),
        ({"factors": [[1, {}]]}, r'whole\.factors\[0\]\[1\]: the key "parts" is missing'),
        ({"seed": 1}, r'whole\.seed: found a whole number where nothing, or "runs" beside it, was expected'),
        ({"secret": 1}, r'whole: the key "secret" does not belong there'),
    ],
)
def test_what_does_not_belong_is_named_with_its_place_and_without_its_value(change: dict[str, Any], said: str) -> None:
    whole = Whole(title="", digest=None, bits=None, mean=0, number=1, word=None, values={}, factors=(), lines=())
    document = json.loads(json_of(whole)) | change
    with pytest.raises(InputError, match=said):
        record_from_json(Whole, json.dumps(document), what="whole")


def test_types_that_results_do_not_have_are_refused() -> None:
    for kind in (bytes, list, object):
        with pytest.raises(TypeError, match="no type that results have"):
            kind_of(kind)


def test_rows_of_a_table_follow_from_the_fields() -> None:
    found = layout(Line)
    assert found.keys == ("codes", "ends", "draw", "more")
    assert (found.objects, found.pairs) == ({"codes", "draw"}, {"ends"})
    assert (found.numbers, found.flags) == ({"ends.lower", "ends.upper", "draw.seed", "draw.runs"}, set())
    row = document_of(Line((("a", "T"),), None, Draw(0, 3)))
    assert found.columns(row) == ["codes.a", "ends.lower", "ends.upper", "draw.seed", "draw.runs", "more"]
    assert found.flat(row) == {
        "codes.a": "T", "ends.lower": None, "ends.upper": None, "draw.seed": 0, "draw.runs": 3,
    }  # fmt: skip


# ---------------------------------------------------------------- what is public


@dataclass(frozen=True)
class Inner:
    """Held by others."""

    shown: Annotated[str, PUBLIC]
    new: str | None = None


class Outer(NamedTuple):
    """Holds others."""

    name: Annotated[str, PUBLIC]
    status: str
    truth: Fraction | None
    inner: Annotated[Inner, PUBLIC]
    several: Annotated[tuple[Inner, ...], PUBLIC]
    others: tuple[Inner, ...] = ()
    new: str = ""


def test_a_field_is_confidential_until_somebody_says_otherwise() -> None:
    # CONVENTION 647
    inner = Inner("seen", "SECRET")
    outer = Outer("seen", "SECRET", Fraction(98765), inner, (inner,), (inner,), "SECRET")
    copy = public_part(outer, status="withheld")
    assert copy == Outer("seen", "withheld", None, Inner("seen"), (Inner("seen"),))
    with pytest.raises(TypeError, match="status is confidential"):
        public_part(outer)


# ---------------------------------------------------------------- all results

RESULTS = [word for word in SCHEMAS if isinstance(documents(word)[0], type)]


VERSIONS = {"hypercube": 2}


@pytest.mark.parametrize("word", SCHEMAS)
def test_the_committed_schema_is_the_one_that_is_made(word: str) -> None:
    made = schema(word)
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["$id"] == f"tableseal/{word}/{VERSIONS.get(word, 1)}"
    path = COMMITTED / f"{word}.json"
    said = f"its form has changed: tableseal schema {word} --json tests/data/schemas/{word}.json"
    assert json.loads(path.read_text("utf-8")) == made, said


@pytest.mark.parametrize("word", RESULTS)
def test_every_class_of_results_says_what_it_is(word: str) -> None:
    for document in documents(word):
        for kind in records(document):
            assert kind.__doc__, kind
            assert not kind.__doc__.startswith(f"{kind.__name__}("), kind


def test_default_factories_are_defaults() -> None:
    @dataclass(frozen=True)
    class Made:
        """With a mapping."""

        values: dict[str, int] = field(default_factory=dict)

    assert record_from_json(Made, "{}", what="made") == Made({})
