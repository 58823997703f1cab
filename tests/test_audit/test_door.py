"""The door of the package: what it lists it has, and opening it loads nothing heavy."""

import subprocess
import sys

import pytest

import audit

HEAVY = ("sympy", "numba", "pandas", "polars", "dask", "networkx", "highspy", "pydantic", "jinja2", "rich")


@pytest.mark.parametrize("name", audit.__all__)
def test_every_listed_name_is_there(name):
    assert getattr(audit, name) is not None


def test_nothing_else_is_there():
    with pytest.raises(AttributeError, match="no_such_name"):
        audit.no_such_name  # noqa: B018 - the access is what is tested


@pytest.mark.parametrize("module", ["audit", "audit.model"])
def test_opening_the_door_loads_nothing_heavy(module):
    code = f"import {module}, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_small_audit_loads_neither_sympy_nor_a_compiler():
    code = (
        "import sys, audit; from api.cases import cases_folder; "
        "audit.audit(audit.read_release(cases_folder() / 'o03_table1' / 'release.yaml')); "
        "print([m for m in ('sympy', 'numba') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
