"""Changed values: what is the same around every method."""

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import jsonschema
import numpy as np
import pytest

from tableseal.audit.codec.documents import schema_of
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Release, Table
from tableseal.audit.pipeline import audit
from tableseal.suppression.protections.document import ProtectionReport, protection_json
from tableseal.suppression.protections.methods import METHODS, method_of, settings_of
from tableseal.suppression.protections.names import WORDS
from tableseal.suppression.protections.protect import Protection, protect
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.protections.text import protection_text
from tests.support.methods_said import OF_RECORDS, OTHERS, records_of, said

DISTRICTS = {
    "tableseal": 1,
    "title": "Persons",
    "kind": "count",
    "variables": {
        "district": {"total": "T", "codes": ["N", "S"]},
        "sex": {"total": "B", "codes": ["F", "M"]},
    },
    "tables": [
        {
            "name": "persons",
            "cells": {
                "district": list("NNNSSSTTT"),
                "sex": list("FMB") * 3,
                "value": [2, 17, 19, 14, 22, 36, 16, 39, 55],
            },
        }
    ],
}

RECORDS = {"cells": records_of("district", "sex", {"NF": 2, "NM": 17, "SF": 14, "SM": 22})}

ROUNDINGS = [name for name in METHODS if name.endswith("rounding")]

TRIED = [*ROUNDINGS, *OTHERS]
"""Others have files of tests of their own."""


def districts(**more: Any) -> Release:
    return release_from_document(DISTRICTS | more)


def for_method(name: str, **more: Any) -> Release:
    """With records, if the method changes records."""
    return districts(**({"microdata": RECORDS} if name in OF_RECORDS else {}), **more)


def with_cells(**columns: Sequence[Any]) -> dict[str, Any]:
    (table,) = DISTRICTS["tables"]  # type: ignore[misc]
    told = {name: name for name in columns if name in ("status", "truth")}
    return {"tables": [{**table, "cells": {**table["cells"], **columns}, **told}]}  # type: ignore[dict-item]


def shuffled(release: Release, seed: int) -> Release:
    """The same with rows and tables in another order."""
    random = np.random.default_rng(seed)

    def mixed(table: Table) -> Table:
        rows = random.permutation(len(table.codes))
        amounts = {name: getattr(table, name).take(rows) for name in ("value", "truth", "lower", "upper")}
        return replace(table, codes=table.codes[rows], status=table.status[rows], rows=None, **amounts)

    return replace(release, tables=tuple(mixed(table) for table in reversed(release.tables)))


def shown(protection: Protection) -> dict[tuple[str, ...], int]:
    """What is published of each cell, by its codes."""
    release = protection.release
    return {
        tuple(release.cell_codes(codes).values()): value
        for table in release.tables
        for codes, value in zip(table.codes, table.value.units.tolist(), strict=True)
    }


def test_every_method_has_words_and_settings_of_its_own() -> None:
    assert list(WORDS) == list(METHODS)
    assert all(is_dataclass(method.settings) for method in METHODS.values())
    assert len({method.settings for method in METHODS.values()}) == len(METHODS)
    for name, method in METHODS.items():
        shares = {"noise": {"share": "0.2", "least": "0.1"}, "tabular-adjustment": {"share": "0.2"}}
        settings = settings_of(name, shares.get(name) or said(name, "3"))
        assert method_of(settings) == (name, method)


@pytest.mark.parametrize("name", ROUNDINGS)
def test_what_is_released_is_audited_and_its_cells_are_multiples(name: str) -> None:
    """CONVENTION 710 and 718."""
    found = protect(districts(), settings_of(name, said(name)), seed=4)
    again = audit(found.release).report
    assert found.report == again
    assert found.statement.method == name
    assert (found.statement.seed is not None) == METHODS[name].draws
    (measure,) = found.measures
    truth = found.release.tables[0].truth.units
    moved = np.abs(found.release.tables[0].value.units - truth)
    assert (measure.cells, measure.largest) == (9, moved.max())
    assert measure.changed == (moved > 0).sum()
    assert measure.mean == pytest.approx(moved.mean())
    (table,) = found.tables
    assert table.risk_before is not None
    assert table.risk_after is not None
    assert table.risk_after <= table.risk_before


@pytest.mark.parametrize("name", TRIED)
def test_the_order_of_rows_and_tables_never_matters(name: str) -> None:
    """CONVENTION 711."""
    (table,) = DISTRICTS["tables"]  # type: ignore[misc]
    margin = {"name": "margin", "cells": {"district": list("TSN"), "value": [55, 36, 19]}}
    release = for_method(name, tables=[table, margin])
    settings = settings_of(name, said(name))
    first = shown(protect(release, settings, seed=9))
    assert all(shown(protect(shuffled(release, k), settings, seed=9)) == first for k in range(4))


