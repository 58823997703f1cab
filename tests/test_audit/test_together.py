"""Releases laid side by side: the same as one release with all their tables, and never put together by guessing."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from random_releases import Maker

from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report
from tableseal.audit.together import Member, combine

Findings = dict[tuple[str, tuple[tuple[str, str], ...]], tuple[object, ...]]

TREE = {"total": "T", "tree": {"N": ["n1", "n2"], "S": ["s1", "s2"]}}
COUNTIES = {"total": "T", "codes": ["N", "S"]}
DISTRICTS = {"a": ["T", "N", "S", "n1", "n2", "s1", "s2"]}


def release(variables: dict[str, Any], *tables: dict[str, Any], **changes: Any) -> Release:
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": list(tables)} | changes
    return release_from_document(document)


def table(name: str, codes: Sequence[str], value: Sequence[int | None], **entry: Any) -> dict[str, Any]:
    return {"name": name, "cells": {"a": list(codes), "value": list(value)}, **entry}


def together(*releases: Release, **options: Any) -> Release:
    members = [Member(f"r{n}.yaml", one) for n, one in enumerate(releases, start=1)]
    return combine(members, title="together", **options)


def refusal(*releases: Release) -> str:
    with pytest.raises(InputError) as caught:
        together(*releases)
    return str(caught.value)


def findings(report: Report) -> Findings:
    """What is found of each cell, whatever its tables are called and whatever variables stand at their total."""
    return {
        (c.measure, tuple(sorted(c.cell))): (c.status, c.lower, c.upper, c.attained, c.sensitive, c.verdict, c.reason)
        for c in report.cells
    }


def audited(one: Release) -> Findings | None:
    try:
        return findings(audit(one).report)
    except TablesealError:
        return None


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_tables_of_one_release_in_many_are_the_one_release(seed: int) -> None:
    """And their order does not matter."""
    random = Random(seed)
    document = Maker(random, base=8, largest=3, linked=0).document()
    assume(len(document["tables"]) > 1)
    parts = [release_from_document({**document, "tables": [t]}) for t in document["tables"]]
    members = [Member(f"r{n}", part) for n, part in enumerate(parts)]
    random.shuffle(members)
    assert audited(combine(members, title="")) == audited(release_from_document(document))


@settings(max_examples=40)
@given(st.integers(0, 10**9))
@example(2288430)  # a total of 0 that one table computes and another withholds, with `nonempty`
def test_releases_that_know_only_upper_levels_are_the_one_release(seed: int) -> None:
    """Tables that list only groups come with a classification of these groups alone."""
    # CONVENTION 463
    random = Random(seed)
    nested = {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}}
    shapes = [nested, random.choice([nested, {"total": "T", "codes": ["1", "2"]}])]
    schema = random.choice([((0,), (0,)), ((0, 1), (0,)), ((0, 1), (0, 1)), ((0, 1), (1,), (0,))])
    document = Maker(random, base=16, largest=3, linked=0, schema=schema, shapes=shapes).document()
    document.pop("links", None)
    parts, tables = [], []
    for entry in document["tables"]:
        variables = dict(document["variables"])
        for name, variable in variables.items():
            cells = entry["cells"]
            upper = [k for k, code in enumerate(cells.get(name, ())) if code in ("T", *variable.get("tree", ()))]
            if "tree" in variable and upper and random.random() < 0.7:
                entry = {**entry, "cells": {c: [column[k] for k in upper] for c, column in cells.items()}}
                variables[name] = {"total": "T", "codes": list(variable["tree"])}
        tables.append(entry)
        parts.append(release_from_document({**document, "variables": variables, "tables": [entry]}))
    members = [Member(f"r{n}", part) for n, part in enumerate(parts)]
    random.shuffle(members)
    # (A computed total that another table withholds is a row of a table here: called published, with the reason; and
    # one that another table says is missing is not listed.)
    found = [audited(combine(members, title="")), audited(release_from_document({**document, "tables": tables}))]
    one, other = (
        None if f is None else {cell: said[1:-1] for cell, said in f.items() if "not_judged" not in said} for f in found
    )
    assert one == other


def test_tables_keep_apart_under_the_name_of_their_release() -> None:
    # CONVENTION 461
    one = release({"a": COUNTIES}, table("t", ["T", "N"], [9, 4]), title="first")
    found = together(one, one)
    assert [t.name for t in found.tables] == ["r1.yaml: t", "r2.yaml: t"]
    assert canonical_json(release_from_document(__import__("json").loads(canonical_json(found)))) == canonical_json(
        found
    )


def test_one_has_districts_and_the_other_counties() -> None:
    """N is withheld in one release and the sum of what the other one publishes."""
    # CONVENTION 462
    counties = release({"a": COUNTIES}, table("t", ["T", "N", "S"], [9, None, None]))
    districts = release({"a": TREE}, table("u", ["n1", "n2"], [1, 2], absent={"leaves": "not_released"}))
    assert [c.verdict for c in audit(counties).report.cells] == ["protected", "protected"]
    for parts in ((counties, districts), (districts, counties)):
        found = {dict(c.cell)["a"]: c for c in audit(together(*parts)).report.cells}
        assert (found["N"].lower, found["N"].verdict) == (3, "exposed")
        assert (found["S"].lower, found["S"].verdict) == (6, "exposed")


def test_two_geographies_over_the_same_districts() -> None:
    other = {"total": "T", "tree": {"P": ["n1", "s1"], "Q": ["n2", "s2"]}}
    one = release({"a": TREE}, table("t", ["T", "N", "S"], [10, 4, 6]))
    two = release({"a": other}, table("u", ["T", "P", "Q"], [10, 3, 7]))
    (variable,) = together(one, two).variables.values()
    assert set(variable.codes) == {"T", "N", "S", "P", "Q", "n1", "n2", "s1", "s2"}
    assert len(variable.parents) == 2


def test_a_computed_total_stays_one_of_its_own_release() -> None:
    """The districts of a release release its counties; that they make parishes is known to another release only."""
    # CONVENTION 463
    other = {"total": "T", "tree": {"P": ["n1", "s1"], "Q": ["n2", "s2"]}}
    cells = {
        "a": ["n1", "n2", "s1", "s2"],
        "value": [1, 2, 3, 4],
        "s": ["primary", "secondary", "primary", "secondary"],
    }
    entry = {"name": "t", "cells": cells, "status": "s", "absent": {"totals": "compute"}}
    districts = release({"a": TREE}, entry)
    parishes = release({"a": other}, {"name": "u", "cells": {"a": ["T"], "value": [10]}})
    report = audit(together(districts, parishes)).report
    assert {dict(c.cell)["a"]: (c.lower, c.upper) for c in report.cells} == {
        "n1": (0, 3), "n2": (0, 3), "s1": (0, 7), "s2": (0, 7)
    }  # fmt: skip
    assert [t.name for t in together(districts, parishes).tables][1] == "r1.yaml: t (computed totals)"


def test_absent_zeros_stay_those_of_its_own_release() -> None:
    """Where values may be negative a county of 0 does not make its districts 0."""
    # CONVENTION 463
    may_be_negative = {"intruder": {"nonnegative": False}}
    counties = release({"a": COUNTIES}, table("t", ["T", "N"], [9, 9]), **may_be_negative)
    districts = release(
        {"a": TREE}, table("u", ["s1", "n1"], [None, 9], absent={"leaves": "not_released"}), **may_be_negative
    )
    (cell,) = [c for c in audit(together(counties, districts)).report.cells if dict(c.cell)["a"] == "s1"]
    assert (cell.lower, cell.upper) == (None, None)
    nonnegative = [
        release({"a": v}, table(n, c, x, absent=a))
        for v, n, c, x, a in (
            (COUNTIES, "t", ["T", "N"], [9, 9], {}),
            (TREE, "u", ["s1", "n1"], [None, 9], {"leaves": "not_released"}),
        )
    ]
    (cell,) = [c for c in audit(together(*nonnegative)).report.cells if dict(c.cell)["a"] == "s1"]
    assert (cell.lower, cell.upper) == (0, 0)


def test_a_variable_that_one_does_not_know_stands_at_its_total() -> None:
    one = release({"a": COUNTIES}, table("t", ["T", "N", "S"], [9, None, None]))
    sex = {"total": "both", "codes": ["f", "m"]}
    cells = {"a": ["N", "N"], "sex": ["f", "m"], "value": [1, 3]}
    two = release({"a": COUNTIES, "sex": sex}, {"name": "u", "cells": cells, "absent": {"leaves": "not_released"}})
    report = audit(together(one, two)).report
    assert all(c.verdict == "exposed" for c in report.cells)


def test_years_are_put_side_by_side() -> None:
    def of(year: str) -> Release:
        cells = {"y": [year, year], "a": ["T", "N"], "value": [9, 4]}
        return release({"y": {"codes": [year]}, "a": COUNTIES}, {"name": "t", "cells": cells})

    years = [of("2023"), of("2024")]
    assert together(*years).variables["y"].codes == ("2023", "2024")
    without = release({"a": COUNTIES}, table("t", ["T"], [9]))
    assert 'r2.yaml: has no variable "y"' in refusal(years[0], without)


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ({"total": "T", "codes": ["N", "S", "W"]}, '"T" covers "W" in r2.yaml; in r1.yaml it consists of N, S'),
        ({"total": "all", "codes": ["N", "S"]}, 'has the total "T" in one and "all" in the other'),
        ({"codes": ["N", "S"]}, 'has the total "T" in one and nothing in the other'),
        ({"total": "T", "codes": ["n1", "n2"]}, '"T" covers "n1" in r2.yaml; in r1.yaml it consists of N, S'),
    ],
)  # fmt: skip
def test_classifications_that_disagree_are_refused(variable: dict[str, Any], said: str) -> None:
    # CONVENTION 462
    one = release({"a": COUNTIES}, table("t", ["N"], [1]))
    code = variable["codes"][0]
    other = release({"a": variable}, table("t", [code], [1]))
    message = refusal(one, other)
    assert "r1.yaml and r2.yaml" in message
    assert said in message


def test_groups_that_mean_something_else_are_refused() -> None:
    changed = {"total": "T", "tree": {"N": ["n1"], "S": ["n2", "s1", "s2"]}}
    message = refusal(release({"a": TREE}, table("t", ["N"], [1])), release({"a": changed}, table("t", ["N"], [1])))
    assert "r1.yaml, r2.yaml" in message
    assert 'group "N" covers different codes' in message


def test_everything_else_that_disagrees_is_refused() -> None:
    # CONVENTION 464
    entry = table("t", ["T", "N"], [9, 4])
    plain = release({"a": COUNTIES}, entry)
    assert 'r1.yaml and r2.yaml: the measure "value" is a count of unit 1 in one' in refusal(
        plain, release({"a": COUNTIES}, table("t", ["T"], [10]), kind="magnitude", unit=10)
    )
    knows = release({"a": COUNTIES}, entry, intruder={"nonempty": True})
    assert "`intruder: nonempty` differs" in refusal(plain, knows)
    strict = release({"a": COUNTIES}, entry, policy={"primary": [{"threshold": 3}]})
    assert "have different policies" in refusal(plain, strict)
    assert together(plain, strict, policy=strict.policy).policy == strict.policy
    data = {"cells": {"a": ["N"]}}
    records = release({"a": COUNTIES}, entry, microdata=data)
    others = release({"a": COUNTIES}, entry, microdata={"cells": {"a": ["S"]}})
    assert "both have microdata, which differ" in refusal(records, others)
    assert together(plain, records).microdata is not None
    shared = together(records, plain, records).microdata
    assert shared is not None
    assert len(shared.codes) == 1


def test_one_cell_with_two_values_names_both_files() -> None:
    one = release({"a": COUNTIES}, table("t", ["T", "N"], [9, 4]))
    other = release({"a": COUNTIES}, table("t", ["T", "N"], [9, 5]))
    with pytest.raises(InputError, match=r'"r1.yaml: t".*row 2 says 4, but table "r2.yaml: t".*row 2 says 5'):
        audit(together(one, other))
