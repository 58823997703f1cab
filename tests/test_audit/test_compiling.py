"""Kernels: written once, the same as they stand and compiled, and never older than what they are made from."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit import primitives
from tableseal.audit.compiling import compiled, digest, kernel

INNER = """
from tableseal.audit.compiling import kernel
STEP = {step}

@kernel
def inner(x):
    return x {sign} STEP
"""
OUTER = """
from inner_kernel import inner
from tableseal.audit.compiling import compiled, kernel

@kernel
def outer(x):
    return inner(x) * 10

print(compiled(outer)(7))
"""


def run(folder: Path) -> str:
    """What the caller prints, in a process of its own."""
    paths = os.pathsep.join([str(folder), *sys.path])
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "outer_kernel.py"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write(path: Path, text: str) -> None:
    """Another text of a file, as old as before."""
    path.write_text(text, "utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))


@pytest.mark.slow
def test_a_changed_callee_is_seen_and_no_file_is_touched(tmp_path: Path) -> None:
    """Its code, and a constant in it: with the times and sizes of all files as they were, and numba's files kept."""
    outer, inner = tmp_path / "outer_kernel.py", tmp_path / "inner_kernel.py"
    write(outer, OUTER)
    write(inner, INNER.format(step=1, sign="+"))
    assert run(tmp_path) == "80"
    kept = sorted((tmp_path / "__pycache__").iterdir())
    assert any(path.suffix == ".nbi" for path in kept)
    assert run(tmp_path) == "80"
    assert sorted((tmp_path / "__pycache__").iterdir()) == kept, "nothing was compiled again"
    write(inner, INNER.format(step=1, sign="-"))
    assert run(tmp_path) == "60"
    write(inner, INNER.format(step=2, sign="-"))
    assert run(tmp_path) == "50"
    assert {path.stat().st_mtime for path in (outer, inner)} == {1_000_000_000}


def test_digests_follow_what_is_called() -> None:
    """Two kernels alike but for the constant of one that they call."""
    text = "@kernel\ndef inner(x):\n    return x + NUMBER\n\n@kernel\ndef outer(x):\n    return inner(x)\n"
    of = []
    for number in (1, 2):
        names: dict[str, object] = {"kernel": kernel, "NUMBER": number}
        exec(text, names)
        of.append(digest(names["outer"]))  # type: ignore[arg-type]
    assert of[0] != of[1]


NUMBERS = st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(values=NUMBERS, other=NUMBERS, divisor=st.integers(1, 2**20))
def test_lists_and_arrays_do_the_same(values: list[int], other: list[int], divisor: int) -> None:
    array, further = np.array(values), np.array(other)
    assert compiled(primitives.joined)(array, further).tolist() == primitives.joined(values, other)
    assert compiled(primitives.order_of)(array).tolist() == primitives.order_of(values)
    assert compiled(primitives.copied)(array.reshape(1, -1)).tolist() == primitives.copied([values])
    one, two = compiled(primitives.inverse_of)(divisor), primitives.inverse_of(divisor)
    for value in values:
        assert compiled(primitives.exactly)(value * divisor, one) == value == primitives.exactly(value * divisor, two)


def test_what_is_made_is_the_same() -> None:
    for make, value in ((primitives.integers, 7), (primitives.floats, 0.5), (primitives.flags, True)):
        assert compiled(make)(3, value).tolist() == make(3, value)  # type: ignore[operator]
    assert compiled(primitives.matrix)(2, 3).tolist() == primitives.matrix(2, 3)
