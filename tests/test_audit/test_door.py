"""The door of the package: what it lists it has, and opening it loads nothing heavy."""

import json
import subprocess
import sys

import pytest

import tableseal.audit.report
from cases.benchmarks import scaling
from cases.benchmarks.releases import write

NOT_FOR_SMALL_AUDITS = (
    *("sympy", "numba", "networkx", "polars", "pandas", "dask", "jinja2", "sqlalchemy"),
    *("highspy", "flint", "scipy.linalg", "scipy.special", "scipy.sparse.csgraph", "scipy.optimize"),
    *(
        "multiprocessing",
        "tableseal.audit.report.html",
        "tableseal.audit.codec.reading",
        "tableseal.api.cli.suppress_verb",
    ),
)
"""Each takes 0.01 s or more to load."""

HEAVY = ("sympy", "numba", "pandas", "polars", "dask", "networkx", "highspy", "pydantic", "jinja2", "rich")


LAZY_DOORS = (tableseal.audit, tableseal.audit.report)


@pytest.mark.parametrize(("door", "name"), [(door, name) for door in LAZY_DOORS for name in door.__all__])
def test_every_listed_name_is_there(door, name):
    assert getattr(door, name) is not None


@pytest.mark.parametrize("door", LAZY_DOORS)
def test_nothing_else_is_there(door):
    with pytest.raises(AttributeError, match="no_such_name"):
        door.no_such_name  # noqa: B018 - the access is what is tested


@pytest.mark.parametrize("module", ["tableseal", "tableseal.audit", "tableseal.audit.model"])
def test_opening_the_door_loads_nothing_heavy(module):
    code = f"import {module}, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_small_audit_loads_no_solver_no_compiler_and_no_pool(tmp_path):
    release = write(scaling.instance(scaling.START), tmp_path)
    report = tmp_path / "report.json"
    code = (
        "import sys; from tableseal.api.cli import main\n"
        "try: main()\n"
        f"finally: print([m for m in {NOT_FOR_SMALL_AUDITS!r} if m in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "audit", str(release), "--json", str(report)]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == "[]\n"
    assert json.loads(report.read_text("utf-8"))["summary"]["cells"] == 100
