"""Every scheme of rounding with every command, on small releases, against a list of all tables that fit.

A table is rounded by the scheme and another one is exact; they list some of the same cells, with statuses of their own.
Never a crash, and never a SAFE where the list says otherwise.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from schemes import SCHEMES

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, canonical_json, release_from_document
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report
from tableseal.audit.together import Member, combine
from tableseal.suppression.comparison.compare import compare
from tableseal.suppression.comparison.document import comparison_json
from tableseal.suppression.comparison.html import comparison_html
from tableseal.suppression.comparison.text import comparison_text
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.search.methods import METHODS
from tableseal.suppression.suppress import suppress

CODES = ("x", "y", "z", "T")
LARGEST = 7
MOST = 34
"""Values of x, y and z in the list; what reaches the last of them has no limit."""

THRESHOLD = 3
HIDDEN = ("primary", "secondary", "withheld", "missing")
SEEDS = st.integers(0, 2**40)

Document = dict[str, Any]


def random_document(random: Random, name: str) -> Document:
    """Some of x, y, z and their total, rounded by a scheme, and some of them as they are."""
    scheme, shows = SCHEMES[name]
    true = {code: random.choice([0, 1, 1, 2, *range(3, LARGEST + 1)]) for code in "xyz"}
    true["T"] = sum(true.values())
    tables = []
    for number, rounding in enumerate([scheme, None] if random.random() < 0.8 else [scheme]):
        codes = random.sample(CODES, random.randint(2, 4) if rounding else random.randint(1, 3))
        hidden = random.choice([(), HIDDEN, HIDDEN])
        status = [random.choice(hidden) if hidden and random.random() < 0.4 else "" for _ in codes]
        values = [random.choice(sorted(shows(true[c]))) if rounding else true[c] for c in codes]
        shown = [None if s in HIDDEN else v for v, s in zip(values, status, strict=True)]
        cells = {"a": codes, "value": shown, "status": status, "truth": [true[c] for c in codes]}
        tables.append(
            {"name": f"t{number}", "cells": cells, "status": "status", "truth": "truth"}
            | ({"rounding": rounding} if rounding else {})
            | {"absent": {"leaves": "not_released"}}
        )
    policy = {"primary": [{"threshold": THRESHOLD}]} if random.random() < 0.5 else {}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}},
        "tables": tables,
        "policy": policy | ({"require": {"risk": 0.5}} if random.random() < 0.2 else {}),
        "intruder": {"insiders": []},
    }


class Listed:
    """All tables that fit a document."""

    def __init__(self, document: Document, name: str) -> None:
        shows = SCHEMES[name][1]
        grid = np.stack(np.meshgrid(*[np.arange(MOST)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        self.values = np.column_stack([grid, grid.sum(axis=1)])
        self.document = document
        fits = np.ones(len(grid), np.bool_)
        for table in document["tables"]:
            for code, value, _ in _rows(table):
                if value is not None:
                    may = np.array([value in (shows(v) if "rounding" in table else {v}) for v in range(3 * MOST)])
                    fits &= may[self.values[:, CODES.index(code)]]
        self.values = self.values[fits]
        assert len(self.values), "the true one fits"

    def of(self, code: str) -> NDArray[np.int64]:
        """Values of a cell."""
        return np.unique(self.values[:, CODES.index(code)])

    def ends(self, code: str) -> tuple[int, int | None]:
        """The least and the largest value; None: no limit."""
        found = self.of(code)
        endless = any(self.of(part)[-1] == MOST - 1 for part in ("xyz" if code == "T" else code))
        return int(found[0]), None if endless else int(found[-1])

    def exposed(self) -> set[str]:
        """Sensitive cells with one possible value, and unlisted ones whose every possible value is sensitive."""
        tables = self.document["tables"]
        listed = {code for table in tables for code in table["cells"]["a"]}
        true = dict(pair for table in tables for pair in zip(table["cells"]["a"], table["cells"]["truth"], strict=True))
        rule = bool(self.document["policy"].get("primary"))
        found = set()
        for code in CODES:
            rows = [("rounding" in table, v, s) for table in tables for c, v, s in _rows(table) if c == code]
            sensitive = any(status in ("primary", "withheld") for _, _, status in rows)
            sensitive |= any(rounded and v is not None and self._hides(v) for rounded, v, _ in rows)
            small = rule and all(0 < v < THRESHOLD for v in self.of(code).tolist())
            if code in listed:
                only_missing = all(status == "missing" for _, _, status in rows)
                sensitive |= rule and 0 < true[code] < THRESHOLD and not only_missing
                found |= {code} if sensitive and len(self.of(code)) == 1 else set()
            else:
                found |= {code} if small else set()
        return found

    def _hides(self, value: int) -> bool:
        """Whether the scheme shows several values so."""
        (name,) = {n for n, (scheme, _) in SCHEMES.items() if scheme == self.document["tables"][0]["rounding"]}
        return sum(value in SCHEMES[name][1](v) for v in range(3 * MOST)) > 1


def _rows(table: Mapping[str, Any]) -> Sequence[tuple[str, int | None, str]]:
    cells = table["cells"]
    return list(zip(cells["a"], cells["value"], cells["status"], strict=True))


def check(report: Report, listed: Listed) -> None:
    """Intervals are those of the list, and SAFE is true."""
    for cell in report.cells:
        code = dict(cell.cell)["a"]
        low, high = listed.ends(code)
        assert (cell.lower, cell.upper) == (low, high), code
        if cell.sensitive and cell.required is not None and report.verdict == "safe":
            assert low <= cell.required[0]
            assert high is None or high >= cell.required[1]
    exposed = listed.exposed()
    assert report.verdict != "safe" or not exposed, exposed
    said = {dict(cell.cell)["a"] for cell in report.cells if cell.verdict == "exposed"}
    assert all(len(listed.of(code)) == 1 for code in said)
    assert exposed <= said | {dict(cell.cell)["a"] for cell in report.implied or ()}


def read_again(release: Release) -> None:
    """The canonical form of a release is the release, whatever it publishes."""
    assert canonical_json(release_from_document(canonical_document(release))) == canonical_json(release)


def as_document(document: Document, release: Release) -> Document:
    """What goes out, in the document's own form."""
    tables = []
    for table, out in zip(document["tables"], release.tables, strict=True):
        status = [Status(s) for s in out.status.tolist()]
        value = [out.value.get(row) if s <= Status.FROZEN else None for row, s in enumerate(status)]
        words = ["" if s == Status.PUBLISHED else s.word for s in status]
        tables.append({**table, "cells": {**table["cells"], "value": value, "status": words}})
    return {**document, "tables": tables}


