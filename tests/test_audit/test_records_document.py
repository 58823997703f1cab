"""Tables of bare records: what is said in few words is a release document. CONVENTION 1023-1025."""

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import release_from_document, release_from_records, write_document
from tableseal.audit.io.advice import IN_A_FILE
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.records_document import AboutRecords, read_records, records_document
from tableseal.audit.io.yaml_text import parse_document
from tableseal.audit.model import Release
from tableseal.audit.tabulation.release import tabulated

HERE = Place("firms.csv")
FIRMS = {
    "firm": ["f3", "f1", "f2", "f4", "f1"],
    "region": ["S", "N", "N", "S", "N"],
    "district": ["S1", "N1", "N2", "S1", "N2"],
    "size": ["10", "9", "9", "10", "9"],
    "sales": ["5", "2.5", "70", "1", "4"],
}


def document(about: AboutRecords, data: dict[str, list[Any]] = FIRMS) -> dict[str, Any]:
    return records_document(Columns.of(HERE, data), {"file": "firms.csv"}, "", about, IN_A_FILE)[0]


def release(about: AboutRecords, data: dict[str, list[Any]] = FIRMS) -> Release:
    return tabulated(release_from_records(Columns.of(HERE, data), about, IN_A_FILE))


def values(found: Release, table: int = 0) -> dict[tuple[str, ...], int]:
    made = found.tables[table]
    codes = [
        [hierarchy.codes[code] for code in made.codes[:, at]] for at, hierarchy in enumerate(found.variables.values())
    ]
    return dict(zip(zip(*codes, strict=True), made.value.units.tolist(), strict=True))


def test_a_table_of_sums_with_levels_of_a_classification() -> None:
    # CONVENTION 1023, 1024
    about = AboutRecords([["region/district", "size"]], "sales", id="firm")
    found = document(about)
    assert found["variables"] == {
        "district": {"total": "Total", "tree": {"N": {"N1": {}, "N2": {}}, "S": {"S1": {}}}},
        "size": {"total": "Total", "codes": ["9", "10"]},  # numbers by size
    }
    assert (found["kind"], found["unit"]) == ("magnitude", "0.1")
    assert found["microdata"] == {"file": "firms.csv", "values": {"value": "sales"}, "id": "firm"}
    made = values(release(about))
    assert made[("N", "Total")] == 765
    assert made[("N2", "9")] == 740
    assert made[("Total", "Total")] == 825


def test_without_a_column_of_values_records_are_counted() -> None:
    # CONVENTION 1023
    found = release(AboutRecords([["region"], ["size", "region"]]))
    assert [table.name for table in found.tables] == ["region", "size_by_region"]
    assert values(found)[("Total", "Total")] == 5
    assert {note.code for note in found.notes} >= {"assumed_total", "assumed_contributors"}


def test_the_document_that_is_written_is_the_release_that_is_read(tmp_path: Path) -> None:
    # CONVENTION 1023
    lines = [";".join(FIRMS), *(";".join(row).replace(".", ",") for row in zip(*FIRMS.values(), strict=True))]
    (tmp_path / "firms.csv").write_text("\n".join(lines))
    about = AboutRecords([["region/district", "size"], ["size"]], "sales", id="firm")
    columns = read_records(tmp_path / "firms.csv")
    written, _ = records_document(columns, {"file": "firms.csv"}, "", about, IN_A_FILE)
    text = write_document(written)
    read = tabulated(release_from_document(dict(parse_document(text, "r.yaml")), folder=tmp_path))  # type: ignore[arg-type]
    direct = tabulated(release_from_records(columns, about, IN_A_FILE))
    for at in range(2):
        assert values(read, at) == values(direct, at) == values(release(about), at)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2", "10"]), st.integers(0, 9)), min_size=1),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None)
def test_tables_are_sums_of_records_whatever_their_order(rows: list[tuple[str, str, int]], random: Any) -> None:
    # CONVENTION 1023, 1024
    about = AboutRecords([["a", "b"]], "n")

    def made(some: list[tuple[str, str, int]]) -> tuple[Release, dict[str, Any]]:
        columns = dict(
            zip(("a", "b", "n"), ([str(x) for x in column] for column in zip(*some, strict=True)), strict=True)
        )
        return release(about, columns), document(about, columns)

    sums: Counter[tuple[str, ...]] = Counter()
    for a, b, n in rows:
        for cell in product((a, "Total"), (b, "Total")):
            sums[cell] += n
    found, said = made(rows)
    assert values(found) == dict(sums)
    shuffled = random.sample(rows, len(rows))
    assert made(shuffled)[1] == said
    assert values(made(shuffled)[0]) == values(found)


