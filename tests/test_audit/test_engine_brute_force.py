"""The whole pipeline against a list of every table, on random small releases of every kind."""

from random import Random

import pytest
from agreement import assert_agrees, by_name, oracle_of, report_of
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from random_releases import SCHEMAS, SHAPES, Maker

from tableseal.audit.linear import base

SEEDS = st.integers(0, 2**40)
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def agrees(maker: Maker) -> None:
    document = maker.document()
    note(str(document))
    oracle, tables = oracle_of(document)
    assume(tables is not None)
    assert_agrees(document, tables=tables, oracle=oracle, report=report_of(document))


@settings(FEW, max_examples=150)
@given(SEEDS)
def test_random_releases(seed: int) -> None:
    agrees(Maker(Random(seed)))


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@settings(FEW, max_examples=15)
@given(SEEDS)
def test_every_way_of_linking(schema: tuple[tuple[int, ...], ...], seed: int) -> None:
    agrees(Maker(Random(seed), schema=schema))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(FEW, max_examples=15)
@given(SEEDS)
def test_every_kind_of_classification(shape: dict[str, object], seed: int) -> None:
    agrees(Maker(Random(seed), first_shape=shape))


@settings(FEW)
@given(SEEDS)
def test_populations_split_into_blocks(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "WORTH_SPLITTING", 0)
        agrees(Maker(Random(seed)))


@settings(FEW)
@given(SEEDS)
def test_rounded_tables(seed: int) -> None:
    """Bases and methods mixed; published exactly nowhere."""
    agrees(Maker(Random(seed), rounded=100))


@settings(FEW)
@given(SEEDS)
def test_links_with_coefficients(seed: int) -> None:
    """Odd coefficients leave gaps between linear and integer bounds, and releases that only fractions fit."""
    agrees(Maker(Random(seed), linked=100, base=8))


def test_insider_inside_a_linked_cell_learns_nothing() -> None:
    """The one unit of A=1 is the one unit of A=1, R=1: the two cells are nested though no table shows both."""
    variables = {name: {"total": "T", "codes": ["1", "2"]} for name in ("A", "S", "R")}
    said = {"absent": {"leaves": "not_released", "totals": "not_released"}, "status": "status"}
    left = {"A": list("111222TTT"), "S": list("T12T12T12"), "value": list("101321422")}
    right = {"A": list("1122"), "R": list("1212"), "value": list("1012")}
    left["status"] = ["primary"] * 6 + ["published"] * 3
    right["status"] = ["primary", "published"] * 2
    document = {
        "tableseal": "1",
        "measures": {"n": {"kind": "count"}},
        "variables": variables,
        "tables": [{"name": "AS", "cells": left, **said}, {"name": "AR", "cells": right, **said}],
    }
    oracle, tables = oracle_of(document)
    report = report_of(document)
    assert tables is not None
    assert_agrees(document, tables=tables, oracle=oracle, report=report)
    found = by_name(report)
    assert found["n", ("1", "T", "1")].insider is None or "A=1 / T" not in found["n", ("1", "T", "1")].insider.who
