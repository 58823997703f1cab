"""Status columns: words, schemes, maps, several columns."""

import pytest

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.statuses.column import StatusSource, read_statuses, status_word
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.model import Status


def words(data: dict[str, list[str | None]], *sources: StatusSource, **extra: Status) -> list[str]:
    status = read_statuses(Columns.of(Place("x.csv"), data), sources, extra, Place("r.yaml", ("tables", 0), "t"))
    return [Status(int(code)).word for code in status]


def test_words_in_any_case_and_empty_is_published() -> None:
    # CONVENTION 109
    data: dict[str, list[str | None]] = {"s": ["", None, "Primary ", "must_publish", "structural_zero", "MISSING"]}
    assert words(data, StatusSource("s")) == [
        "published", "published", "primary", "must_publish", "structural_zero", "missing",
    ]  # fmt: skip
    assert words({"n": ["1", "2"]}) == ["published", "published"]


def test_every_word_is_known() -> None:
    assert {status_word(status.word, "x") for status in Status} == set(Status)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes(scheme: str) -> None:
    flags: list[str | None] = list(SCHEMES[scheme])
    assert words({"s": flags}, StatusSource("s", scheme)) == [status.word for status in SCHEMES[scheme].values()]


def test_a_map_goes_before_the_scheme_and_the_command_line_before_both() -> None:
    # CONVENTION 109
    data: dict[str, list[str | None]] = {"s": ["c", "S", "x", "primary"]}
    own = StatusSource("s", None, {"c": Status.SECONDARY, "S": Status.PUBLISHED, "x": Status.MISSING})
    assert words(data, own) == ["secondary", "published", "missing", "primary"]
    assert words(data, own, c=Status.WITHHELD)[0] == "withheld"
    argus = StatusSource("s", "tau-argus", {"c": Status.PRIMARY})
    assert words({"s": ["c", "M"]}, argus) == ["primary", "secondary"]


def test_of_several_columns_the_most_restrictive_wins() -> None:
    # CONVENTION 109
    data: dict[str, list[str | None]] = {"conf": ["F", "A", "", "D"], "obs": ["A", "A", "M", "Q"]}
    sources = StatusSource("conf", "sdmx-conf"), StatusSource("obs", "sdmx-obs")
    assert words(data, *sources) == ["published", "primary", "structural_zero", "withheld"]


@pytest.mark.parametrize(
    ("source", "flag", "mentions"),
    [
        (StatusSource("s"), "c", ['x.csv row 2, column "s"', '"c"', "tau-argus", "sdmx-obs", "map: {c: withheld}"]),
        (StatusSource("s"), "primry", ["row 2", 'did you mean "primary"?', "structural_zero"]),
        (StatusSource("s", "sbs"), "Q", ["row 2", '"Q"', "scheme sbs", "V, A, B, C, D"]),
        (StatusSource("s", "tau-argos"), "S", ["tables[0] (t)", 'did you mean "tau-argus"?', "gconfid"]),
        (StatusSource("st"), "S", ['no column "st"', 'did you mean "s"', "Columns found: s"]),
    ],
)
def test_bad_flags(source: StatusSource, flag: str, mentions: list[str]) -> None:
    with pytest.raises(InputError) as error:
        words({"s": ["", flag]}, source)
    for mention in mentions:
        assert mention in str(error.value)


def test_a_bad_status_word_in_a_map() -> None:
    with pytest.raises(InputError, match=r'status map c: found "hidden", expected a status word'):
        status_word("hidden", "status map c")
