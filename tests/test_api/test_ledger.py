"""What was published stays known: new releases are audited with it, and the table that makes a cell fall is named."""

import itertools
import json
from collections.abc import Collection, Sequence
from random import Random
from typing import Any

import jsonschema
import pytest
from full_releases import full_release
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small import document, table

from tableseal.audit.codec.documents import json_of, schema_of
from tableseal.audit.errors import AdditivityError, ContradictionError, InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.publications import (
    Assessment,
    Fallen,
    Publication,
    Revision,
    TableName,
    Withdrawal,
    assess,
    publication_from_document,
    publish,
    withdraw,
)
from tableseal.audit.publications.culprits import culprits

NOT_RELEASED = {"leaves": "not_released"}
CODES = ["T", "k", "l", "m"]


EXACT = {"require": {"protection": False}}
"""A policy for which exact disclosure alone counts: no cell needs more than two values."""


def release(*tables: dict[str, Any], **changes: Any) -> Release:
    return release_from_document(document(*tables, **{"policy": EXACT, **changes}))


def publication(*releases: Release, revises: Sequence[Sequence[Revision]] = ()) -> Publication:
    found = Publication("prices")
    for one, revised in itertools.zip_longest(releases, revises, fillvalue=()):
        found = publish(found, one, revises=revised)  # type: ignore[arg-type]
    return found


