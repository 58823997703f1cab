"""The five steps of a table generator, and what it says."""

from dataclasses import replace
from fractions import Fraction
from json import loads
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_cubes import MODULUS, base_of, by, groups, one_of, random_question, tabulated, variable

from tableseal.audit.codec.documents import document_of
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.codec.public import public_part
from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.figures import expected_utility, risk_after, risk_before, utility_of
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.held import holding
from tableseal.suppression.generator.memory.memory import Memory
from tableseal.suppression.generator.policy import (
    ByCellKey,
    ByRounding,
    GeneratorPolicy,
    Limit,
    MemoryRule,
    Method,
    RiskLimit,
    Rules,
)
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.result import SENTENCES, Answer, Refusal
from tableseal.suppression.generator.steps import Generator, answered, refused_as_asked

VARIABLES = (
    variable("a", 4, [0, 0, 1, 1]),
    variable("place", 3, areas=True),
    variable("b", 6, [0, 0, 0, 1, 1, 1]),
)
CELL_KEY = ByCellKey(2, Fraction(1))


def base(seed: int = 1) -> BaseCells:
    random = np.random.default_rng(seed)
    return base_of(random.poisson(random.gamma(0.3, 30.0, (4, 3, 6))), seed)


def generator(method: Method = CELL_KEY, **rules: object) -> Generator:
    policy = GeneratorPolicy(method, rules=Rules(**rules), memory=MemoryRule())  # type: ignore[arg-type]
    return Generator(VARIABLES, policy, protection_of(method, MODULUS, 5))


def memory_of(made: Generator, cells: BaseCells) -> Memory:
    return Memory.empty(Ground.of(cells, made.protection, made.policy))


WHOLE = Question((by(VARIABLES, 1), by(VARIABLES, 2)))


@given(st.integers(0, 10**6), st.sampled_from([CELL_KEY, ByRounding(3), ByRounding(10)]))
def test_the_same_cell_has_the_same_value_for_ever_and_for_everybody(seed: int, method: Method) -> None:
    """CONVENTION 1064: in any table, any order, after a restart; cells of the same units, too; empty ones stay."""
    random, cells = np.random.default_rng(seed), base(3)
    made: dict[tuple[int, ...], int] = {}
    for _ in range(6):
        table = tabulated(random_question(VARIABLES, random), cells)
        protection = protection_of(method, MODULUS, 7)
        shown = protection.shown(table.count, table.key)
        assert protection.may_show(table.count, shown).all()
        assert (shown[table.count == 0] == 0).all()
        for count, key, value in zip(table.count.tolist(), table.key.tolist(), shown.tolist(), strict=True):
            assert made.setdefault((count, key), value) == value


def test_rounding_by_keys_is_unbiased_and_another_secret_is_another_rounding() -> None:
    """CONVENTION 1064."""
    keys = np.arange(60_000)
    for base_, count in ((3, 1), (3, 5), (10, 7)):
        one, other = (protection_of(ByRounding(base_), 2**32, s).shown(np.full(60_000, count), keys) for s in (1, 2))
        assert abs(one.mean() - count) < 0.1
        assert (one != other).any()
        assert set(np.unique(one)) == {count - count % base_, count - count % base_ + base_}


def test_an_answer_has_its_figures_and_users_see_what_is_made_of_published_values() -> None:
    """CONVENTION 1065."""
    made, cells = generator(), base()
    table = tabulated(WHOLE, cells)
    found, memory = answered(table, made, memory_of(made, cells))
    assert isinstance(found, Answer)
    assert memory is not None
    assert len(memory.answers) == 1
    assert (found.shown == made.protection.shown(table.count, table.key)).all()
    before = risk_before(table.count, RiskLimit())
    assert found.figures.risk_before == before
    assert found.figures.risk == risk_after(table.count, found.shown, before, made.protection, RiskLimit())
    assert found.figures.utility == utility_of(table.count, found.shown)
    document = public(found)
    assert document == {
        "variables": ["place", "b"],
        "codes": [list(axis.codes) for axis in WHOLE.axes],
        "values": found.shown.tolist(),
        "figures": {"expected_utility": pytest.approx(expected_utility(found.shown, made.protection.variance))},
    }


def test_what_readers_reckon_of_utility_is_near_what_it_is() -> None:
    random = np.random.default_rng(2)
    counts = random.integers(200, 5000, 4000)
    protection = protection_of(ByCellKey(5, Fraction(2)), 2**32, 3)
    shown = protection.shown(counts, random.integers(0, 2**32, 4000))
    assert 1 - expected_utility(shown, protection.variance) == pytest.approx(1 - utility_of(counts, shown), rel=0.1)
    assert expected_utility(np.zeros(3, np.int64), 2.0) == 1


