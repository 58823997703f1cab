"""The clock of time limits stands still while loops are compiled (CONVENTION 957)."""

from types import SimpleNamespace

import numpy as np
import pytest

from tableseal.audit import clock
from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import Stopwatch, compiling, now
from tableseal.audit.compiling import compiled
from tableseal.audit.primitives import integers


def test_time_limits_do_not_count_what_compiling_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 957: with the compiler's own events."""
    import numba

    compiled(integers)  # from now on it is watched
    times = iter(np.arange(0.0, 1e6, 100.0).tolist())
    monkeypatch.setattr(clock, "monotonic", lambda: next(times))
    limits, spent = Limits(deadline=now() + 1_000), compiling.seconds
    numba.njit(lambda x: x + 1)(1)
    assert compiling.seconds == spent + 100
    assert limits.seconds_left() == 800  # a look takes a hundred seconds here: three looks, of these one for compiling


def test_what_is_nested_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 957."""
    times = iter([1.0, 9.0, 20.0, 25.0, 26.0])
    monkeypatch.setattr(clock, "monotonic", lambda: next(times))
    watch, start, end = Stopwatch(), SimpleNamespace(is_start=True), SimpleNamespace(is_start=False)
    watch.notify(start)
    watch.notify(start)
    watch.notify(end)
    watch.notify(end)
    assert watch.seconds == 8.0
    watch.notify(start)
    assert watch.seconds == 13.0  # under way
    watch.notify(end)
    assert watch.seconds == 14.0
