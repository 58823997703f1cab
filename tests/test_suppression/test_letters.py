"""Reasons in protected files (CONVENTION 593)."""

import csv
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, policy_document, read_release, release_files, release_from_document
from tableseal.audit.model import Status
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.reasons.letters import with_letters
from tableseal.suppression.suppress import suppress

LETTERS = {"threshold": "A", "dominance_by_one": "B", "dominance_by_two": "C", "secondary": "D", "status": "N"}


def document(**reasons: str) -> dict[str, Any]:
    """Turnover of four industries in four regions: one cell of two firms, one where one is 90%, one where two are 95%,
    and one that the agency itself calls primary."""
    cells: dict[str, list[Any]] = {name: [] for name in ("a", "b", "value", "n", "x1", "x2", "status")}
    special = {("1", "1"): (100, 2, 50, 50), ("2", "2"): (100, 9, 90, 4), ("3", "3"): (100, 9, 60, 35)}
    values = {(a, b): special.get((a, b), (200, 9, 40, 30)) for a in "1234" for b in "1234"}
    for a in "1234T":
        for b in "1234T":
            inside = [v for (r, c), v in values.items() if a in (r, "T") and b in (c, "T")]
            largest = sorted((x for v in inside for x in v[2:]), reverse=True)
            row = (a, b, sum(v[0] for v in inside), sum(v[1] for v in inside), *largest[:2])
            for name, value in zip(cells, row, strict=False):
                cells[name].append(value)
            cells["status"].append("primary" if (a, b) == ("4", "4") else "")
    rules: list[dict[str, Any]] = [{"threshold": 3}]
    rules += [{"dominance": {"n": 1, "k": 80}}, {"dominance": {"n": 2, "k": 90}}]
    return {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {name: {"total": "T", "codes": list("1234")} for name in "ab"},
        "tables": [
            {
                "name": "t",
                "cells": cells,
                "frequency": "n",
                "contributors": ["x1", "x2"],
                "status": "status",
            }
        ],
        "intruder": {"insiders": []},
        "policy": {"primary": rules} | ({"reasons": reasons} if reasons else {}),
    }


def letters(**reasons: str) -> tuple[dict[tuple[str, str], str], Any]:
    result = suppress(release_from_document(document(**reasons)))
    assert result.verdict == "safe"
    assert result.release is not None
    release = public_release(result.release, tell_statuses=True)
    [table] = canonical_document(release)["tables"]
    rows = table["cells"]
    return dict(zip(zip(rows["a"], rows["b"], strict=True), rows["reason"], strict=True)), result.release


def test_each_withheld_cell_says_the_first_rule_its_status_or_that_it_is_secondary() -> None:
    found, release = letters(**LETTERS)
    assert [found[c, c] for c in "1234"] == ["A", "B", "C", "N"]
    [table] = release.tables
    names = [tuple(release.cell_codes(codes).values()) for codes in table.codes]
    withheld = {cell for cell, status in zip(names, table.status, strict=True) if status >= Status.SECONDARY}
    assert {cell for cell, letter in found.items() if letter} == withheld
    assert {found[cell] for cell in withheld if cell[0] != cell[1] or "T" in cell} == {"D"}


def test_a_dominance_rule_without_a_letter_of_its_own_has_that_of_dominance() -> None:
    found, _ = letters(dominance="X", dominance_by_two="C")
    assert [found[c, c] for c in "1234"] == ["", "X", "C", ""]


def test_reasons_are_told_only_with_the_statuses(tmp_path: Path) -> None:
    _, release = letters(**LETTERS)
    for told in (True, False):
        public = public_release(with_letters(release), tell_statuses=told)
        for path, text in release_files(public, tmp_path / "out.yaml").items():
            path.write_text(text)
        with (tmp_path / "out_t.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert ("reason" in rows[0]) is told
        again = read_release(tmp_path / "out.yaml").tables[0]
        assert again.reason == public.tables[0].reason
        assert (again.reason is not None) is told


def test_nothing_is_written_where_the_policy_has_no_letters() -> None:
    result = suppress(release_from_document(document()))
    assert result.release is not None
    assert public_release(result.release, tell_statuses=True).tables[0].reason is None


def test_letters_are_part_of_the_policy() -> None:
    policy = release_from_document(document(**LETTERS)).policy
    assert policy is not None
    assert policy_document(policy)["reasons"] == LETTERS
    assert "reasons" not in policy_document(release_from_document(document()).policy or policy)
    with pytest.raises(InputError, match="dominance_by_three"):
        release_from_document(document(dominance_by_three="Q"))
