"""Records of single units at the door: from Python and by the command the same tables. CONVENTION 1023-1026."""

import json
import re
import shlex
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from commands import run

import tableseal as ts

FIRMS = pl.DataFrame({
    "firm": [f"f{k}" for k in range(12)],
    "group": ["g1", "g1", None, None, "g2", None, None, None, "g2", None, None, None],
    "region": ["N", "N", "S"] * 4,
    "district": ["N1", "N2", "S1"] * 4,
    "size": ["small", "large"] * 6,
    "sales": [50, 30, 700, 90, 120, 40, 45, 35, 300, 250, 280, 10],
})  # fmt: skip
SAID: dict[str, Any] = {"by": ["region/district", "size"], "value": "sales", "id": "firm", "holding": "group"}
OPTIONS = ["--by", "region/district,size", "--value", "sales", "--id", "firm", "--holding", "group"]


def cells(path: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads(path.read_text())["tables"][0]["cells"]
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    FIRMS.write_csv(tmp_path / "firms.csv")
    return tmp_path / "firms.csv"


def test_frames_files_and_the_command_make_the_same_tables(file: Path) -> None:
    # CONVENTION 1023
    rows = ts.tabulate(FIRMS, **SAID).to_frame("polars").rows()
    assert ts.tabulate(FIRMS.to_pandas(), **SAID).to_frame("polars").rows() == rows
    assert ts.tabulate(FIRMS.to_arrow(), **SAID).to_frame("polars").rows() == rows
    assert ts.tabulate(file, **SAID).to_frame("polars").rows() == rows
    out = file.with_name("out.json")
    assert run("tabulate", str(file), *OPTIONS, "-o", str(out)).exit_code == 0
    assert cells(out)["value"] == [row[2] for row in rows]
    written = file.with_name("firms.yaml")
    assert run("init", str(file), *OPTIONS, "--p-percent", "10", "-o", str(written)).exit_code == 0
    assert ts.tabulate(written).to_frame("polars").rows() == rows


def test_what_is_read_goes_through_audit_and_search(file: Path) -> None:
    # CONVENTION 1023
    release = ts.read(FIRMS, **SAID)
    assert release.microdata is not None
    found = ts.suppress(release, p_percent=10)
    assert found.verdict == "safe"
    written = file.with_name("firms.yaml")
    run("init", str(file), *OPTIONS, "--p-percent", "10", "-o", str(written))
    assert ts.suppress(written).to_frame("polars")["status"].to_list() == found.to_frame("polars")["status"].to_list()


def test_several_tables_and_nested_codes_of_a_keyword() -> None:
    # CONVENTION 1023, 1024
    made = ts.tabulate(
        FIRMS, by=[["district"], ["size"]], hierarchies={"district": {"N": ["N1", "N2"], "S": ["S1"]}}, total="all"
    )
    frame = made.to_frame("polars")
    assert frame.filter(table="district", district="N")["value"].to_list() == [8]
    assert frame.filter(table="size", size="all")["value"].to_list() == [12]


def test_nested_codes_of_a_file(file: Path) -> None:
    # CONVENTION 1024
    (file.parent / "nuts.csv").write_text("code,parent\nN,\nN1,N\nN2,N\nS,\nS1,S\n")
    out = file.with_name("t.json")
    done = run("tabulate", str(file), "--by", "district", "--hierarchy", "district=nuts.csv", "-o", str(out))
    assert done.exit_code == 0, done.output
    found = cells(out)
    assert found["value"][found["district"].index("N")] == 8


BAD: list[tuple[dict[str, Any], str]] = [
    ({"id": "firm"}, "by=['region', 'size']"),
    ({"by": "region", "status": "size"}, "status"),
    ({"by": "region", "variables": ["region"]}, "variables"),
    ({"by": ["region", 3]}, "by"),
    ({"by": [1, 2]}, "by"),
    ({"by": 7}, "by"),
    ({"by": []}, "at least one column"),
    ({"by": "regoin"}, '"region"'),
    ({"by": "region", "value": "region"}, '"region"'),
    ({"by": "region", "hierarchies": {"size": {"a": ["small"]}}}, "size"),
    ({"by": "region", "total": ""}, "a code of the total that readers can see"),
    ({"by": "region", "total": {"region": " "}}, "a code of the total that readers can see"),
]


@pytest.mark.parametrize(("said", "mention"), BAD)
def test_what_cannot_be_is_an_error(said: dict[str, Any], mention: str) -> None:
    # CONVENTION 1025
    with pytest.raises(ts.InputError) as error:
        ts.tabulate(FIRMS, **said)
    assert mention in str(error.value)


@pytest.mark.parametrize("data", [ts.read(FIRMS, by="size"), {"tableseal": 1}, [1, 2], None])
def test_only_rows_can_be_records(data: object) -> None:
    # CONVENTION 1025
    with pytest.raises(ts.InputError, match="records: a DataFrame, or the path"):
        ts.tabulate(data, by="region")


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["--value", "sales"], "--by region,size"),
        (["--hierarchy", "district=x.csv"], "--by region,size"),
        (["--by", "district", "--hierarchy", "district"], "COLUMN=FILE"),
        (["--by", "district", "--hierarchy", "district=none.csv"], "none.csv"),
        (
            ["--by", "district", "--hierarchy", "district=a.csv", "--hierarchy", "district=b.csv"],
            '"district" is there twice',
        ),
        (["--by", "size", "--total", ""], "a code of the total that readers can see"),
        (["--by", "size,"], "codes of a classification"),
        (["--by", ""], "codes of a classification"),
        (["--by", "size", "--status-map", "c=withheld"], "these are records"),
    ],
)
def test_what_the_command_refuses_leaves_nothing_behind(file: Path, arguments: list[str], mention: str) -> None:
    # CONVENTION 1025
    out = file.with_name("t.yaml")
    done = run("tabulate", str(file), *arguments, "-o", str(out))
    assert done.exit_code == 2
    assert mention in " ".join(done.output.split())
    assert [path.name for path in file.parent.iterdir()] == ["firms.csv"]


