"""JSON-stat files: what they say, and what they leave open."""

import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io import read_release
from tableseal.audit.model import Release
from tests.test_audit.test_formats_px import cells


def dataset(**changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "version": "2.0",
        "class": "dataset",
        "label": "People",
        "id": ["r", "s"],
        "size": [3, 2],
        "dimension": {
            "r": {"category": {"index": {"B": 2, "A": 1, "T": 0}, "child": {"T": ["A", "B"]}}},
            "s": {"category": {"index": ["T", "F"], "label": {"T": "Total"}}},
        },
        "value": [9, 4, 5, None, 4, None],
        "status": {"3": "withheld", "5": "withheld"},
    }
    return {key: value for key, value in (found | changed).items() if value is not None}


def read(folder: Path, document: Any, status_map: dict[str, str] | None = None) -> Release:
    (folder / "x.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return read_release(folder / "x.json", status_map=status_map)


EXPECTED = {("T", "T"): 9, ("T", "F"): 4, ("A", "T"): 5, ("A", "F"): "withheld", ("B", "T"): 4, ("B", "F"): "withheld"}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"status": None},  # CONVENTION 682: a figure that is not there is withheld
        {"status": ["", "", None, "primary", "published", "withheld"]},
        {"value": {"0": 9, "1": 4, "2": 5, "4": 4}},
        {"value": {"0": "9", "1": "4", "2": "5", "4": "4", "5": None}},
        {"version": None, "class": None},
    ],
)
def test_values_and_statuses_in_all_their_forms(tmp_path: Path, changed: dict[str, Any]) -> None:
    found = cells(read(tmp_path, dataset(**changed)))
    assert {cell: "withheld" if value == "primary" else value for cell, value in found.items()} == EXPECTED


def test_old_files_and_collections(tmp_path: Path) -> None:
    plain = dataset(id=None, size=None)
    plain["dimension"] |= {"id": ["r", "s"], "size": [3, 2]}
    del plain["version"], plain["class"]
    assert cells(read(tmp_path, {"dataset": plain})) == EXPECTED
    one = {"version": "2.0", "class": "collection", "link": {"item": [dataset(), {"href": "https://example.org"}]}}
    assert cells(read(tmp_path, one)) == EXPECTED
    one["link"]["item"].append(dataset(label="Other"))
    with pytest.raises(InputError, match=r"2 datasets.*People.*Other"):
        read(tmp_path, one)
    with pytest.raises(InputError, match="links only"):
        read(tmp_path, {"class": "collection", "link": {"item": [{"href": "https://example.org"}]}})


def test_one_status_for_all_withholds_everything(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'row 1, column "status": .*"c".*--status-map c=withheld'):
        read(tmp_path, dataset(status="c"))
    assert set(cells(read(tmp_path, dataset(status="c"), {"c": "withheld"})).values()) == {"withheld"}


def test_labels_of_flags_count_where_they_are_clear(tmp_path: Path) -> None:
    # CONVENTION 682
    labels = {"c": "Confidential", "z": "not applicable"}
    said = dataset(status={"3": "c", "5": "c"}, extension={"status": {"label": labels}})
    assert cells(read(tmp_path, said)) == EXPECTED
    with pytest.raises(InputError, match="not applicable"):
        read(tmp_path, said | {"status": {"3": "z"}})


def test_children_are_groups(tmp_path: Path) -> None:
    category = {"index": ["T", "N", "a", "b", "c", "X"], "child": {"T": ["N", "c"], "N": ["a", "b"], "X": ["a", "c"]}}
    document = dataset(
        id=["r"], size=[6], dimension={"r": {"category": category}}, value=[9, 6, 2, 4, 3, 5], status=None
    )
    found = read(tmp_path, document).variables["r"]
    assert (found.total, len(found.parents)) == ("T", 2)
    assert ("X", "c") in found.edges(1)


