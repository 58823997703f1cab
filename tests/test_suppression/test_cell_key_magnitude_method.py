"""`protect` with the method cell-key-magnitudes: what is released, and what everybody may know of it."""

import json
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from cell_key_data import records
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.io.record_keys import keys_of_identifiers
from tableseal.audit.model import Release, Rounding
from tableseal.audit.model.rounding import NO_LIMIT, most_changed, rounding_interval
from tableseal.audit.pipeline import audit
from tableseal.suppression.protections.cell_keys.magnitude_settings import MagnitudeKeySettings
from tableseal.suppression.protections.cell_keys.magnitudes import Cells, MagnitudeTables, changes
from tableseal.suppression.protections.cell_keys.ptable_files import read_ptables
from tableseal.suppression.protections.cell_keys.reach import largest_excess, largest_share, told_flex, told_share
from tableseal.suppression.protections.cell_keys.scaling import Scaling
from tableseal.suppression.protections.protect import Protection, protect
from tableseal.suppression.protections.public import public_release

SECRET = "a secret of enough letters"
USUAL = MagnitudeKeySettings(range=2, variance=Fraction(1), small_share=Fraction(1, 5))
FLEX = MagnitudeKeySettings(
    range=3,
    variance=Fraction(1),
    weights=(Fraction(1, 2),),
    small_share=Fraction(3, 10),
    large_share=Fraction(3, 100),
    point=Fraction(50),
)

Firm = tuple[str, str, int]
"""Name, region, turnover."""

FIRMS: list[Firm] = [(f"f{k}", "NS"[k % 2], (k * 37) % 90 + (900 if k % 9 == 0 else 1)) for k in range(24)]


def released(firms: list[Firm], unit: Any = 1, **more: Any) -> Release:
    value = [sum(t for _, r, t in firms if region in (r, "T")) for region in "NST"]
    keys = list(keys_of_identifiers([name for name, _, _ in firms], SECRET, Place()))
    cells = {"region": [r for _, r, _ in firms], "turnover": [t for _, _, t in firms], "k": keys}
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {"turnover": {"kind": "magnitude", "unit": unit}},
            "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
            "tables": [{"name": "t", "cells": {"region": list("NST"), "value": value}}],
            "microdata": {"cells": cells, "key": "k", "values": {"turnover": "turnover"}} | more.pop("data", {}),
            **more,
        }
    )


def published(found: Protection) -> dict[str, int]:
    (table,) = found.release.tables
    codes = (found.release.cell_codes(one)["region"] for one in table.codes)
    return dict(zip(codes, table.value.units.tolist(), strict=True))


SCALINGS = st.builds(
    lambda small, ratio, point, power: Scaling("top", (1.0,), small, small * ratio, point, power),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.sampled_from([inf, 1.0, 50.0, 1000.0]),
    st.sampled_from([1.0, 1.5, 2.0, 2.5, 3.0, 6.0]),
)


@given(SCALINGS, st.floats(0, 14))
@settings(max_examples=300, deadline=None)
def test_no_contribution_changes_a_value_by_more_than_is_told(scaling: Scaling, power: float) -> None:
    """CONVENTION 818: both lines hold for contributions of every size."""
    x = 10**power / 10
    step = float(scaling.share(np.array([x]))[0]) * x
    assert step <= largest_share(scaling) * x * (1 + 1e-9)
    excess = largest_excess(scaling)
    assert excess is None or step <= scaling.large * x + excess * (1 + 1e-9)


def test_what_is_told_is_attained() -> None:
    """CONVENTION 818: neither line can be lowered."""
    for power in (2.5, 3.0, 6.0):
        scaling = Scaling("top", (1.0,), 0.3, 0.03, 100.0, power)
        x = 100 * 1.001 ** np.arange(9000)
        share = scaling.share(x)
        assert max(share.max(), 0.3) == pytest.approx(largest_share(scaling), rel=1e-5)
        assert (x * (share - 0.03)).max() == pytest.approx(largest_excess(scaling), rel=1e-5)
    assert told_share(Scaling(small=0.25), 5) == Fraction(5, 4)
    assert told_flex(Scaling(small=0.25), 5, 0, Fraction(1)) is None


@given(
    st.integers(0, 400),
    st.integers(0, 9),
    st.fractions(Fraction(1, 100), 2, max_denominator=100),
    st.one_of(st.none(), st.tuples(st.fractions(0, Fraction(6, 5), max_denominator=50), st.integers(0, 60))),
)
def test_the_interval_of_a_published_value_is_exact(
    shown: int, widest: int, share: Fraction, flex: tuple[Fraction, int] | None
) -> None:
    """CONVENTION 818: of all true values exactly those that may be shown so."""
    rounding = Rounding(1, "cell_key", (), widest, share=share, flex=flex)
    value = np.arange(20_000)
    away = np.abs(value - shown)
    limit = most_changed(value, rounding)
    possible = np.flatnonzero((away <= limit) & ((value > 0) | (shown == 0)))
    low, high = (int(end[0]) for end in rounding_interval(np.array([shown]), rounding, nonnegative=True))
    if high == NO_LIMIT:
        assert possible[-1] == len(value) - 1
    elif high < len(value):
        assert possible[-1] == high
    if len(possible):
        assert low == possible[0]