def public(found: Answer | Refusal) -> dict[str, Any]:
    """What users see, as JSON."""
    document: dict[str, Any] = loads(dumps(document_of(public_part(found))))
    return document


def refusal(found: object) -> Refusal:
    assert isinstance(found, Refusal)
    return found


def test_every_step_refuses_with_its_reason() -> None:
    """CONVENTION 1061, 1062, 1065: what users see has no figure of true counts."""
    cells = base()
    table = tabulated(WHOLE, cells)
    assert refusal(refused_as_asked(WHOLE, generator(cells=5))).reason == "asked"
    assert refusal(refused_as_asked(replace(WHOLE, measure="turnover"), generator())).reason == "measure"
    assert refused_as_asked(WHOLE, generator()) is None
    found = refusal(answered(table, generator(population=Limit(Fraction(10**6))))[0])
    assert (found.reason, found.nearest, found.held[0].found) == ("held", (), float(table.count.sum()))
    document = public(found)
    assert document["held"] == [{"rule": "population", "area": [], "allowed": 10**6}]
    assert "Rules block" in document["sentence"]
    strict = generator()
    for risk, when in ((RiskLimit(Fraction(0), None), "after"), (RiskLimit(None, Fraction(0)), "before")):
        found = refusal(answered(table, replace(strict, policy=replace(strict.policy, risk=risk)))[0])
        assert found.risk is not None
        assert (found.reason, found.risk.when) == ("risk", when)
        assert "found" not in public(found)["risk"]


def test_blocked_areas_are_left_out_or_the_table_is_refused_with_that_as_the_nearest() -> None:
    """CONVENTION 1062, 1063."""
    cells = base(7)
    table = tabulated(WHOLE, cells)
    areas = table.count.reshape(3, 6).sum(axis=1)
    limit = Limit(area=Fraction(int(areas.min()) + 1))
    worst = int(areas.argmin())
    found, _ = answered(table, generator(population=limit))
    assert isinstance(found, Answer)
    assert found.left_out == (f"place{worst}",)
    assert found.codes[0] == tuple(f"place{k}" for k in range(3) if k != worst)
    refused = refusal(answered(table, generator(population=limit, blocked="refused"))[0])
    assert (refused.reason, refused.areas) == ("held", 1)
    assert refused.nearest[0].steps[0].areas == (f"place{worst}",)
    assert refused.nearest[0].cells == 12


def test_nobody_learns_a_small_count_by_asking_on() -> None:
    """CONVENTION 1066: a refusal by the memory says no more than that, and names tables that are answered."""
    made, cells = generator(ByRounding(3)), base(9)
    memory: Memory | None = memory_of(made, cells)
    random, refused = np.random.default_rng(1), 0
    for _ in range(80):
        table = tabulated(random_question(VARIABLES, random), cells)
        found, memory = answered(table, made, memory)
        if isinstance(found, Refusal):
            refused += 1
            assert found.reason == "memory"
            assert found.memory is not None
            document = public(found)
            assert "memory" not in document
            assert document["sentence"] == SENTENCES["memory"]
            for near in found.nearest:
                again, _ = answered(tabulated(near.question, cells), made, memory)
                assert isinstance(again, Answer)
    assert refused
    assert memory is not None
    held = holding(memory, int(memory.ground.small[0]), VARIABLES)
    assert held.small
    assert held.up + held.down >= 1 or held.moves
    assert len(held.answers) <= len(memory.answers)


def test_a_table_of_one_cell_and_one_of_nobody_have_no_risk() -> None:
    made, cells = generator(), base()
    one, _ = answered(tabulated(Question((groups(0, [0, 0, 0, 0]),)), cells), made)
    assert isinstance(one, Answer)
    assert one.figures.risk is None
    empty = replace(cells, count=cells.count[:0], keys=cells.keys[:0], codes=tuple(c[:0] for c in cells.codes))
    nobody, _ = answered(tabulated(Question((by(VARIABLES, 0),), (one_of(VARIABLES, 2, 0),)), empty), made)
    assert isinstance(nobody, Answer)
    assert (nobody.figures.risk, nobody.figures.utility, nobody.shown.sum()) == (None, 1.0, 0)


def test_documents_say_what_they_hold() -> None:
    """The confidential answer has what the public one leaves out."""
    made = generator(population=Limit(Fraction(10**6)))
    document = loads(dumps(document_of(refusal(answered(tabulated(WHOLE, base()), made)[0]))))
    assert document["held"][0]["found"] > 0
