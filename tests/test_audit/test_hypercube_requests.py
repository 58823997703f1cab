"""Requests of tables: what they ask for, and all that is wrong with them at once."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from cubes import cube

from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.ask import ask, request_in_file, request_of
from tableseal.audit.hypercube.codes import VariableCodes
from tableseal.audit.hypercube.gather import gathered
from tableseal.audit.hypercube.model import HeldCells, Hypercube, Level, Variable
from tableseal.audit.hypercube.request import TableRequest
from tableseal.audit.hypercube.request_document import request_schema
from tableseal.audit.hypercube.short_form import request_in_words
from tableseal.audit.hypercube.store import opened, pieces, write_cube
from tableseal.audit.model import Measure

AGES = tuple(map(str, range(6)))


def variable(name: str, leaves: tuple[str, ...], *levels: tuple[str, dict[str, str]], areas: bool = False) -> Variable:
    made = []
    for level, holder in levels:
        codes = tuple(dict.fromkeys(holder[leaf] for leaf in leaves))
        made.append(Level(level, codes, np.array([codes.index(holder[leaf]) for leaf in leaves], np.int32)))
    made.append(Level("fine", leaves, np.arange(len(leaves), dtype=np.int32)))
    return Variable(name, leaves, tuple(made), areas)


VARIABLES = (
    variable("region", ("N1", "N2", "S1"), ("NUTS2", {"N1": "N", "N2": "N", "S1": "S"}), areas=True),
    variable("sex", ("F", "M")),
    variable("age", AGES, ("broad", dict(zip(AGES, ["0-2"] * 3 + ["3-5"] * 3, strict=True)))),
)
ABOUT = Hypercube("", VARIABLES, {"turnover": Measure("turnover", "magnitude")}, 100, "records", (), 0, 0)
RECORDS = [("N1", "F", "0"), ("N1", "M", "3"), ("N2", "F", "2"), ("S1", "F", "5"), ("S1", "F", "4"), ("S1", "M", "1")]
CELLS = HeldCells(
    ABOUT,
    gathered(
        [np.array([v.leaves.index(r[at]) for r in RECORDS], np.int32) for at, v in enumerate(VARIABLES)],
        np.ones(len(RECORDS), np.int64),
        np.arange(len(RECORDS)),
        {"turnover": np.arange(10, 10 + len(RECORDS))},
        100,
    ),
)


def read(**said: Any) -> TableRequest:
    return request_of({"tableseal-request": 1, **said}, CELLS)


def counts(**said: Any) -> dict[tuple[str, ...], int]:
    found = ask(read(**said), CELLS)
    axes = found.request.question.axes
    where = np.unravel_index(np.arange(found.whole.count.size), found.whole.shape) if axes else ()
    rows = zip(*([axis.codes[at] for at in own] for axis, own in zip(axes, where, strict=True)), strict=True)
    return dict(zip(rows if axes else [()], found.whole.count.tolist(), strict=True))


def test_levels_groups_and_codes_span_a_table() -> None:
    """CONVENTION 1036."""
    assert counts(by=["region@NUTS2", "sex"]) == {("N", "F"): 2, ("N", "M"): 1, ("S", "F"): 2, ("S", "M"): 1}
    assert counts(by=[{"age": {"groups": {"young": ["0-1"], "old": ["3-5"]}}}]) == {("young",): 2, ("old",): 3}
    assert counts(by=[{"age": "broad"}]) == {("0-2",): 3, ("3-5",): 3}
    assert counts(by=[{"region": ["N", "S1"]}]) == {("N",): 3, ("S1",): 3}
    assert counts() == {(): 6}


def test_populations_are_codes_of_any_level() -> None:
    """CONVENTION 1036."""
    assert counts(where={"sex": "F", "region": ["N1", "S"]}) == {(): 3}
    assert counts(by=["sex"], where={"sex": "F"}) == {("F",): 4, ("M",): 0}
    assert counts(where={"age": "0-2"}) == {(): 3}
    assert counts(where={"age": ["1 - 3", "2"]}) == {(): 3}


def test_areas_come_first_and_statistics_are_told() -> None:
    """CONVENTION 1037."""
    found = read(by=["sex"], areas="region@NUTS2")
    assert (found.areas, found.statistic) == (True, "count")
    assert [axis.codes for axis in found.question.axes] == [("N", "S"), ("F", "M")]
    assert read(measure="turnover").statistic == "sum"
    assert read(count=True, by=["sex"]).statistic == read(count=False).statistic == "count"
    mean = ask(read(by=["sex"], mean="turnover"), CELLS)
    assert (mean.request.statistic, mean.whole.sums["turnover"].tolist()) == ("mean", [10 + 12 + 13 + 14, 11 + 15])
    share = ask(read(by=["region"], where={"age": "0-5"}, share={"sex": "F"}), CELLS)
    assert share.part is not None
    assert (share.part.count.tolist(), share.whole.count.tolist()) == ([1, 1, 2], [2, 1, 3])
    assert share.part.keys.tolist() == [0, 2, 7]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"by": ["regoin"]}, 'no variable "regoin" (did you mean "region"?)'),
        ({"by": ["region@NUTS3"]}, 'found "NUTS3" (did you mean "NUTS2"?)'),
        ({"by": ["sex", "sex"]}, '"sex" stands twice'),
        ({"by": ["region"], "areas": "region@NUTS2"}, '"region" stands twice'),
        ({"where": {"sex": "f"}}, 'found "f" (did you mean "F"?)'),
        ({"where": {"age": "4-1"}}, "ends before it begins"),
        ({"where": {"age": "4-9"}}, 'found "4-9"'),
        ({"by": [{"age": {"groups": {"a": ["0-2"], "b": ["2", "3"]}}}]}, 'groups "a" and "b" overlap: both have "2"'),
        ({"by": [{"age": {"groups": {"a": []}}}]}, '"a" is empty'),
        ({"by": [{"age": {"groups": {}}}]}, "no groups"),
        ({"by": [{"age": ["0-2", "1"]}]}, "overlap"),
        ({"areas": "sex"}, 'found "sex", expected a variable of places (region)'),
        ({"measure": "turnvoer"}, 'did you mean "turnover"'),
        ({"mean": "turnover", "share": {"sex": "F"}}, "one of mean, share"),
        ({"count": True, "measure": "turnover"}, "one of count, measure"),
        ({"count": False, "measure": 3}, 'no measure "3"'),
        ({"share": {}}, "names none"),
        ({"bye": []}, 'unknown key "bye"'),
        ({"by": "sex"}, "a list"),
        ({"by": [{"sex": "fine", "age": "fine"}]}, "at most 1"),
    ],
)
def test_what_is_wrong_is_said_with_the_nearest_name(said: dict[str, Any], words: str) -> None:
    """CONVENTION 1038."""
    with pytest.raises(InputError) as error:
        read(**said)
    assert words in str(error.value)


def test_all_errors_are_told_at_once() -> None:
    """CONVENTION 1038."""
    groups = {"groups": {"a": ["0-2", "x"], "b": ["2"], "c": []}}
    with pytest.raises(InputError, match=r"And 6 more errors") as error:
        read(by=["regoin", {"age": groups}], where={"sex": "X", "height": "1"}, measure="money")
    told = "\n".join(map(str, error.value.several))
    for word in ("by[0]", "by[1].age", "where.sex", "height", "money"):
        assert word in told


def test_ranges_that_can_be_read_in_two_ways_are_refused() -> None:
    """CONVENTION 1036: a code that is called so goes before a range."""
    codes = VariableCodes(variable("v", ("1", "1-2", "2-3", "3", "4")))
    assert codes.leaves("1-2", Place()).tolist() == [1]
    assert codes.leaves("1-4", Place()).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="two ranges"):
        codes.leaves("1-2-3", Place())


def test_few_words_ask_the_same() -> None:
    """CONVENTION 1039."""
    short = request_in_words("region@NUTS2, sex", ["age=0-2", "sex=F,M"], share=["sex=F"])
    assert request_of(short, CELLS).question.shape == (2, 2)
    long = {"by": ["region@NUTS2", "sex"], "where": {"age": "0-2", "sex": ["F", "M"]}, "share": {"sex": "F"}}
    assert ask(request_of(short, CELLS), CELLS).whole.count.tolist() == ask(read(**long), CELLS).whole.count.tolist()
    for wrong in (["age"], ["=1"], ["age="], ["age=1", "age=2"]):
        with pytest.raises(InputError):
            request_in_words(where=wrong)


def test_a_hypercube_and_a_request_in_files(tmp_path: Path) -> None:
    write_cube(tmp_path / "a.cube", ABOUT, pieces(CELLS.held))
    stored = opened(tmp_path / "a.cube")
    document = {"tableseal-request": 1, "by": ["sex"], "where": {"region": "N"}}
    jsonschema.validate(document, request_schema())
    for name, text in (("r.json", json.dumps(document)), ("r.yaml", yaml.safe_dump(document))):
        (tmp_path / name).write_text(text)
        found = ask(request_in_file(tmp_path / name, stored), stored)
        assert (found.whole.count.tolist(), found.whole.keys.tolist()) == ([2, 1], [2, 1])
    (tmp_path / "r.yaml").write_text("by: [sex]")
    with pytest.raises(InputError, match="tableseal-request"):
        request_in_file(tmp_path / "r.yaml", stored)


def test_no_measures() -> None:
    none = cube((2,), [])
    bare = HeldCells(Hypercube("", none.about.variables, {}, None, None, (), 0, 0), none.held)
    with pytest.raises(InputError, match="no measures"):
        request_of({"tableseal-request": 1, "measure": "x"}, bare)
    with pytest.raises(InputError, match="no variable is one of places"):
        request_of({"tableseal-request": 1, "areas": "v0"}, bare)