def test_metrics_are_measures(tmp_path: Path) -> None:
    # CONVENTION 683
    metric = {"category": {"index": ["n", "x"], "unit": {"x": {"decimals": 1}}, "label": {"n": "Firms", "x": "Sales"}}}
    document = dataset(
        id=["m", "r"],
        size=[2, 3],
        role={"metric": ["m"]},
        dimension={"m": metric, "r": dataset()["dimension"]["r"]},
        value=[9, 5, 4, 1.5, None, None],
        status=None,
    )
    release = read(tmp_path, document)
    assert [(t.name, t.measure) for t in release.tables] == [("Firms", "Firms"), ("Sales", "Sales")]
    assert (release.measures["Firms"].kind, str(release.measures["Sales"].unit)) == ("count", "1/10")
    assert cells(release, 1) == {("T",): 15, ("A",): "withheld", ("B",): "withheld"}


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"value": [9, 4, 5]}, ("value", "3 entries", "6 cells")),
        ({"value": {"6": 1}}, ("value", '"6"', "0 to 5")),
        ({"value": {"01": 1}}, ("value", '"01"')),
        ({"value": None}, ("value", "nothing")),
        ({"status": {"x": "c"}}, ("status", '"x"')),
        ({"status": ["c", "c"]}, ("status", "2 entries")),
        ({"size": [3]}, ("size", "1 entries", "`id` has 2")),
        ({"size": [3, 0]}, ("size[1]", '"0"')),
        ({"size": [3, 3]}, ("dimension.s.category.index", "2 categories", "`size` says 3")),
        ({"id": ["r", "r"]}, ("id", '"r"', "twice")),
        ({"id": ["r", "q"]}, ("dimension.q", "nothing")),
        ({"dimension": {}}, ("dimension.r",)),
        ({"role": {"metric": ["q"]}}, ("role.metric", '"q"')),
        ({"value": [9, 4, 5, [1], 4, 4]}, ("value[3]", "one value")),
        ({"class": "dimension"}, ("dimension", "dataset")),
    ],
)
def test_faults_are_named(tmp_path: Path, changed: dict[str, Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, dataset(**changed))
    for part in ("x.json", *parts):
        assert part in str(error.value)


def test_what_is_not_there_is_withheld(tmp_path: Path) -> None:
    # CONVENTION 680
    assert set(cells(read(tmp_path, dataset(value={}, status=None))).values()) == {"withheld"}
    assert set(cells(read(tmp_path, dataset(value={}, status=[None]))).values()) == {"withheld"}
    with pytest.raises(LimitError, match="cells"):
        read(tmp_path, dataset(size=[3, 999999999]))


@pytest.mark.parametrize(
    "index", [{"T": 0, "A": 1, "B": 3}, {"T": 0, "A": 1, "B": 1}, ["T", "A", "A"], ["T", "A", ""], 3]
)
def test_an_order_that_is_none(tmp_path: Path, index: Any) -> None:
    document = dataset()
    document["dimension"]["r"] = {"category": {"index": index}}
    with pytest.raises(InputError, match=r"dimension\.r\.category\.index"):
        read(tmp_path, document)


def test_no_part_of_a_file_that_is_cut_off_is_read(tmp_path: Path) -> None:
    # CONVENTION 681
    text = json.dumps(dataset())
    for end in range(1, len(text)):
        with pytest.raises(InputError):
            read(tmp_path, text[:end])


def test_numbers_stay_exact(tmp_path: Path) -> None:
    text = (
        json.dumps(dataset(value=[0, 4, 5, None, 0, None]))
        .replace("[0, 4", "[9007199254740993, 4")
        .replace("null, 0, null", "null, 9007199254740988, null")
    )
    assert cells(read(tmp_path, text))["T", "T"] == 9007199254740993


def test_a_dataset_of_several_is_named(tmp_path: Path) -> None:
    # CONVENTION 615: by its label in a collection, by its key before version 2.0
    second = dataset(label="Others", value=[8, 4, 4, None, 4, None])
    old = {key: value for key, value in dataset().items() if key not in ("version", "class")}
    collection = {"version": "2.0", "class": "collection", "link": {"item": [dataset(), second]}}
    for document, names in ((collection, ("People", "Others")), ({"people": old, "others": second}, None)):
        (tmp_path / "x.json").write_text(json.dumps(document))
        with pytest.raises(InputError, match=r"holds 2 datasets \(.*\); say which, as in `x\.json#"):
            read_release(tmp_path / "x.json")
        first, other = names or ("people", "others")
        assert cells(read_release(tmp_path / f"x.json#{first}")) == EXPECTED
        assert cells(read_release(tmp_path / f"x.json#{other}"))["T", "T"] == 8
        with pytest.raises(InputError, match='no dataset "third", expected one of'):
            read_release(tmp_path / "x.json#third")
    (tmp_path / "x.json").write_text(json.dumps({"people": old}))
    assert cells(read_release(tmp_path / "x.json")) == EXPECTED


def test_statuses_and_their_labels_before_version_2(tmp_path: Path) -> None:
    # CONVENTION 615
    old = {key: value for key, value in dataset().items() if key not in ("version", "class")}
    status = {"value": [None, None, None, ":", None, ":"], "category": {"label": {":": "confidential"}}}
    assert cells(read(tmp_path, {"nama": old | {"status": status}})) == EXPECTED
    status["category"] = {"label": {":": "not available"}}
    with pytest.raises(InputError, match="--status-map :="):
        read(tmp_path, {"nama": old | {"status": status}})


def test_a_long_status_before_the_dimensions_hides_nothing(tmp_path: Path) -> None:
    """Keys of JSON come in any order, also in a file whose beginning does not show what it is."""
    # CONVENTION 690
    old = {key: value for key, value in dataset().items() if key not in ("version", "class")}
    early = {"note": "x" * 70_000, "status": old.pop("status"), **old}
    assert cells(read(tmp_path, json.dumps({"dataset": early}))) == EXPECTED
