"""`tableseal hypercube`: from records, from a table, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run

import tableseal as ts
from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.audit.hypercube.store import open_cube
from tableseal.audit.hypercube.tabulate import Tabulated, tabulate

RECORDS: dict[str, Any] = {
    "tableseal": 1,
    "title": "Persons",
    "measures": {"persons": {"kind": "count"}, "income": {"kind": "magnitude", "unit": "0.1"}},
    "variables": {
        "sex": {"total": "T", "codes": ["F", "M"]},
        "region": {"total": "T", "tree": {"N": {"N1": [], "N2": []}, "W": []}},
    },
    "microdata": {
        "cells": {
            "sex": ["F", "M", "F", "F"],
            "region": ["N1", "N1", "W", "N1"],
            "euros": ["1.5", "2", "3", "7.1"],
            "id": ["a", "b", "c", "d"],
            "k": ["7", "3", "255", "250"],
        },
        "values": {"income": "euros"},
        "key": "k",
    },
}
TABLE: dict[str, Any] = {
    "tableseal": 1,
    "measures": {"persons": {"kind": "count"}, "income": {"kind": "magnitude", "unit": "0.1"}},
    "variables": RECORDS["variables"],
    "tables": [
        {
            "name": "counts",
            "measure": "persons",
            "cells": {"sex": ["F", "M", "F", "T"], "region": ["N1", "N1", "W", "T"], "value": [2, 1, 1, 4]},
        },
        {
            "name": "money",
            "measure": "income",
            "cells": {"sex": ["F", "F"], "region": ["N1", "W"], "value": ["8.6", "3"]},
        },
    ],
}
BOTH = Question((Grouping(0, ("F", "M"), np.arange(2, dtype=np.int32)),), (), "income")


def made(tmp_path: Path, document: dict[str, Any], *more: str) -> Any:
    (tmp_path / "source.json").write_text(json.dumps(document))
    return run("hypercube", "build", str(tmp_path / "source.json"), "-o", str(tmp_path / "x.cube"), *more)


def table(tmp_path: Path) -> Tabulated:
    return tabulate(BOTH, open_cube(tmp_path / "x.cube"))


def changed(document: dict[str, Any], **microdata: Any) -> dict[str, Any]:
    own = {key: value for key, value in {**document["microdata"], **microdata}.items() if value is not None}
    return {**document, "microdata": own}


def test_records_become_cells_with_levels_measures_and_keys(tmp_path: Path) -> None:
    """CONVENTION 1030."""
    done = made(tmp_path, RECORDS, "--areas", "region", "--modulus", "256")
    assert done.exit_code == 0, done.output
    found = open_cube(tmp_path / "x.cube").about
    assert (found.units, found.cells, found.modulus, found.keys_of) == (4, 3, 256, "records")
    assert [v.areas for v in found.variables] == [False, True]
    levels = [(level.name, level.codes, level.of_leaf.tolist()) for level in found.variables[1].levels]
    assert levels == [("1", ("N", "W"), [0, 0, 1]), ("2", ("N1", "N2", "W"), [0, 1, 2])]
    counted = table(tmp_path)
    assert counted.count.tolist() == [3, 1]
    assert counted.keys.tolist() == [(7 + 255 + 250) % 256, 3]
    assert counted.sums["income"].tolist() == [116, 20]
    shown = run("hypercube", "show", str(tmp_path / "x.cube"), "--check")
    assert "4 units" in shown.stdout
    assert "region (areas): 1 (2), 2 (3)" in shown.stdout


def test_named_levels_and_second_groupings(tmp_path: Path) -> None:
    """CONVENTION 1030."""
    (tmp_path / "act.csv").write_text("A2,A3\nX,X1\nX,X2\nY,Y\n")
    document = {
        **RECORDS,
        "variables": {
            "sex": {"total": "T", "trees": [{"G": ["F"], "H": ["M"]}, {"B": ["F", "M"]}]},
            "region": {"total": "T", "levels": ["A2", "A3"], "file": "act.csv"},
        },
        "microdata": {"cells": {"sex": ["F"], "region": ["Y"]}},
    }
    assert made(tmp_path, document).exit_code == 0
    sex, region = open_cube(tmp_path / "x.cube").about.variables
    assert [(level.name, level.codes) for level in region.levels] == [("A2", ("X", "Y")), ("A3", ("X1", "X2", "Y"))]
    assert ("2.1", ("B",)) in [(level.name, level.codes) for level in sex.levels]
    assert sex.levels[-1].codes == sex.leaves


def test_several_sources_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "source.json").write_text(json.dumps(RECORDS))
    source, output = str(tmp_path / "source.json"), str(tmp_path / "x.cube")
    assert run("hypercube", "build", source, source, "-o", output, "--modulus", "256").exit_code == 0
    assert open_cube(tmp_path / "x.cube").about.units == 8
    assert table(tmp_path).count.tolist() == [6, 2]
    other = {**RECORDS, "variables": {**RECORDS["variables"], "sex": {"total": "T", "codes": ["M", "F"]}}}
    (tmp_path / "other.json").write_text(json.dumps(other))
    refused = run("hypercube", "build", source, str(tmp_path / "other.json"), "-o", output, "--modulus", "256")
    assert refused.exit_code == 2
    assert "other variables, codes or measures" in refused.stderr


def test_keys_of_identifiers_and_no_secret_in_the_folder(tmp_path: Path) -> None:
    """CONVENTION 1034."""
    secret = "a secret that is long enough"
    (tmp_path / "secret.txt").write_text(secret)
    assert made(tmp_path, changed(RECORDS, key=None, id="id", secret_file="secret.txt")).exit_code == 0
    assert open_cube(tmp_path / "x.cube").about.modulus == 10**8
    before = table(tmp_path).keys.tolist()
    reversed_cells = {name: column[::-1] for name, column in RECORDS["microdata"]["cells"].items()}
    turned = changed(RECORDS, key=None, id="id", secret_file="secret.txt", cells=reversed_cells)
    assert made(tmp_path, turned).exit_code == 0
    assert table(tmp_path).keys.tolist() == before
    for path in (tmp_path / "x.cube").iterdir():
        assert secret.encode() not in path.read_bytes()


def test_a_table_becomes_a_hypercube_with_keys_of_its_cells(tmp_path: Path) -> None:
    """CONVENTION 1034: keys depend on the codes of a cell and the secret, and on nothing else."""
    (tmp_path / "secret.txt").write_text("a secret that is long enough")
    (tmp_path / "other.txt").write_text("another secret, long enough")
    assert made(tmp_path, TABLE, "--secret-file", str(tmp_path / "secret.txt")).exit_code == 0
    found = open_cube(tmp_path / "x.cube").about
    assert (found.units, found.cells, found.keys_of) == (4, 3, "cells")
    first = table(tmp_path)
    assert first.count.tolist() == [3, 1]
    assert first.sums["income"].tolist() == [116, 0]
    more = json.loads(json.dumps(TABLE))
    more["tables"][0]["cells"] = {"region": ["N1", "W", "N1"], "sex": ["M", "F", "F"], "value": [9, 1, 2]}
    more["variables"] = dict(reversed(more["variables"].items()))
    assert made(tmp_path, more, "--secret-file", str(tmp_path / "secret.txt")).exit_code == 0
    by_sex = Question((Grouping(1, ("F", "M"), np.arange(2, dtype=np.int32)),))
    assert tabulate(by_sex, open_cube(tmp_path / "x.cube")).keys.tolist() == first.keys.tolist()
    assert made(tmp_path, TABLE, "--secret-file", str(tmp_path / "other.txt")).exit_code == 0
    assert table(tmp_path).keys.tolist() != first.keys.tolist()


def test_combinations_that_cannot_occur(tmp_path: Path) -> None:
    """CONVENTION 1035."""
    (tmp_path / "no.csv").write_text("sex,region\nM,W\n,N2\n")
    assert made(tmp_path, TABLE, "--impossible", str(tmp_path / "no.csv")).exit_code == 0
    assert open_cube(tmp_path / "x.cube").about.impossible == ({"sex": ("M",), "region": ("W",)}, {"region": ("N2",)})
    (tmp_path / "no.csv").write_text("sex,region\nF,N\n")
    refused = made(tmp_path, TABLE, "--impossible", str(tmp_path / "no.csv"))
    assert refused.exit_code == 2
    assert "sex=F, region=N1" in refused.stderr


@pytest.mark.parametrize(
    ("document", "more", "said"),
    [
        (changed(RECORDS, key=None, weight="euros"), (), "leave `weight` out"),
        (changed(RECORDS, key=None), ("--modulus", "5"), "the records have none"),
        (RECORDS, ("--secret-file", "x"), "say where their keys are from"),
        (RECORDS, ("--areas", "regoin", "--modulus", "256"), 'did you mean "region"'),
        (TABLE, ("--modulus", "5"), "this is a table"),
        (TABLE, ("--table", "count"), 'did you mean "counts"'),
        ({**TABLE, "tables": TABLE["tables"][1:]}, (), "one table of counts by all variables"),
        (
            changed(RECORDS, key=None, cells={**RECORDS["microdata"]["cells"], "region": ["N1", "N", "W", "N1"]}),
            (),
            "broken down further",
        ),
        (
            changed(RECORDS, key=None, cells={**RECORDS["microdata"]["cells"], "sex": ["F", "", "F", "F"]}),
            (),
            "no code of",
        ),
    ],
)
def test_what_cannot_be_built_is_refused(
    tmp_path: Path, document: dict[str, Any], more: tuple[str, ...], said: str
) -> None:
    done = made(tmp_path, document, *more)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "x.cube").exists()


def test_the_folder_is_called_cube(tmp_path: Path) -> None:
    (tmp_path / "source.json").write_text(json.dumps(TABLE))
    done = run("hypercube", "build", str(tmp_path / "source.json"), "-o", str(tmp_path / "x.parquet"))
    assert done.exit_code == 2
    assert ".cube" in done.stderr


def test_from_python(tmp_path: Path) -> None:
    cube = ts.hypercube(changed(RECORDS, key=None), areas="region")
    assert repr(cube) == "HypercubeResult(variables=2, units=4, cells=3)"
    assert cube.save(tmp_path / "a.cube") == (tmp_path / "a.cube",)
    again = ts.hypercube(tmp_path / "a.cube")
    request = {"tableseal-request": 1, "by": ["sex"], "areas": "region@1", "mean": "income"}
    expected = [("N", "F", 2, 86), ("N", "M", 1, 20), ("W", "F", 1, 30), ("W", "M", 0, 0)]
    assert cube.table(request, "polars").rows() == again.table(request, "polars").rows() == expected
    share = again.table({"tableseal-request": 1, "by": ["region"], "share": {"sex": "F"}}, "polars")
    assert share.rows() == [("N1", 3, 2), ("N2", 0, 0), ("W", 1, 1)]
    assert again.document["units"] == 4
    assert again.text() == cube.text()
    (tmp_path / "source.json").write_text(json.dumps(changed(RECORDS, key=None)))
    assert ts.hypercube([tmp_path / "source.json", tmp_path / "source.json"]).about.units == 8
    for wrong in (3, [], tmp_path / "no.json", tmp_path / "no.cube"):
        with pytest.raises(ts.InputError):
            ts.hypercube(wrong)
    with pytest.raises(ts.InputError, match="made already"):
        ts.hypercube(tmp_path / "a.cube", areas="region")
    with pytest.raises(ts.InputError, match=r"expected \.cube"):
        cube.save(tmp_path / "a.json")