@given(st.lists(st.tuples(st.sampled_from("NS"), st.integers(0, 3000)), min_size=1, max_size=12), st.booleans())
@settings(max_examples=25, deadline=None)
def test_what_readers_are_told_holds(rows: list[tuple[str, int]], flex: bool) -> None:
    """CONVENTION 818: the public release reads back, its audit is the same, and true values are in all intervals."""
    firms = [(f"f{k}", region, value) for k, (region, value) in enumerate(rows)]
    found = protect(released(firms), FLEX if flex else USUAL)
    public = release_from_document(json.loads(canonical_json(public_release(found.release))))
    ours = [(c.cell, c.lower, c.upper) for c in found.report.cells]
    assert ours == [(c.cell, c.lower, c.upper) for c in audit(public).report.cells]
    for cell in found.report.cells:
        assert cell.truth is not None
        assert cell.lower is None or cell.lower <= cell.truth
        assert cell.upper is None or cell.truth <= cell.upper
    (table,) = found.release.tables
    assert ((table.truth.units == 0) <= (table.value.units == 0)).all()
    assert not any("made smaller" in one for one in found.statement.details)


def test_keys_survive_order_deletions_and_another_file() -> None:
    """CONVENTION 819: a cell with the same records is shown alike."""
    whole = published(protect(released(FIRMS), USUAL))
    assert whole != {r: sum(t for _, own, t in FIRMS if r in (own, "T")) for r in "NST"}
    assert published(protect(released(FIRMS[::-1]), USUAL)) == whole
    fewer = [firm for firm in FIRMS if firm[0] not in ("f1", "f3")]  # both in S
    assert published(protect(released(fewer), USUAL))["N"] == whole["N"]
    others = [*fewer[::-1], ("g1", "S", 50)]
    assert published(protect(released(others), USUAL))["N"] == whole["N"]
    with_zero = [*FIRMS, ("g2", "N", 0)]
    assert (
        published(protect(released(with_zero), MagnitudeKeySettings(2, Fraction(1), zero_keys=False)))["N"]
        == published(protect(released(FIRMS), MagnitudeKeySettings(2, Fraction(1))))["N"]
    )


ARGUS = {
    name: [row.get(name) or "" for row in records("argus_ptab_savings_all.txt", ";")]
    for name in ("i", "j", "p", "v", "p_int_ub", "type")
}


def test_tables_of_tau_argus_and_cells_by_the_functions() -> None:
    """CONVENTION 819: SCALING F(0.03,0.30,1000,3,0.5,0.2) and the perturbation table of tau-ARGUS, cell by cell."""
    how = MagnitudeKeySettings(
        weights=(Fraction(1, 2), Fraction(1, 5)),
        small_share=Fraction(3, 10),
        large_share=Fraction(3, 100),
        point=Fraction(1000),
    )
    found = protect(released(FIRMS, ptable={"cells": ARGUS}), how)
    keys = keys_of_identifiers([name for name, _, _ in FIRMS], SECRET, Place())
    table = read_ptables_of()
    for region in "NST":
        own = [k for k, (_, r, _) in enumerate(FIRMS) if region in (r, "T")]
        top = sorted((FIRMS[k][2] for k in own), reverse=True)[:3]
        key = sum(int(keys[k][2:]) for k in own) % 10**8
        value = float(sum(FIRMS[k][2] for k in own))
        cell = Cells(
            np.array([value]), np.array([top], float), np.array([len(own)]), np.array([key]), np.zeros(1, bool)
        )
        change = float(changes(cell, MagnitudeTables(table, table), how.scaling)[0])
        assert published(found)[region] == value + np.rint(change)
    (rounding,) = {t.rounding for t in found.release.tables}
    assert rounding is not None
    assert rounding.share == Fraction(3, 10) * Fraction(table.widest) * table.step
    assert rounding.flex is not None


def read_ptables_of() -> Any:
    from tableseal.audit.io.columns import Columns

    return read_ptables(Columns.of(Place("ptable"), {name: list(own) for name, own in ARGUS.items()}), 10**8)["all"]


def test_sensitive_cells_move_further() -> None:
    policy = {"primary": [{"dominance": {"n": 1, "k": 50}}]}
    firms = [("a", "N", 900), ("b", "N", 20), ("c", "S", 60), ("d", "S", 70), ("e", "S", 65)]
    plain = protect(released(firms, policy=policy), USUAL)
    more = protect(
        released(firms, policy=policy),
        MagnitudeKeySettings(2, Fraction(1), small_share=Fraction(1, 5), more=Fraction(1)),
    )
    assert abs(published(more)["N"] - 920) >= abs(published(plain)["N"] - 920) + 100
    assert published(more)["S"] == published(plain)["S"]


@pytest.mark.parametrize("scale", ["mean", "range", "sum"])
def test_other_scales(scale: Any) -> None:
    found = protect(released(FIRMS), MagnitudeKeySettings(1, Fraction(1, 2), scale=scale))
    assert all(value >= 0 for value in published(found).values())


def test_what_is_refused() -> None:
    count = json.loads(canonical_json(released(FIRMS)))
    count["measures"] = {"turnover": {"kind": "count", "unit": 1}}
    with pytest.raises(InputError, match="is a count; say cell-key"):
        protect(release_from_document(count), USUAL)
    bare = json.loads(canonical_json(released(FIRMS)))
    del bare["microdata"]
    with pytest.raises(InputError, match="largest contributions and by keys"):
        protect(release_from_document(bare), USUAL)
    with pytest.raises(InputError, match="another true value"):
        protect(_off(), USUAL)
    with pytest.raises(InputError, match="needs "):
        protect(released(FIRMS), MagnitudeKeySettings())
    for wrong in ({"more": Fraction(-1)}, {"scale": "median"}, {"weights": (Fraction(2),)}, {"power": Fraction(0)}):
        with pytest.raises(InputError):
            MagnitudeKeySettings(2, Fraction(1), point=Fraction(9), **wrong)


def _off() -> Release:
    document = json.loads(canonical_json(released(FIRMS)))
    cells = document["microdata"]["cells"]
    column = document["microdata"]["values"]["turnover"]
    cells[column][3] += 1
    return release_from_document(document)
