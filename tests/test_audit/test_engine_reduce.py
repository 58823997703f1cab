"""Elimination and propagation: against fractions, and the same whether compiled or not."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_releases import Maker
from rational import echelon, value_of
from scipy.sparse import csr_array

from tableseal.audit import compiling
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.linear import eliminate, graph
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.kernels import combine, tighten
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.linear.reduce import Reduced, reduce
from tableseal.audit.prepare import prepare

SEEDS = st.integers(0, 2**40)
HOW = [False, True]
NAMES = ["interpreted", "compiled"]


@contextmanager
def kernels_run(*, compiled: bool) -> Iterator[None]:
    """Kernels compiled whatever the size, or never."""
    with pytest.MonkeyPatch.context() as patch:
        for worth in ("WORTH_COMPILING", "WORTH_LOADING"):
            patch.setattr(compiling, worth, -1 if compiled else 10**9)
        if not compiled:
            patch.setattr(compiling, "loaded", set())
        yield


def test_small_inputs_run_compiled_only_once_kernels_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for worth in ("WORTH_COMPILING", "WORTH_LOADING"):
        monkeypatch.setattr(compiling, worth, 10)
    monkeypatch.setattr(compiling, "loaded", {tighten})
    assert not compiling.worth_compiling(10, tighten, combine)
    assert compiling.worth_compiling(10, tighten)
    assert compiling.worth_compiling(11, tighten, combine)


def random_equations(seed: int, *, most: int = 3) -> tuple[csr_array, np.ndarray, Random]:
    """Equations with a solution, often dependent ones, sometimes contradictory."""
    random = Random(seed)
    rows, columns = random.randint(1, 7), random.randint(1, 7)
    entries = [0, 0, 0, 1, 1, -1, most]
    matrix = np.array([[random.choice(entries) for _ in range(columns)] for _ in range(rows)], dtype=np.int64)
    for _ in range(random.randint(0, 2)):
        a, b = random.randrange(rows), random.randrange(rows)
        matrix = np.vstack([matrix, matrix[a] + random.randint(-2, 2) * matrix[b]])
    value = matrix @ np.array([random.randint(-9, 9) for _ in range(columns)])
    if random.random() < 0.2:
        value[random.randrange(len(value))] += random.choice([1, -7])
    return csr_array(matrix), value, random


@pytest.mark.parametrize("compiled", HOW, ids=NAMES)
@settings(max_examples=100)
@given(seed=SEEDS, prime=st.sampled_from([2, 3, 7, 2**31 - 1]))
def test_elimination_against_fractions(seed: int, prime: int, compiled: bool) -> None:
    """Whatever the first prime is: one that divides a minor is found out, and small ones make every fraction be lifted
    digit by digit."""
    matrix, value, random = random_equations(seed, most=random_entry(prime))
    exact = echelon(matrix, value)
    with kernels_run(compiled=compiled), pytest.MonkeyPatch.context() as patch:
        patch.setattr(eliminate, "primes", lambda: iter((prime, 2**31 - 1, 2**31 - 19)))
        found = Elimination(matrix, value)
        assert found.rank == len(exact.rows)
        assert found.consistent == exact.consistent
        columns, values = found.determined()
        assert set(columns[values.known].tolist()) == {pivot for pivot, row in exact.rows.items() if not row}
        forms = np.array([[random.randint(-2, 2) for _ in range(matrix.shape[1])] for _ in range(4)])
        forms[0] = random.choice(matrix.toarray()) + 2 * random.choice(matrix.toarray())
        given_values = found.values(csr_array(forms))
        together = list(found.multipliers_of(csr_array(forms)))
        for f, form in enumerate(forms):
            used = np.flatnonzero(form).tolist()
            expected = value_of(exact, used, form[used].tolist())
            y = found.multipliers({c: int(form[c]) for c in used})
            assert together[f] == y
            assert given_values.known[f] == (expected is not None) == (y is not None)
            if y is None:
                continue
            dense = np.array([y.get(r, Fraction(0)) for r in range(matrix.shape[0])], dtype=object)
            assert (dense @ matrix.toarray().astype(object) == form).all()
            if exact.consistent:
                assert Fraction(given_values.numerator[f], int(given_values.denominator[f])) == expected
                assert dense @ value.astype(object) == expected


def random_entry(prime: int) -> int:
    """A larger entry, often a multiple of the prime."""
    return prime if prime < 2**20 else 5


def test_a_prime_that_loses_rank_is_found_out() -> None:
    """Both rows are the same modulo 2^31 - 1; over the rationals they determine both columns."""
    matrix = csr_array(np.array([[1, 1], [1, 2**31]]))
    found = Elimination(matrix, np.array([5, 5 + 3 * (2**31 - 1)]))
    columns, values = found.determined()
    assert found.rank == 2
    assert (columns.tolist(), values.whole().tolist()) == ([0, 1], [2, 3])


def test_multipliers_with_large_denominators() -> None:
    """A determinant far beyond what one residue can tell: lifted until it fits."""
    size = 40
    matrix = np.diag(np.full(size, 3)) + np.diag(np.full(size - 1, 1), 1)
    matrix[-1, 0] = 1
    found = Elimination(csr_array(matrix), matrix @ np.arange(size))
    columns, values = found.determined()
    assert values.whole()[np.argsort(columns)].tolist() == list(range(size))
    y = found.multipliers({0: 1})
    assert y is not None
    assert max(v.denominator for v in y.values()) > 2**60


def test_values_beyond_64_bits_do_not_wrap() -> None:
    matrix = csr_array(np.array([[1, 2**40], [1, -(2**40)]]))
    values = Elimination(matrix, np.array([2**61, -(2**61)])).values(csr_array(np.array([[2**20, 0], [0, 2**61]])))
    assert values.known.all()
    assert [int(n) // int(d) for n, d in zip(values.numerator, values.denominator, strict=True)] == [0, 2**82]


@settings(max_examples=200)
@given(seed=SEEDS, integer=st.booleans())
def test_both_ways_of_propagation_are_the_same(seed: int, integer: bool) -> None:
    system = random_system(Random(seed))
    outcomes = []
    for compiled in HOW:
        with kernels_run(compiled=compiled):
            try:
                low, high = propagate(*system, integer=integer)
            except InfeasibleError:
                outcomes.append(None)
                continue
        outcomes.append((low.tolist(), high.tolist()))
    assert outcomes[0] == outcomes[1]


def random_system(random: Random) -> tuple[csr_array, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns with and without bounds, some of them so large that sums come near 64 bits."""
    rows, columns = random.randint(1, 6), random.randint(1, 6)
    matrix = np.array([[random.choice([0, 0, 1, 1, -1, 2]) for _ in range(columns)] for _ in range(rows)])
    large = random.choice([1, 1, 2**52, 2**55])
    x = np.array([random.randint(0, 5) * large for _ in range(columns)])
    lower = matrix @ x
    upper = lower + np.array([random.choice([0, 0, 1, 3]) for _ in range(rows)])
    lower = np.where([random.random() < 0.2 for _ in range(rows)], NO_LOWER, lower)
    upper = np.where([random.random() < 0.2 for _ in range(rows)], NO_UPPER, upper)
    low = np.where([random.random() < 0.2 for _ in range(columns)], NO_LOWER, 0)
    high = np.where([random.random() < 0.5 for _ in range(columns)], NO_UPPER, x + random.randint(0, 3) * large)
    return csr_array(matrix), lower, upper, low, high


