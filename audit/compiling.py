"""Loops written once: run as plain Python where there is little to do, compiled by numba where there is much.

A kernel is a function over lists and integers of any size as it stands, and over int64 arrays once it is compiled.
Kernels may call each other, also those of other files. A small audit never waits for a compiler.
"""

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from sys import modules
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.clock import Stopwatch, compiling

WORTH_COMPILING = 10_000
"""Entries of a matrix above which importing numba (half a second once) pays."""

WORTH_LOADING = 2_000
"""The same where numba is imported already (3,095 entries: 22 ms as they stand, 2 ms compiled, once loaded)."""

Cells = Any
"""int64 array where compiled, list of int otherwise; of two dimensions: a list of lists."""

Function = TypeVar("Function", bound=Callable[..., Any])
Fields = TypeVar("Fields", bound=NamedTuple)

loaded: set[Callable[..., Any]] = set()
"""Kernels that are compiled in this process already: they are used for small inputs, too, where they are faster."""

_compiled_form: dict[Any, FunctionType] = {}
"""What is compiled for each kernel."""


def kernel(function: Function) -> Function:
    """Mark a function that runs both ways."""
    _compiled_form[function] = function  # type: ignore[assignment]
    return function


def compiled_as(form: Callable[..., Any]) -> Callable[[Function], Function]:
    """Mark a function for which another one is compiled: the few things that lists and arrays do differently."""

    def mark(function: Function) -> Function:
        _compiled_form[function] = form  # type: ignore[assignment]
        return function

    return mark


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel as machine code, kept between runs where the package or the user has a folder for that.

    Its file there bears a digest of all that goes into it: constants, and kernels that it calls, whatever their file.
    """
    from numba import njit

    _watch()
    form = _compiled_form[function]
    names = dict(form.__globals__)
    names |= {name: compiled(value) for name, value in _used(form) if _is_kernel(value)}
    twin = FunctionType(form.__code__, names, form.__name__, form.__defaults__)
    twin.__module__, twin.__qualname__ = form.__module__, f"{form.__qualname__}_{digest(function)[:12]}"
    try:
        result: Callable[..., Any] = njit(cache=True)(twin)
    except RuntimeError:  # nowhere to keep it
        result = njit(twin)
    loaded.add(function)
    return result


@cache
def _watch() -> None:
    """Let the clock of time limits know what is compiled."""
    from numba.core.event import Listener, register

    Listener.register(Stopwatch)
    register("numba:compile", compiling)


@cache
def digest(function: Callable[..., Any]) -> str:
    """Digest of all that a kernel's machine code is made from."""
    form = _compiled_form[function]
    total = sha256(repr(list(_instructions(form.__code__))).encode())
    for name, value in _used(form):
        if _is_kernel(value):
            total.update(f"{name} {digest(value)}".encode())
        elif isinstance(value, int | float | str | tuple):
            total.update(f"{name} {value!r}".encode())
    for value in (*form.__annotations__.values(), *(value for _, value in _used(form))):
        if hasattr(value, "_fields"):
            total.update(f"{value.__name__} {value._fields}".encode())
    return total.hexdigest()


def _used(form: FunctionType) -> Iterator[tuple[str, Any]]:
    """Names of its file that a function uses, and what they stand for."""
    for name in form.__code__.co_names:
        if name in form.__globals__:
            yield name, form.__globals__[name]


def _is_kernel(value: object) -> bool:
    return isinstance(value, FunctionType) and value in _compiled_form


def _instructions(code: CodeType) -> Iterator[object]:
    yield code.co_code
    yield code.co_names
    yield code.co_varnames
    for value in code.co_consts:
        yield list(_instructions(value)) if isinstance(value, CodeType) else value


def worth_compiling(entries: int, *kernels: Callable[..., Any]) -> bool:
    """True if kernels are better compiled for a matrix with so many entries."""
    return entries > (WORTH_LOADING if "numba" in modules else WORTH_COMPILING) or loaded.issuperset(kernels)


class Runner:
    """Runs kernels compiled or as they stand, and makes the arrays they want."""

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The kernel's result."""
        return (compiled(function) if self.compiled else function)(*arguments)

    def array(self, values: NDArray[Any]) -> Cells:
        """Values as the kernels want them (compiled: always the same kind of array, for another would be compiled
        again)."""
        return np.require(values, np.int64, ["C", "W"]) if self.compiled else values.tolist()

    def arrays(self, values: Fields) -> Fields:
        """The same for all arrays of a named tuple; floats and booleans stay what they are."""
        return values._make(self._own(v) if isinstance(v, np.ndarray) else v for v in values)

    def _own(self, values: NDArray[Any]) -> Cells:
        if self.compiled and values.dtype.kind != "i":
            return np.require(values, requirements=["C", "W"])
        return self.array(values)

    @staticmethod
    def numbers(cells: Cells) -> NDArray[Any]:
        """The array again: int64, or Python integers where 64 bits do not hold them."""
        try:
            return np.array(cells, dtype=np.int64)
        except OverflowError:
            return np.array(cells, dtype=object)

    def full(self, size: int, value: int) -> Cells:
        """A constant array."""
        return np.full(size, value, dtype=np.int64) if self.compiled else [value] * size

    def longer(self, cells: Cells, size: int) -> Cells:
        """The same array with room for `size` entries."""
        more = self.full(max(0, size - len(cells)), 0)
        return np.concatenate([cells, more]) if self.compiled else cells + more
