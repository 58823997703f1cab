"""`ts.tables`: the same answers as the command."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import run
from databases import new_database
from towns import built

import tableseal as ts

REQUEST: dict[str, Any] = {"tableseal-request": 1, "by": ["sex", "age@1"]}


@pytest.fixture(scope="module")
def cube(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("cubes"))


def generator(cube: Path) -> dict[str, Any]:
    return {"policy": str(cube.with_suffix(".yaml")), "secret_file": str(cube.with_suffix(".secret"))}


def test_answers_are_those_of_the_command(cube: Path, tmp_path: Path) -> None:
    """CONVENTION 1101: given and refused, by a request or by keywords, and remembered by both."""
    request = tmp_path / "request.json"
    request.write_text(json.dumps(REQUEST))
    with new_database("sqlite", tmp_path) as url:
        words = ["--policy", generator(cube)["policy"], "--secret-file", generator(cube)["secret_file"]]
        said = run("tables", cube, request, *words, "--database", url, "--json", tmp_path / "said.json")
        assert said.exit_code == 0, said.output
        found = ts.tables(cube, request=REQUEST, **generator(cube), database=url)
        assert found.document == json.loads((tmp_path / "said.json").read_text())
        again = ts.tables(str(cube), by="sex,age@1", **generator(cube), database=url, public=True)
        frame = found.to_frame("polars")
        assert frame.columns == ["sex", "age", "value"]
        assert again.to_frame("polars").rows() == frame.rows()
        assert "risk" not in again.document["answer"]["figures"]
        assert found.save(tmp_path / "table.csv") == (tmp_path / "table.csv",)
        assert (tmp_path / "table.csv").read_text().startswith("sex,age,value\n")
        share = ts.tables(cube, by="sex", share=["age=0-3"], **generator(cube), database=url)
        assert share.to_frame("polars").columns == ["sex", "value", "share"]
        refused = ts.tables(cube, by="district,sex,age,job", **generator(cube), database=url)
    assert not refused.answered
    with pytest.raises(ts.InputError, match="refused: More was asked"):
        refused.to_frame()


def test_what_cannot_be_asked_is_refused_in_words(cube: Path) -> None:
    """Nothing is computed."""
    for keywords, text in (
        ({"by": "sex"}, "policy"),
        ({**generator(cube), "by": "sex", "request": REQUEST}, "either a request or keywords"),
        ({**generator(cube), "request": {"tableseal-request": 1, "by": ["sec"]}}, 'did you mean "sex"'),
        (generator(cube), "say what is asked"),
    ):
        with pytest.raises(ts.InputError, match=text):
            ts.tables(cube, **keywords)
    with pytest.raises(ts.InputError, match="hypercube"):
        ts.tables({"tableseal": 1}, **generator(cube), by="sex")
