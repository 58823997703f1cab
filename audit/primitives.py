"""What lists of integers of any size and int64 arrays do differently, for kernels (see `compiling.py`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Cells, compiled_as


def _int_array(size: int, value: int) -> NDArray[np.int64]:
    return np.full(size, value, np.int64)


@compiled_as(_int_array)
def integers(size: int, value: int) -> Cells:
    """A constant array, made by a kernel."""
    return [value] * size


def _float_array(size: int, value: float) -> NDArray[np.float64]:
    return np.full(size, value, np.float64)


@compiled_as(_float_array)
def floats(size: int, value: float) -> Cells:
    """A constant array of floats."""
    return [value] * size


def _bool_array(size: int, value: bool) -> NDArray[np.bool_]:
    return np.full(size, value, np.bool_)


@compiled_as(_bool_array)
def flags(size: int, value: bool) -> Cells:
    """A constant array of booleans."""
    return [value] * size


def _int_matrix(rows: int, columns: int) -> NDArray[np.int64]:
    return np.zeros((rows, columns), np.int64)


@compiled_as(_int_matrix)
def matrix(rows: int, columns: int) -> Cells:
    """Zeros in two dimensions."""
    return [[0] * columns for _ in range(rows)]


def _copied_matrix(values: NDArray[Any]) -> NDArray[Any]:
    return values.copy()


@compiled_as(_copied_matrix)
def copied(values: Cells) -> Cells:
    """A copy of what has two dimensions."""
    return [row.copy() for row in values]


def _concatenated(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((first, second))


@compiled_as(_concatenated)
def joined(first: Cells, second: Cells) -> Cells:
    """One array behind the other."""
    return first + second


def _inverse_modulo(divisor: int) -> tuple[int, int]:
    shift, odd = 0, divisor
    while odd & 1 == 0:
        odd >>= 1
        shift += 1
    inverse = odd
    for _ in range(5):
        inverse *= 2 - odd * inverse
    return shift, inverse


@compiled_as(_inverse_modulo)
def inverse_of(divisor: int) -> tuple[int, int]:
    """What `exactly` wants to know of a divisor > 0: how often 2 goes into it, and the inverse of the rest modulo 2^64
    (nothing of the kind for integers of any size)."""
    return 0, divisor


def _multiplied(number: int, inverse: tuple[int, int]) -> int:
    return (number >> inverse[0]) * inverse[1]


@compiled_as(_multiplied)
def exactly(number: int, inverse: tuple[int, int]) -> int:
    """A multiple of a divisor, divided by it (compiled: by one product, which takes a tenth of the time)."""
    return number // inverse[1]


def _argsort(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.argsort(values, kind="mergesort")


@compiled_as(_argsort)
def order_of(values: Cells) -> Cells:
    """Positions of the smallest value, the next one, ...; equal ones as they stand."""
    return sorted(range(len(values)), key=values.__getitem__)
