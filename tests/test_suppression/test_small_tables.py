"""Small tables protected in one call: against every choice of cells, asked of another solver (CONVENTION 896)."""

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from tableseal.audit.compiling import Runner
from tableseal.suppression.search.kernels.protecting import FAILED, PROVED, STOPPED, Small, protect

ENOUGH = 10**9


def drawn(random: Random) -> Small:
    """A table of two or three classifications with its margins, some cells sensitive; an attacker may know one."""
    shape = random.choice([(3, 3), (3, 4), (4, 3), (3, 3, 2)])
    number = np.arange(int(np.prod(shape))).reshape(shape)
    lines = [line for axis in range(len(shape)) for line in np.moveaxis(number, axis, -1).reshape(-1, shape[axis])]
    rows = np.zeros((len(lines), number.size))
    for r, line in enumerate(lines):
        rows[r, line] = [-1, *([1] * (len(line) - 1))]
    value = np.zeros(shape)
    inner = (slice(1, None),) * len(shape)
    value[inner] = np.array([random.choice([0, 1, 2, 5, 9]) for _ in range(value[inner].size)]).reshape(
        value[inner].shape
    )
    for axis in range(len(shape)):
        first = [slice(None)] * len(shape)
        first[axis] = slice(0, 1)
        value[tuple(first)] = 0
        value[tuple(first)] = value.sum(axis=axis, keepdims=True)
    down = value.ravel()
    filled = np.flatnonzero(down > 0).tolist()
    sensitive = random.sample(filled, min(len(filled), random.randint(1, 3)))
    ends = [(c, way, float(random.randint(1, max(1, int(down[c]))))) for c in sensitive for way in (1, -1)]
    ends += [(c, 0, 1.0) for c in random.sample(filled, min(1, len(filled))) if c not in sensitive]
    forced = np.zeros(number.size, np.bool_)
    forced[[c for c, *_ in ends]] = True
    secret = [c for c in filled if not forced[c]][: random.randint(0, 1)]
    of_end = [random.randint(0, 1) if secret else 0 for _ in ends]
    order = sorted(range(len(ends)), key=lambda e: (of_end[e], -ends[e][2]))
    ways = np.array([ends[e] for e in order])
    return Small(
        rows,
        down,
        np.full(number.size, np.inf),
        np.array([float(random.randint(1, 9)) for _ in range(number.size)]),
        forced,
        np.array([random.random() < 0.9 for _ in range(number.size)]),
        ways[:, 0].astype(np.int64),
        ways[:, 1].astype(np.int64),
        ways[:, 2],
        np.array([of_end[e] for e in order], np.int64),
        np.array([0, 0, len(secret)], np.int64),
        np.array(secret, np.int64),
    )


def extent(s: Small, pattern: NDArray[np.bool_], e: int) -> float:
    """How far an end goes (both ways together where both count), by linear programs."""
    withheld = pattern.copy()
    withheld[s.known[s.first[s.attacker[e]] : s.first[s.attacker[e] + 1]]] = False
    far = float(s.distance[e])
    low = np.where(withheld, -np.minimum(s.down, far), 0.0)
    high = np.where(withheld, np.minimum(s.up, far), 0.0)
    total = 0.0
    for way in (1, -1):
        if s.way[e] in (0, way):
            cost = np.zeros(len(withheld))
            cost[s.cell[e]] = way
            total += -linprog(
                cost, A_eq=s.rows, b_eq=np.zeros(len(s.rows)), bounds=list(zip(low, high, strict=True))
            ).fun
    return total


def safe(s: Small, pattern: NDArray[np.bool_], ends: list[int]) -> bool:
    return all(extent(s, pattern, e) >= s.distance[e] - 1e-6 for e in ends)


def met_at_all(s: Small) -> list[int]:
    """Ends that withholding everything meets: of the others nothing is asked."""
    return [e for e in range(len(s.cell)) if extent(s, s.forced | s.may, e) >= s.distance[e] - 1e-6]


def cheaper(s: Small, paid: float, ends: list[int]) -> list[tuple[int, ...]]:
    """Choices that cost less and are safe, by trying every one: of small tables all, of others of few cells."""
    cells = np.flatnonzero(s.may & ~s.forced).tolist()
    most = len(cells) if len(cells) <= 6 else 2
    choices = (c for k in range(most + 1) for c in combinations(cells, k) if s.cost[list(c)].sum() < paid - 1e-6)
    found = []
    for chosen in choices:
        pattern = s.forced.copy()
        pattern[list(chosen)] = True
        if safe(s, pattern, ends):
            found.append(chosen)
    return found


def protected(s: Small, run: Runner, effort: int = ENOUGH) -> tuple[int, Any]:
    pattern = np.zeros(len(s.cost), np.bool_)
    return run(protect, s, effort, pattern), pattern


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**40))
def test_what_is_chosen_is_safe_and_nothing_cheaper_is(seed: int) -> None:
    s = drawn(Random(seed))
    answer, pattern = protected(s, Runner(False))
    if not (s.may & ~s.forced).any():
        assert answer == FAILED
        return
    assert answer == PROVED
    assert (pattern >= s.forced).all()
    assert not (pattern & ~s.forced & ~s.may).any()
    ends = met_at_all(s)
    assert safe(s, pattern, ends)
    assert cheaper(s, float(s.cost[pattern & ~s.forced].sum()), ends) == []


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**40))
def test_compiled_loops_choose_the_same(seed: int) -> None:
    s = drawn(Random(seed))
    slow, fast = protected(s, Runner(False)), protected(s, Runner(True))
    assert slow[0] == fast[0]
    assert np.array_equal(slow[1], fast[1])


def test_little_effort_gives_what_was_found_by_then() -> None:
    s = next(
        s for s in map(drawn, map(Random, range(200))) if protected(s, Runner(False))[1].sum() > s.forced.sum() + 2
    )
    answer, pattern = protected(s, Runner(False), effort=1)
    assert answer in (STOPPED, FAILED)
    assert answer == FAILED or safe(s, pattern, met_at_all(s))