@pytest.mark.parametrize("name", SCHEMES)
@settings(max_examples=25)
@given(SEEDS)
def test_an_audit_says_what_all_tables_say(name: str, seed: int) -> None:
    """CONVENTION 33, 561 and 571; laid side by side two tables are the one release."""
    document = random_document(Random(seed), name)
    note(str(document))
    listed = Listed(document, name)
    release = release_from_document(document)
    check(audit(release).report, listed)
    read_again(release)
    alone = [{**document, "tables": [table]} for table in document["tables"]]
    together = [Member(f"r{n}.yaml", release_from_document(one)) for n, one in enumerate(alone)]
    check(audit(combine(together, title="together")).report, listed)


@pytest.mark.parametrize("name", SCHEMES)
@settings(max_examples=6)
@given(SEEDS)
def test_what_a_search_lets_out_is_as_safe_as_it_says(name: str, seed: int) -> None:
    """CONVENTION 605, 610 and 611"""
    document = random_document(Random(seed), name)
    note(str(document))
    for method in METHODS:
        try:
            result = suppress(release_from_document(document), method=method)
        except InputError as error:
            note(f"{method}: {error}")
            continue
        assert suppression_text(result, limit=None)
        assert suppression_report(result).verdict == result.verdict
        if result.release is None:
            assert result.conflict is not None
            continue
        assert result.verdict != "unsafe" or result.found.guarantee != "intervals"
        assert result.report is not None
        check(result.report, Listed(as_document(document, result.release), name))
        out = as_document(document, public_release(result.release))
        read_again(public_release(result.release))
        for before, after in zip(document["tables"], out["tables"], strict=True):
            if "rounding" in before:
                shown = {code: value for code, value, _ in _rows(before)}
                assert all(value in (None, shown[code]) for code, value, _ in _rows(after))


@pytest.mark.parametrize("name", SCHEMES)
@settings(max_examples=4)
@given(SEEDS)
def test_methods_are_compared(name: str, seed: int) -> None:
    """A method that does not work for a release says so; a release that no search can use is refused."""
    document = random_document(Random(seed), name)
    note(str(document))
    try:
        found = compare(release_from_document(document), ["heuristic", "network", "elimination", "rounding:5"], curve=2)
    except InputError as error:
        note(str(error))
        return
    assert comparison_text(found, explain=True)
    assert comparison_json(found)
    assert comparison_html(found)
    for outcome in found.outcomes:
        if outcome.found is not None and outcome.report is not None and outcome.found.guarantee == "intervals":
            assert outcome.report.verdict != "unsafe"
