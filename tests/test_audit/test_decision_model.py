"""Linear programs of moves: what limits their integer programs is work, never time."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision import model as models
from tableseal.audit.decision.model import Model
from tableseal.audit.decision.regions import Region
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import MOST_NODES, Floats, Outcome, Problem


@dataclass
class Recording(Highs):
    """The default engine, which remembers the limits of its integer programs."""

    seconds: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)

    def minimise_integer(
        self,
        problem: Problem,
        cost: Floats,
        seconds: float,
        *,
        nodes: int = MOST_NODES,
        integral: NDArray[np.bool_] | None = None,
    ) -> Outcome:
        """As the default engine does."""
        self.seconds.append(seconds)
        self.nodes.append(nodes)
        return super().minimise_integer(problem, cost, seconds, nodes=nodes, integral=integral)


def line(engine: Recording, columns: int) -> Model:
    """Columns that add up to nothing; the first is to go down by one."""
    still, room = np.zeros(1), np.full(columns, 5.0)
    matrix = csr_array(np.ones((1, columns), np.int64))
    region = Region(np.arange(columns), np.zeros(1, np.int64), matrix, still, still, room, room)
    model = Model(region, engine)
    model.reset(np.ones(columns, np.bool_), np.ones(columns))
    model.aim(0, 1, 1, np.empty(0, np.int64))
    return model


def test_integer_programs_stop_after_work_and_not_after_time() -> None:
    engine = Recording()
    point = line(engine, 4).move_whole(Limits())
    assert point is not None
    assert point[0] == -1
    assert point.sum() == 0
    assert engine.seconds == [float("inf")]
    assert engine.nodes == [models.EFFORT // 8]


def test_large_integer_programs_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Recording()
    monkeypatch.setattr(models, "LARGEST", 6)
    model = line(engine, 4)  # seven directions: the first column goes only down
    assert model.move_whole(Limits()) is None
    assert not engine.seconds
    found = model.move_whole(Limits(), np.array([True, True, False, False]))
    assert found is not None
    assert found.tolist() == [-1, 1, 0, 0]


def test_integer_programs_of_numbers_too_large_for_floats_are_not_asked() -> None:
    """Found by random tests: HiGHS prepared one with values of 10^16 for ten minutes, whatever its limits."""
    matrix = csr_array(np.array([[3.0, -7.0]]))
    for size, status in ((1e6, "optimal"), (2.0**51, "stopped")):
        program = Problem(matrix, np.zeros(1), np.zeros(1), np.zeros(2), np.full(2, size))
        assert Highs().minimise_integer(program, np.ones(2), 60.0).status == status