BROKEN: list[tuple[AboutRecords, list[str]]] = [
    (AboutRecords([["regoin"]]), ['no column "regoin"', "region", "codes of a classification"]),
    (AboutRecords([["region/distrct"]]), ['no column "distrct"', "a level of a classification"]),
    (AboutRecords([["region"]], "turnover"), ['no column "turnover"', "the values"]),
    (AboutRecords([["region"]], "sales", id="firms"), ['no column "firms"', "the identity of the unit"]),
    (AboutRecords([["region", "region"]]), ['"region" stands twice']),
    (AboutRecords([["region/district", "region"]]), ['"region" stands twice']),
    (AboutRecords([[]]), ["at least one column"]),
    (AboutRecords([["region", "size"], ["size", "region"]]), ["is asked for twice"]),
    (
        AboutRecords([["region/district"], ["district", "size"]]),
        ["region/district in one table and district in another"],
    ),
    (AboutRecords([["sales"]], "sales"), ['"sales" is to hold codes and the values']),
    (AboutRecords([["region"]], "region"), ['"region" is to hold codes and the values']),
    (AboutRecords([["region"]], "firm"), ['row 1, column "firm"', "a number, as each record is to have"]),
    (AboutRecords([["region"]], total="N"), ['column "region"', 'the code "N"', "say another one"]),
    (AboutRecords([["region"]], total={"size": "T"}), ['found "size"', "a classification of the tables: region"]),
    (AboutRecords([["region"]], kind="magnitude"), ["say which (`value`)"]),
]


@pytest.mark.parametrize(("about", "mentions"), BROKEN)
def test_what_does_not_fit_the_records_is_told(about: AboutRecords, mentions: list[str]) -> None:
    # CONVENTION 1025
    with pytest.raises(InputError) as error:
        release(about)
    for mention in mentions:
        assert mention in str(error.value)


@pytest.mark.parametrize("entry", ["", None, "x", "n.a.", "*"])
def test_a_record_without_a_number_is_named_and_shows_nothing(entry: str | None) -> None:
    # CONVENTION 1025
    broken = {**FIRMS, "sales": ["5", "2.5", entry, "70", "9"]}
    with pytest.raises(InputError) as error:
        release(AboutRecords([["region"]], "sales"), broken)
    assert 'row 3, column "sales"' in str(error.value)
    assert "70" not in str(error.value)


def test_a_record_without_a_code_is_named() -> None:
    # CONVENTION 1025
    with pytest.raises(InputError) as error:
        release(AboutRecords([["region"]]), {**FIRMS, "region": ["S", "", "N", None, "N"]})
    assert "2" in str(error.value)


def test_a_code_that_lies_below_two_is_told() -> None:
    # CONVENTION 1025
    with pytest.raises(InputError, match="N2"):
        release(AboutRecords([["region/district"]]), {**FIRMS, "region": ["S", "N", "N", "S", "S"]})


@pytest.mark.parametrize("taken", [["Total"], ["Total", "All"], ["Total", "All", "T"]])
def test_the_total_is_a_code_that_no_record_has(taken: list[str]) -> None:
    # CONVENTION 1024
    found = release(AboutRecords([["a"]]), {"a": [*taken, "x", "y"]})
    (note,) = [note.text for note in found.notes if note.code == "like_totals"]
    assert f'"{taken[0]}", as totals are called' in note
    total = found.variables["a"].total
    assert total not in taken
    assert values(found)[(total,)] == len(taken) + 2  # type: ignore[index]


def test_codes_of_any_number_of_digits_are_in_order() -> None:
    # CONVENTION 1024
    codes = ["b", "10", "9" * 5000, "007", "2", "A"]
    assert document(AboutRecords([["a"]]), {"a": codes})["variables"]["a"]["codes"] == [
        "2", "007", "10", "9" * 5000, "A", "b"
    ]  # fmt: skip


def test_levels_of_many_records_are_few_combinations() -> None:
    # CONVENTION 1024
    number = np.random.default_rng(0).integers(0, 50, 2_000)
    data = {"a": [f"g{n // 10}" for n in number], "b": [f"c{n}" for n in number]}
    tree = document(AboutRecords([["a/b"]]), data)["variables"]["b"]["tree"]
    assert {group: len(parts) for group, parts in tree.items()} == {f"g{k}": 10 for k in range(5)}


def test_there_is_always_a_code_for_the_total() -> None:
    # CONVENTION 1024
    codes = ["Total", "All", "T", "Total of all", "Total of all 2"]
    for count, expected in enumerate([*codes, "Total of all 3"]):
        data = {"region": [*codes[:count], "N"]}
        assert document(AboutRecords([["region"]]), data)["variables"]["region"]["total"] == expected


def test_blanks_are_no_code_and_no_unit() -> None:
    # CONVENTION 1025
    with pytest.raises(InputError, match=r"2 records have no code of \"region\" \(rows 1, 3\)"):
        release(AboutRecords([["region"]]), {"region": [" ", "N", ""]})
    found = release(AboutRecords([["region"]], id="firm"), {"region": ["N"] * 4, "firm": [" ", " ", None, "a"]})
    frequency = found.tables[0].frequency
    assert frequency is not None
    assert frequency.units.tolist() == [4, 4]  # records of nobody who is known are of a contributor each