@pytest.mark.parametrize(
    ("verb", "name", "found"),
    [("tabulate", ".", "a folder"), ("tabulate", "-", "standard input"), ("init", "-", "standard input")],
)
def test_what_is_no_file_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, verb: str, name: str, found: str
) -> None:
    # CONVENTION 1025
    monkeypatch.chdir(file.parent)
    done = run(verb, name, "--by", "size", "-o", "t.yaml")
    assert done.exit_code == 2
    assert f"{name}: found {found}, expected a file with a row for each record" in " ".join(done.output.split())
    assert [path.name for path in file.parent.iterdir()] == ["firms.csv"]


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r"])
def test_a_release_file_is_written_as_yaml_only(file: Path, name: str) -> None:
    # CONVENTION 1025
    done = run("init", str(file), "--by", "size", "-o", str(file.with_name(name)))
    assert done.exit_code == 2
    assert "a name that ends in .yaml" in " ".join(done.output.split())
    assert [path.name for path in file.parent.iterdir()] == ["firms.csv"]


@pytest.mark.parametrize("name", ["frequency", "value", "status", "table"])
def test_a_column_of_codes_may_have_the_name_of_a_figure(name: str) -> None:
    # CONVENTION 1023
    frame = ts.tabulate(FIRMS.rename({"region": name}), by=name).to_frame("polars")
    assert frame[name].to_list() == ["Total", "N", "S"]
    assert frame["frequency_" if name == "frequency" else "frequency"].to_list() == [12, 8, 4]


@pytest.mark.parametrize("said", [{}, {"id": "firm", "holding": "group"}])
def test_weights_beyond_what_is_written_are_an_error(said: dict[str, Any]) -> None:
    # CONVENTION 1025
    frame = FIRMS.with_columns(w=pl.Series([1e15, 1.0] * 6))
    with pytest.raises(ts.LimitError, match="sampling weights add up to more than 4"):
        ts.tabulate(frame, by="region", weight="w", **said)