@pytest.mark.parametrize("compiled", HOW, ids=NAMES)
def test_propagated_sums_never_wrap(compiled: bool) -> None:
    """Four columns of up to 2^61: their sum is not formed, and nothing wrong is concluded."""
    row = csr_array(np.ones((1, 4), dtype=np.int64))
    low, high = np.zeros(4, np.int64), np.full(4, 2**61)
    with kernels_run(compiled=compiled):
        found = propagate(row, np.array([2**61]), np.array([NO_UPPER]), low, high, integer=True)
    assert (found[0] == 0).all()


@settings(max_examples=60)
@given(SEEDS)
def test_both_ways_of_reduction_are_the_same(seed: int) -> None:
    outcomes = []
    for compiled in HOW:
        with kernels_run(compiled=compiled):
            found = reduced_release(seed)
        outcomes.append(None if found is None else found[1])
    one, two = outcomes
    assert (one is None) == (two is None)
    if one is None or two is None:
        return
    assert (one.rank, one.components) == (two.rank, two.components)
    for name in ("value", "fixed", "by_equations", "column_lower", "column_upper", "row", "component"):
        assert (getattr(one, name) == getattr(two, name)).all()


def reduced_release(seed: int) -> tuple[SimpleNamespace, Reduced, Random] | None:
    """A random release, prepared and reduced; None if it is refused."""
    random = Random(seed)
    release = release_from_document(Maker(random, damaged=5).document())
    try:
        prepared = prepare(release, merge_cells(release)[0])
        found = reduce(prepared.differenced, nonnegative=prepared.system.nonnegative)
    except (InputError, InfeasibleError):
        return None
    return SimpleNamespace(system=prepared.system, differenced=prepared.differenced), found, random


@settings(max_examples=60)
@given(SEEDS)
def test_connected_parts(seed: int) -> None:
    """By plain union and by scipy."""
    random = Random(seed)
    shape = random.randint(1, 8), random.randint(1, 8)
    matrix = csr_array(np.array([[int(random.random() < 0.15) for _ in range(shape[1])] for _ in range(shape[0])]))
    outcomes = []
    for small in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(graph, "SMALL", small)
            outcomes.append([label.tolist() for label in graph.connected(matrix)])
    assert outcomes[0] == outcomes[1]
