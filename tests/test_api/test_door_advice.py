"""What to do next is said in the words of the way in: no commands and no YAML in Python. CONVENTION 667."""

import html
import pickle
import re
from typing import Any

import polars as pl
import pytest
from frames import PERSONS, WITHHELD

import tableseal as ts
from tableseal.api.python.advice import InPython
from tableseal.audit.errors import OptionName
from tableseal.audit.linear.causes import PERIODS
from tableseal.audit.report.call import Call
from tableseal.audit.rules.knows_rule import RULE_UNKNOWN
from tableseal.audit.said import COMMAND, Do, InFile, Said, Spelling

TRUE = pl.DataFrame(PERSONS)


def shell(text: str) -> list[str]:
    """Lines with words of another way in (two dashes of a drawn line are none)."""
    others = r"tableseal (audit|suppress)|(^|[ `(])--[a-z]|: \{[a-z]"
    return [line for line in text.splitlines() if re.search(others, line)]


def results() -> list[Any]:
    two = TRUE.with_columns(persons=pl.Series([2, 3, 5, 14, 21, 35, 16, 24, 40]))
    many = pl.DataFrame(
        [(f"r{i}", f"c{j}", 1 + (i + j) % 3) for i in range(8) for j in range(8)],
        schema=["a", "b", "n"],
        orient="row",
    )
    return [
        ts.audit(TRUE, value="persons"),
        ts.audit(TRUE, value="persons", threshold=5),
        ts.audit(pl.DataFrame(WITHHELD), value="persons"),
        ts.audit(pl.DataFrame(WITHHELD), value="persons", threshold=5),
        ts.audit(two, value="persons", threshold=5, bounds="lp"),
        ts.audit(many, value="n", total={"a": None, "b": None}, threshold=3),
        ts.suppress(TRUE, value="persons", threshold=5),
        ts.suppress(TRUE, value="persons", threshold=5, method="greedy-elimination", explain=False),
        ts.suppress(TRUE, value="persons", threshold=5, time_limit=0),
        ts.compare(TRUE, value="persons", threshold=5, methods=["optimal", "elimination"]),
        ts.risk([[1, 2], [3, 4]]),
        ts.sap([[30, 0], [10, 20]], rounding=3),
    ]


def test_results_talk_python() -> None:
    for result in results():
        assert not shell(result.text()), shell(result.text())
        page = html.unescape(result._repr_html_())
        said = page[page.find("</style>") :].partition("<script")[0]  # not its styles
        assert not re.search(r"tableseal (suppress|audit) |[ `(]--[a-z]|absent: \{", said)


def test_the_advice_of_each_result_is_there() -> None:
    told = "\n".join(result.text() for result in results())
    for words in (
        "say what is sensitive: threshold=N (p_percent=P, dominance=(N, K), policy=...)",
        "find further cells to withhold: ts.suppress(...)",
        "result.save('protected.csv') and result.save_confidential('kept.json')",
        "explain=True looks all the same",
        "then result.save",
        "to_frame() has them all, n= chooses",
    ):
        assert words in told, words


def test_every_way_in_has_every_step() -> None:
    assert InPython.STEPS.keys() == Spelling.STEPS.keys()
    for step in Spelling.STEPS:
        assert not shell(InPython("audit").spelled(Do(step)))


def test_a_text_of_parts() -> None:
    text = Said(
        "say ", InFile("absent", {"leaves": "zero"}, "absent"), " or ", OptionName("time_limit", "S"), Said(".", ".")
    )
    assert text == "say `absent: {leaves: zero}` or --time-limit S.."
    assert COMMAND.words(text) == text
    assert InPython("audit").words(text) == "say absent={'leaves': 'zero'} or time_limit=S.."
    assert pickle.loads(pickle.dumps(text)).parts == text.parts
    assert InPython("audit").words("plain --text") == "plain --text"


@pytest.mark.parametrize("asked", [Call(), InPython("suppress")])
def test_steps_of_both(asked: Any) -> None:
    assert "optimal" in asked.with_option(OptionName("method", "optimal"), ("pure",))
    assert "rank" in asked.by_method("rank", ("seed",))
    assert asked.writing(released=True, kept=False) != asked.writing(released=True, kept=True)


def test_marks_and_sums_that_were_assumed_name_keywords() -> None:
    frame = TRUE.with_columns(persons=pl.Series(["<10", "17", "19", "14", "21", "35", "16", "38", "54"]))
    frame = frame.filter(pl.col("district") != "Total")
    found = ts.audit(frame, value="persons", threshold=5)
    assert "marks=" in found.text()
    assert not shell(found.text())


def test_what_readers_know_is_said_in_a_document() -> None:
    """DataFrames have no keyword for it."""
    assert InPython("audit").words(RULE_UNKNOWN.text).startswith("Readers who know the threshold")
    assert "say 'intruder': {'knows_rule': True} in a release document" in InPython("audit").words(RULE_UNKNOWN.text)
    assert "say `intruder: {knows_rule: true}` if" in RULE_UNKNOWN.text


def test_values_that_look_rounded_and_periods_name_keywords() -> None:
    # CONVENTION 783, 861
    cells = [(f"r{i}", f"c{j}", 3 * (1 + (i * j) % 5)) for i in range(5) for j in range(4)]
    frame = pl.DataFrame(cells, schema=["a", "b", "n"], orient="row")
    found = ts.audit(frame)
    assert "If they are rounded, say so: rounded={'base': '3', 'method': 'conventional'}" in " ".join(
        found.text().split()
    )
    assert not shell(found.text())
    assert ts.audit(frame, rounded={"base": "3", "method": "conventional"}).verdict
    assert "`where: {year: ...}`" in PERIODS
    assert "'where': {'year': '...'} in a release document" in InPython("audit").words(PERIODS)
