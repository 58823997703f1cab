"""What goes out of a release is a list of what is allowed: every other field is as if nobody knew it."""

from dataclasses import MISSING, Field, fields, replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tableseal.audit.errors import Place
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Amounts, Consent, Intruder, Microdata, Note, Policy, Release, Statistic, Table
from tableseal.suppression.protections.public import public_release

SHOWN: dict[type, set[str]] = {
    Release: {"title", "measures", "variables", "tables", "links", "statistics", "intruder"},
    Table: {
        *("name", "measure", "codes", "named", "status", "value", "truth", "lower", "upper", "rounding", "absent"),
        "headings",
    },
    Statistic: {"kind", "measure", "per", "unit", "of", "table"},
    Intruder: {"nonnegative", "nonempty"},
}
"""All that a release which goes out says. A new field stays with the agency until somebody writes it here and in
`public_release`."""

DOCUMENT: dict[str, Any] = {
    "tableseal": 1,
    "title": "Firms",
    "kind": "count",
    "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
    "tables": [
        {
            "name": "t",
            "status": "s",
            "truth": "x",
            "cells": {"a": ["T", "1", "2", "3"], "value": [90, None, None, 40], "x": [90, 7, 43, 40], "s": "- p s -"},
        }
    ],
    "statistics": [
        {"name": "q", "kind": "percent", "of": {"a": "T"}, "decimals": 1, "cells": {"a": ["3"], "value": ["44.4"]}}
    ],
}
DOCUMENT["tables"][0]["cells"]["s"] = ["", "primary", "secondary", ""]


def full() -> Release:
    """A release in which every field of the agency says something."""
    release = release_from_document(DOCUMENT)
    (table,), (statistic,) = release.tables, release.statistics
    some, consent = Amounts.of([987, 654, 321, 987]), Consent("value", (1,), "SECRET", "SECRET")
    table = replace(
        table,
        frequency=some,
        weighted=some,
        contributors=(some, some),
        protection_lower=some,
        protection_upper=some,
        protection_sliding=some,
        cost=np.array([9.0, 8, 7, 6]),
        impossible=np.array([True] * 4),
        reason=("SECRET",) * 4,
        source=Place("SECRET"),
        rows=np.arange(4),
    )
    own = replace(statistic.table, source=Place("SECRET"), rows=np.arange(1), cost=np.array([9.0]))
    return replace(
        release,
        tables=(table,),
        statistics=(replace(statistic, table=own),),
        consents=(consent,),
        accepted=(consent,),
        day=date(2026, 11, 29),
        intruder=Intruder(True, True, Fraction(1, 2), ("largest",), 2, True),
        policy=Policy(),
        microdata=Microdata(np.zeros((1, 1), np.int32), {}),
        notes=(Note("n", "SECRET"),),
        files=tuple(release.files) or (type("P", (), {})(),),
    )


def default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


@pytest.mark.parametrize("tell", [False, True])
def test_only_what_is_listed_goes_out(tell: bool) -> None:
    # CONVENTION 647
    given = full()
    public = public_release(given, tell_statuses=tell)
    (statistic,) = public.statistics
    pairs = [
        (public, given, set()),
        (public.intruder, given.intruder, set()),
        (public.tables[0], given.tables[0], {"reason"} if tell else set()),
        (statistic, given.statistics[0], set()),
        (statistic.table, given.statistics[0].table, {"frequency", "reason"}),
    ]
    for shown, whole, more in pairs:
        kept = SHOWN[type(shown)] | more
        assert kept - more <= {field.name for field in fields(shown)}
        for field in fields(shown):
            if field.name not in kept:
                assert getattr(shown, field.name) == default(field), field.name
            elif field.name not in ("tables", "statistics", "table", "intruder", "status", "truth", "reason"):
                assert getattr(shown, field.name) is getattr(whole, field.name), field.name
    table = public.tables[0]
    assert table.truth is table.value
    assert set(table.status.tolist()) == ({0, 6, 8} if tell else {0, 7})