@pytest.mark.parametrize("weights", [[1e5, 0.123456789012345, 1e9], [1e-300, 1.0], [61_234.12345678901, 1 / 3]])
@pytest.mark.parametrize("said", [{}, {"id": "firm"}])
def test_weights_of_any_number_of_decimals_have_exact_sums(weights: list[float], said: dict[str, Any]) -> None:
    frame = FIRMS.with_columns(w=pl.Series((weights * 12)[:12]))
    found = ts.tabulate(frame, by="region", weight="w", **said).to_frame("polars")
    total = sum((Fraction(repr(w)) for w in (weights * 12)[:12]), Fraction(0))
    assert found["value"].to_list()[0] == floor(total + Fraction(1, 2))


@pytest.mark.parametrize(
    ("regions", "said"),
    [
        (["N", "S"], 'row 2.*"district".*found "D" below "S", expected it below "N", as in row 1'),
        (["N", ""], 'row 2.*"district".*found "D" directly below the total, expected it below "N", as in row 1'),
        (["", "S"], 'row 2.*"district".*found "D" below "S", expected it directly below the total, as in row 1'),
    ],
)
def test_a_code_of_levels_has_one_place(regions: list[str], said: str) -> None:
    # CONVENTION 1025
    frame = pl.DataFrame({"region": regions, "district": ["D", "D"]})
    with pytest.raises(ts.InputError, match=said):
        ts.tabulate(frame, by="region/district")


def test_columns_with_commas_stand_in_quotes(file: Path) -> None:
    records = file.with_name("comma.csv")
    records.write_text('"region, district",size\nN,1\nS,2\n')
    out = file.with_name("out.json")
    assert run("tabulate", str(records), "--by", 'size,"region, district"', "-o", str(out)).exit_code == 0
    assert list(cells(out))[:2] == ["size", "region, district"]


@pytest.mark.parametrize("verb", [["audit"], ["init", "-o", "x.yaml"], ["tabulate", "-o", "x.json"]])
def test_a_folder_is_no_table(verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*verb, ".")
    assert done.exit_code == 2
    assert re.search(r"^Error: \.: .*folder", done.output)


def test_an_attack_on_nothing_is_an_error() -> None:
    with pytest.raises(ts.InputError, match="found an empty list, expected a release"):
        ts.attack([])


def test_a_release_file_is_no_file_of_records(file: Path) -> None:
    # CONVENTION 1025
    written = file.with_name("firms.yaml")
    assert run("init", str(file), "--by", "size", "-o", str(written)).exit_code == 0
    done = run("tabulate", str(written), "--by", "size", "-o", str(file.with_name("t.yaml")))
    assert done.exit_code == 2
    assert "a release file says itself" in " ".join(done.output.split())


@pytest.mark.parametrize("name", ["firm", "firm_id", "id"])
@pytest.mark.parametrize("numbers", [False, True])
def test_records_taken_for_a_table_are_told_how_they_are_read(tmp_path: Path, name: str, numbers: bool) -> None:
    # CONVENTION 1026
    records = FIRMS.drop("group").rename({"firm": name})
    if numbers:
        records = records.with_columns(pl.Series(name, range(12)))
    records.write_csv(tmp_path / "my firms.csv")
    said = " ".join(run("audit", str(tmp_path / "my firms.csv")).output.split())
    (command,) = re.findall(r"`tableseal (init .*?)`", said)
    arguments = shlex.split(command)
    assert arguments[2:-2] == ["--by", "region,district,size", "--value", "sales", "--id", name]
    arguments[1], arguments[-1] = str(tmp_path / "my firms.csv"), str(tmp_path / "r.yaml")
    assert run(*arguments).exit_code == 0
    assert ts.tabulate(tmp_path / "r.yaml").to_frame("polars")["value"][0] == FIRMS["sales"].sum()
    with pytest.raises(ts.InputError) as error:
        ts.audit(pd.DataFrame(records.to_dict(as_series=False)))
    assert f"ts.read(..., by=['region', 'district', 'size'], value='sales', id='{name}')" in str(error.value)
