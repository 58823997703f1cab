"""Integer programs through whichever PuLP is installed (3 on Python 3.11, 4 on newer ones)."""

import pytest

from tableseal.suppression.search.integer_program import IntegerProgram, quiet_highs


def program(*rights: float) -> tuple[IntegerProgram, list[object]]:
    """The cheapest choice of three with costs 3, 2, 2 whose weights 2, 1, 1 reach a limit."""
    made = IntegerProgram("three")
    z = [made.binary(f"z{j}") for j in range(3)]
    made.minimise(list(zip(z, [3.0, 2.0, 2.0], strict=True)))
    for right in rights:
        made.at_least(list(zip(z, [2.0, 1.0, 1.0], strict=True)), right)
    return made, z


@pytest.mark.parametrize(("right", "cost"), [(1, 2), (2, 3), (3, 5), (4, 7)])
def test_the_cheapest_choice_and_its_proof(right: float, cost: float, capfd: pytest.CaptureFixture[str]) -> None:
    made, z = program(right)
    found = made.solve(quiet_highs(10.0, threads=1, random_seed=0))
    assert (found.infeasible, found.solution, found.closed) == (False, True, True)
    assert found.bound == pytest.approx(cost)
    chosen = [variable.varValue > 0.5 for variable in z]  # type: ignore[attr-defined]
    assert sum(c for c, taken in zip([3, 2, 2], chosen, strict=True) if taken) == cost
    assert capfd.readouterr().out == ""


def test_nothing_reaches_too_much() -> None:
    found = program(1, 5)[0].solve(quiet_highs(10.0))
    assert (found.infeasible, found.solution, found.closed) == (True, False, False)