def culprits_of(found: Assessment) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Code -> sets of "entry:table"."""
    return {
        dict(f.cell.cell)["a"]: tuple(tuple(f"{t.entry}:{t.table}" for t in s) for s in f.culprits.sets)
        for f in found.fallen
    }


ANY = EXACT | {"primary": [{"threshold": 1}]}
"""A rule, which finds nothing sensitive."""

HIDES_TWO = table(CODES, [9, None, None, 4], status=["", "primary", "secondary", ""])


def test_two_releases_safe_alone_unsafe_together_the_culprit_named() -> None:
    # CONVENTION 480
    harmless = release(table(["m"], [4], name="of_m", absent=NOT_RELEASED), policy=ANY)
    tells_l = release(table(["l"], [3], name="of_l", absent=NOT_RELEASED), policy=ANY)
    new = release(HIDES_TWO)
    assert all(audit(one).report.verdict == "safe" for one in (harmless, tells_l, new))
    found = assess(publication(harmless, tells_l), new)
    assert found.verdict == "unsafe"
    assert culprits_of(found) == {"k": (("2:of_l",),), "l": (("2:of_l",),)}
    assert [(f.cell.status, f.new, f.culprits.certain) for f in found.fallen] == [
        ("primary", True, True),
        ("frozen", False, True),
    ]
    reveals = found.fallen[0].cell.reveals
    assert reveals is not None
    assert reveals.text.startswith("k = T - ")
    assert reveals.text.endswith(" = 2")


def test_without_earlier_releases_it_is_the_audit_of_the_release() -> None:
    new = release(HIDES_TWO)
    found = assess(Publication("prices"), new)
    alone = audit(new).report
    assert found.verdict == alone.verdict == "safe"
    assert [(c.cell, c.lower, c.upper, c.verdict) for c in found.report.cells] == [
        (c.cell, c.lower, c.upper, c.verdict) for c in alone.cells
    ]
    exposed = assess(Publication("prices"), release(table(CODES, [9, None, 3, 4], status=["", "primary", "", ""])))
    assert culprits_of(exposed) == {"k": ((),)}, "by itself"
    assert exposed.fallen[0].new


def test_either_of_two_tables_is_enough() -> None:
    # CONVENTION 481
    one = release(table(["l"], [3], name="one", absent=NOT_RELEASED))
    other = release(table(["l"], [3], name="other", absent=NOT_RELEASED))
    found = assess(publication(one, other), release(HIDES_TWO))
    assert set(culprits_of(found)["k"]) == {("1:one",), ("2:other",)}


def test_only_both_tables_together() -> None:
    four = {"a": {"total": "T", "codes": ["k", "l", "m", "n"]}}
    new = release(table(["T", "k", "l", "m", "n"], [10, None, None, None, 4],
                        status=["", "primary", "secondary", "secondary", ""]), variables=four)  # fmt: skip
    parts = [
        release(table([c], [v], name=c, absent=NOT_RELEASED), variables=four) for c, v in (("l", 2), ("n", 4), ("m", 3))
    ]
    found = assess(publication(*parts), new)
    assert culprits_of(found)["k"] == (("1:l", "3:m"),)
    assert culprits_of(found)["l"] == (("1:l",),)


def test_a_cell_withheld_earlier_falls_through_the_new_release() -> None:
    found = assess(publication(release(HIDES_TWO)), release(table(["l"], [3], absent=NOT_RELEASED)))
    (primary,) = [f for f in found.fallen if f.cell.status == "primary"]
    assert (primary.new, found.verdict) == (True, "unsafe")
    assert culprits_of(found)["k"] == (("1:t",),), "with the totals that stood beside it"


def test_what_had_fallen_before_is_told_apart() -> None:
    # CONVENTION 481
    exposed = release(table(CODES, [9, None, 3, 4], status=["", "primary", "", ""]))
    found = assess(publication(exposed), release(table(["T"], [9], name="again")))
    assert [(f.new, f.culprits.sets) for f in found.fallen] == [(False, ((TableName(1, "t"),),))]


def test_versions_of_a_table_with_different_patterns() -> None:
    first = release(HIDES_TWO)
    second = release(table(CODES, [9, None, 3, None], status=["", "primary", "", "secondary"]))
    assert audit(second).report.verdict == "safe"
    found = assess(publication(first), second)
    assert found.verdict == "unsafe"
    assert culprits_of(found)["k"] == (("1:t",),)


def test_geographies() -> None:
    """Counties and parishes over the same districts: the difference is one district."""
    tree = {"a": {"total": "T", "tree": {"N": ["n1", "n2"], "S": ["s1", "s2"]}}}
    other = {"a": {"total": "T", "trees": [{"P": ["n1", "n2", "s1"], "Q": ["s2"]}]}}
    districts = table(["n1", "n2", "s1", "s2"], [5, 6, None, None], status=["", "", "primary", "secondary"])
    counties = release({**districts, "name": "d"}, table(["T", "N", "S"], [20, 11, 9], name="c"), variables=tree)
    parishes = release(table(["P"], [13], name="p", absent=NOT_RELEASED), variables=other)
    assert audit(counties).report.verdict == "safe"
    assert not audit(parishes).report.judged, "it has nothing to protect of its own"
    found = assess(publication(counties), parishes)
    assert culprits_of(found)["s1"] == (("1:d",), ("1:c",)), "P less N, or less n1 and n2"
    assert all(f.new for f in found.fallen if f.cell.status == "primary")


def test_times() -> None:
    """The half year minus the first quarter is the second."""
    time = {"a": {"codes": [], "tree": {"H1": ["Q1", "Q2"]}}}
    del time["a"]["codes"]
    first = release(table(["Q1"], [4], name="q1"), variables=time)
    half = release(
        table(["H1", "Q2"], [7, None], name="h1", status=["", "primary"], absent=NOT_RELEASED), variables=time
    )
    assert audit(half).report.verdict == "safe"
    found = assess(publication(first), half)
    assert culprits_of(found) == {"Q2": (("1:q1",),)}


def test_a_changed_value_is_a_revision_or_an_error() -> None:
    # CONVENTION 482
    before = publication(release(table(CODES, [9, 2, 3, 4])))
    changed = release(table(CODES, [10, 3, 3, 4], name="u"), policy=ANY)
    for refuse in (assess, publish):
        with pytest.raises(ContradictionError) as caught:
            refuse(before, changed)
        assert str(caught.value).startswith(
            'cell a=T: table "entry 1: t" says 9, but table "new release: u" says 10 (2 such'
        )
        assert "say that the release revises entry 1" in str(caught.value)
    assert assess(before, changed, revises=[Revision(1)]).verdict == "safe"
    assert publish(before, changed, revises=[Revision(1)]).entries[1].supersedes == (TableName(1, "t"),)


def test_revisions_name_what_is_there() -> None:
    before = publication(release(table(CODES, [9, 2, 3, 4])))
    new = release(table(CODES, [10, 3, 3, 4]))
    for revision, said in ((Revision(2), "there is no entry 2"), (Revision(1, "x"), 'entry 1, table "x"')):
        with pytest.raises(InputError, match=said):
            publish(before, new, revises=[revision])
    again = publish(before, new, revises=[Revision(1)])
    with pytest.raises(InputError, match="is not there, or revised already"):
        publish(again, new, revises=[Revision(1)])


def test_tables_of_a_revised_entry_that_keep_their_values_stay_known() -> None:
    # CONVENTION 483
    b = {"a": {"total": "T", "codes": ["k", "l", "m"]}, "b": {"total": "both", "codes": ["f", "g"]}}
    kept = {"name": "kept", "cells": {"b": ["f"], "a": ["l"], "value": [1]}, "absent": NOT_RELEASED}
    before = publication(release(table(CODES, [9, 2, 3, 4]), kept, variables=b))
    cells = {
        "a": [*CODES, "l", "l"],
        "b": ["both"] * 4 + ["f", "g"],
        "value": [10, 3, 3, 4, None, None],
        "s": ["", "", "", "", "primary", "secondary"],
    }
    new = release({"name": "t", "cells": cells, "status": "s", "absent": NOT_RELEASED}, variables=b)
    found = assess(before, new, revises=[Revision(1)])
    assert found.supersedes == (TableName(1, "t"),)
    assert TableName(1, "kept") in found.audited
    assert {(f.cell.cell, f.culprits.sets) for f in found.fallen} >= {
        ((("a", "l"), ("b", "f")), ((TableName(1, "kept"),),)),
        ((("a", "l"), ("b", "g")), ((TableName(1, "kept"),),)),
    }


def test_figures_that_cannot_all_be_true_ask_for_the_revision() -> None:
    before = publication(release(table(["T"], [9], name="total")))
    new = release(table(["k", "l", "m"], [3, 3, 4], name="parts"), policy=ANY)
    with pytest.raises(AdditivityError, match="If figures of earlier entries were revised, say so"):
        assess(before, new)
    assert assess(before, new, revises=[Revision(1, "total")]).verdict == "safe"


def test_older_figures_give_a_cell_away_that_is_withheld_now() -> None:
    """Published before the revision, or computed from what was: the intruder has the old tables."""
    # CONVENTION 484
    out = publication(release(table(CODES, [9, 2, 3, 4])))
    new = release(table(CODES, [10, None, None, 4], status=["", "primary", "secondary", ""]))
    found = assess(out, new, revises=[Revision(1)])
    assert (found.report.verdict, found.fallen) == ("safe", ())
    assert found.verdict == "unsafe"
    assert {dict(f.cell.cell)["a"]: f.culprits.sets for f in found.older} == {
        "k": ((TableName(1, "t"),),),
        "l": ((TableName(1, "t"),),),
    }
    hidden = publication(release(HIDES_TWO))
    assert assess(hidden, new, revises=[Revision(1)]).older == ()
    computed = publication(release(table(CODES, [9, None, 3, 4], status=["", "secondary", "", ""])))
    assert [dict(f.cell.cell)["a"] for f in assess(computed, new, revises=[Revision(1)]).older] == ["k", "l"]


def test_withdrawn_with_a_trace_and_still_known_if_it_was_out() -> None:
    # CONVENTION 485
    before = publication(release(table(["l"], [3], absent=NOT_RELEASED)))
    new = release(HIDES_TWO)
    out = withdraw(before, 1, Withdrawal("wrong file", "officer", was_out=True, at="2026-01-02"))
    assert out.entries[0].withdrawn == Withdrawal("wrong file", "officer", True, "2026-01-02")
    assert assess(out, new).verdict == "unsafe"
    never = withdraw(before, 1, Withdrawal("was never sent", "officer", was_out=False))
    assert assess(never, new).verdict == "safe"
    assert len(never.entries) == 1
    for broken, said in ((Withdrawal(" ", "o", True), "says why"), (Withdrawal("r", "", True), "who did it")):
        with pytest.raises(InputError, match=said):
            withdraw(before, 1, broken)
    with pytest.raises(InputError, match="withdrawn already"):
        withdraw(out, 1, Withdrawal("again", "officer", True))
    with pytest.raises(InputError, match="there is no entry 7"):
        withdraw(before, 7, Withdrawal("r", "o", True))


def test_the_rule_of_the_new_release_judges_all() -> None:
    # CONVENTION 486
    strict = {"policy": {"primary": [{"threshold": 5}]}}
    found = assess(publication(release(table(CODES, [9, 2, 3, 4]))), release(table(["T"], [9], name="u"), **strict))
    assert set(culprits_of(found).values()) == {(("1:t",),)}
    assert all(not f.new and f.cell.reason == "sensitive_published" for f in found.fallen)


def test_documents() -> None:
    before = publication(
        release(table(CODES, [9, 2, 3, 4]), title="first"),
        release(table(CODES, [10, 3, 3, 4])),
        revises=[(), (Revision(1),)],
    )
    before = withdraw(before, 2, Withdrawal("r", "o", was_out=False))
    text = json_of(before)
    jsonschema.validate(json.loads(text), schema_of(Publication))
    again = publication_from_document(json.loads(text))
    assert json_of(again) == text
    assert again.vintages() == before.vintages() == ((TableName(1, "t"),),)
    found = assess(again, release(table(["T", "k"], [9, None], status=["", "primary"], name="u", absent=NOT_RELEASED)))
    jsonschema.validate(json.loads(json_of(found)), schema_of(Assessment))
    spoiled = json.loads(text)
    spoiled["entries"][0]["release"]["tables"][0]["cells"]["value"][1] = 3
    with pytest.raises(InputError, match="entry 1 is not the release that was published"):
        publication_from_document(spoiled)
    with pytest.raises(InputError, match='the key "name" is missing'):
        publication_from_document({"schema": "tableseal/publication/1"})


@given(st.sets(st.frozensets(st.integers(0, 6), min_size=0, max_size=4), max_size=4), st.sets(st.integers(0, 6)))
def test_culprits_are_minimal_and_miss_nothing(sufficient: set[frozenset[int]], hint: set[int]) -> None:
    """Against all subsets, for any upward closed "falls"."""
    tables = [TableName(1, str(n)) for n in range(7)]

    def verdict(known: Collection[TableName]) -> str:
        numbers = {int(t.table) for t in known}
        return "exposed" if any(s <= numbers for s in sufficient) else "protected"

    found = culprits(verdict, tables, [tables[n] for n in sorted(hint)])
    assert found.certain
    named = [t for s in found.sets for t in s]
    assert len(named) == len(set(named)), "disjoint"
    for one in found.sets:
        assert verdict(one) == "exposed"
        assert all(verdict([t for t in one if t != left]) != "exposed" for left in one)
    if () not in found.sets:
        assert verdict([t for t in tables if t not in named]) != "exposed"
    assert bool(found.sets) == bool(sufficient)


def test_what_ends_undecided_is_not_certain() -> None:
    one, two = TableName(1, "a"), TableName(1, "b")
    verdicts = {(): "undecided", (one,): "exposed", (two,): "protected", (one, two): "exposed"}
    found = culprits(lambda known: verdicts[tuple(sorted(known))], [one, two], [])
    assert (found.sets, found.certain) == (((one,),), False)


@settings(max_examples=6)
@given(st.integers(0, 10**9))
def test_culprits_of_random_publications_against_every_subset(seed: int) -> None:
    """Tables of a random release one by one, some cells withheld in the last: audits of every subset agree."""
    random = Random(seed)
    whole = full_release(random, base=8)
    entries = whole["tables"]
    assume(2 <= len(entries) <= 4)
    for entry in entries:
        hidden = random.randrange(1, 4)
        for at in random.sample(range(len(entry["cells"]["s"])), min(hidden, len(entry["cells"]["s"]))):
            entry["cells"]["s"][at] = "primary"
    parts = [release_from_document({**whole, "tables": [entry]}) for entry in entries]
    before = publication(*parts[:-1])
    found = assess(before, parts[-1])
    names = [next(iter(entry.tables())) for entry in before.entries]

    def falls(item: Fallen, known: Sequence[TableName]) -> bool:
        """By an audit of documents: rows of the other tables that are not withheld are not there."""
        kept = []
        for number, entry in enumerate(entries, start=1):
            is_known = any(t.entry == number for t in known) or (number == len(entries) and item.new)
            cells = entry["cells"]
            rows = [k for k, s in enumerate(cells["s"]) if is_known or s]
            if rows:
                few = {name: [column[k] for k in rows] for name, column in cells.items()}
                kept.append({**entry, "cells": few} | ({} if is_known else {"absent": NOT_RELEASED}))
        report = audit(release_from_document({**whole, "tables": kept})).report
        cells_found = {(c.measure, c.cell): c.verdict for c in report.cells}
        return cells_found.get((item.cell.measure, item.cell.cell)) in ("exposed", "underprotected")

    for item in found.fallen:
        for one in item.culprits.sets:
            assert falls(item, one)
            assert all(not falls(item, [t for t in one if t != left]) for left in one)
        if () not in item.culprits.sets:
            named = {t for one in item.culprits.sets for t in one}
            assert not falls(item, [t for t in names if t not in named])


def test_what_no_row_lists_falls_by_an_earlier_table() -> None:
    """CONVENTION 524. Women of A, B and C are out, those of A and B come: 57 - 56 = 1 of C, which no row lists."""

    def query(name: str, groups: list[str], women: int) -> Release:
        variables = {"dept": {"codes": ["A", "B", "C"]}, "sex": {"total": "T", "codes": ["F", "M"]}}
        cells = {"sex": ["F", "M", "T"], "value": [women, 40, women + 40]}
        one = {"name": name, "where": {"dept": groups}, "cells": cells, "absent": NOT_RELEASED}
        policy = {"primary": [{"threshold": 4}]}
        said = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [one], "policy": policy}
        return release_from_document(said)

    found = assess(publication(query("q1", ["A", "B", "C"], 57)), query("q2", ["A", "B"], 56))
    assert found.verdict == "unsafe"
    [fallen] = [f for f in found.fallen if dict(f.cell.cell) == {"dept": "C", "sex": "F"}]
    assert (fallen.cell.reason, fallen.cell.upper, fallen.new) == ("implied", 1, True)
    assert fallen.culprits.sets == ((TableName(1, "q1"),),)
    assert "C" in json_of(found)
    jsonschema.validate(json.loads(json_of(found)), schema_of(Assessment))


@pytest.mark.parametrize(
    "more",
    [
        {"values": [9, -2, None, 4]},
        {"reason": "why", "columns": {"why": ["", "A", "D", ""]}},
        {"protection": {"sliding": "w"}, "columns": {"w": [None, 2, None, None]}},
        {"weighted": "n", "frequency": [9, 2, 3, 4], "columns": {"n": [9, 2, 3, 4]}},
    ],
)
def test_whatever_stands_beside_the_cells_of_earlier_tables_goes_with_them(more: dict[str, Any]) -> None:
    """The table that makes a cell fall is looked for among parts of the earlier ones."""
    # CONVENTION 480
    columns, values = more.pop("columns", {}), more.pop("values", [9, None, None, 4])
    earlier = table(CODES, values, status=["", "primary", "secondary", ""], **more)
    earlier["cells"] |= columns
    tells = release(table(["l"], [3], name="of_l", absent=NOT_RELEASED), policy=ANY)
    found = assess(publication(release(earlier), tells), release(table(["m"], [4], name="of_m", absent=NOT_RELEASED)))
    assert found.verdict == "unsafe"
    assert set(culprits_of(found)) == {"k", "l"}