@pytest.mark.parametrize("name", TRIED)
def test_the_document_fits_its_schema_and_its_public_copy_tells_no_truth(name: str) -> None:
    """CONVENTION 712."""
    settings = settings_of(name, said(name))
    found = protect(for_method(name), settings, seed=20_301)
    for public in (False, True):
        written = json.loads(protection_json(found, public=public))
        jsonschema.validate(written, schema_of(ProtectionReport))
        assert written["confidential"] is not public
    assert written["statement"]["seed"] is None
    assert written["statement"]["optimum"] is None
    assert written["measures"] == written["tables"] == []
    assert "20301" not in protection_text(found, public=True)
    assert protection_json(protect(for_method(name), settings, seed=20_301)) == protection_json(found)
    assert ".." not in protection_text(found)


@pytest.mark.parametrize("name", TRIED)
def test_the_release_for_readers_reads_back_as_what_was_audited(name: str) -> None:
    """CONVENTION 710: intervals of a reader are those of the audit."""
    found = protect(for_method(name), settings_of(name, said(name)), seed=4)
    public = release_from_document(json.loads(canonical_json(public_release(found.release))))
    intervals = [(c.cell, c.lower, c.upper) for c in audit(public).report.cells]
    assert intervals == [(c.cell, c.lower, c.upper) for c in found.report.cells]
    assert not any(table.truth.known.any() for table in public.tables if table.rounding is not None)


@pytest.mark.parametrize("name", TRIED)
def test_every_true_value_lies_in_the_interval_that_the_audit_gives(name: str) -> None:
    for seed in range(5):
        found = protect(for_method(name), settings_of(name, said(name, "7")), seed=seed)
        for cell in found.report.cells:
            assert cell.truth is not None
            assert cell.lower is None or cell.lower <= cell.truth
            assert cell.upper is None or cell.truth <= cell.upper


@pytest.mark.parametrize("name", ROUNDINGS)
@pytest.mark.parametrize(("base", "message"), [("1", "2 or more"), ("2.5", "a multiple of the unit"), ("-3", "2 or")])
def test_bases_that_are_none(name: str, base: str, message: str) -> None:
    """CONVENTION 713."""
    with pytest.raises(InputError, match=message):
        protect(districts(), settings_of(name, {"base": base}))


@pytest.mark.parametrize("name", [name for name in TRIED if name not in OF_RECORDS])
def test_cells_without_true_values_are_refused_with_their_place(name: str) -> None:
    """CONVENTION 713."""
    value: list[Any] = [None, 17, 19, 14, 22, 36, 16, 39, 55]
    settings = settings_of(name, said(name, "3"))
    with pytest.raises(InputError, match="no true value") as refused:
        protect(for_method(name, **with_cells(value=value)), settings)
    assert refused.value.places[0].row == 1
    status = ["frozen", *[""] * 8]
    with pytest.raises(InputError, match="frozen") as refused:
        protect(for_method(name, **with_cells(status=status)), settings)
    assert refused.value.places[0].row == 1
    rounded = protect(for_method(name), settings_of("conventional-rounding", {"base": "3"})).release
    with pytest.raises(InputError, match="rounded already"):
        protect(rounded, settings)


def test_withheld_cells_with_true_values_are_shown_changed() -> None:
    """CONVENTION 713."""
    value: list[Any] = [None, 17, 19, 14, 22, 36, 16, 39, 55]
    truth = [2, *value[1:]]
    release = districts(**with_cells(value=value, truth=truth, status=["primary", *[""] * 8]))
    found = protect(release, settings_of("conventional-rounding", {"base": "5"}))
    assert found.release.tables[0].value.units.tolist() == [0, 15, 20, 15, 20, 35, 15, 40, 55]


def test_settings_that_belong_to_others_or_are_missing() -> None:
    with pytest.raises(InputError, match="base"):
        settings_of("random-rounding", {"base": None})
    with pytest.raises(InputError, match="found"):
        settings_of("random-rounding", {"base": "three"})
    with pytest.raises(InputError, match="no such method"):
        settings_of("rounding", {"base": "3"})
    with pytest.raises(TypeError, match="Fraction"):
        protect(districts(), Fraction(3))
    assert [field.name for field in fields(METHODS["random-rounding"].settings)] == ["base"]
