"""What `import tableseal as ts` shows, and that it costs nothing before it is used."""

import ast
import importlib
import inspect
import os
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tableseal as ts
import tableseal.audit.model as model
from tableseal.api.options.checking import checked
from tableseal.api.options.option import declared
from tableseal.api.python.keywords import Rules, as_option
from tableseal.audit.model import Release

ROOT = Path(__file__).parents[2]
FUNCTIONS = (
    "attack",
    "audit",
    "compare",
    "convert",
    "hypercube",
    "hypercube_attack",
    "plan",
    "protect",
    "publish",
    "read",
    "reconstruct",
    "risk",
    "sap",
    "suppress",
    "tables",
    "tabulate",
    "verify",
)
KEYWORD_MODELS = {
    "attack": "AttackKeywords",
    "audit": "AuditKeywords",
    "compare": "CompareKeywords",
    "convert": "ConvertKeywords",
    "hypercube": "HypercubeKeywords",
    "protect": "ProtectKeywords",
    "publish": "PublishKeywords",
    "reconstruct": "ReconstructKeywords",
    "risk": "RiskKeywords",
    "sap": "SapKeywords",
    "suppress": "SuppressKeywords",
    "tables": "TablesKeywords",
    "tabulate": "TabulateKeywords",
}


def test_dir_is_the_door_and_nothing_else() -> None:
    assert dir(ts) == sorted(ts.__all__)
    assert {name for name in dir(ts) if name.islower() and not name.startswith("_")} == set(FUNCTIONS)
    for name in dir(ts):
        assert getattr(ts, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ts.no_such_name  # type: ignore[attr-defined]


def test_errors_are_of_one_family() -> None:
    assert issubclass(ts.InputError, ts.TablesealError)
    assert issubclass(ts.LimitError, ts.TablesealError)
    assert issubclass(ts.AdditivityError, ts.InputError)
    assert issubclass(ts.ContradictionError, ts.InputError)


def test_the_package_audit_is_the_function_too() -> None:
    assert callable(ts.audit)
    assert model.Release is Release is ts.Release
    assert importlib.import_module("tableseal.audit") is ts.audit
    assert importlib.import_module("tableseal.audit.model") is model
    importlib.reload(ts)
    assert callable(ts.audit)


def test_strings_of_monkeypatch_reach_into_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableseal.audit.model.WHAT_IF", "other")
    assert model.WHAT_IF == "other"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_shows_signature_and_description(name: str) -> None:
    function = getattr(ts, name)
    parameters = inspect.signature(function).parameters
    assert next(iter(parameters)) in ("data", "proof")
    told = pydoc.plain(pydoc.render_doc(function))
    assert "Raises\n" in told or "Raises" in told
    for keyword in parameters:
        assert keyword in told
    assert inspect.getdoc(function)


@pytest.mark.parametrize(("name", "model_name"), KEYWORD_MODELS.items())
def test_keywords_are_the_fields_of_the_options(name: str, model_name: str) -> None:
    """Every option of the model that the command and the service take is a keyword with the same default; no two models
    say different things under one name."""
    module = importlib.import_module(f"tableseal.api.python.{name}")
    own = getattr(module, model_name)
    signature = inspect.signature(getattr(ts, name)).parameters
    seen: dict[str, type] = {}
    for base in own.__mro__:
        for field in inspect.get_annotations(base):
            assert field not in seen, f"{field} is declared by {base.__name__} and {seen.get(field)}"
            seen[field] = base
    assert set(seen) == {one.name for one in declared(own)}
    for one in declared(own):
        assert signature[one.name].default == one.default
        assert one.option.help


def test_importing_loads_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, tableseal as ts; dir(ts); ts.__version__; repr(ts.audit)\n"
        "print(sorted(m for m in sys.modules if m.startswith('tableseal') and m.count('.') > 1))\n"
        "print([m for m in ('numpy', 'pydantic', 'yaml', 'narwhals', 'pandas', 'polars', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "['tableseal.audit.doors', 'tableseal.audit.version']\n[]\n"


def test_reading_a_frame_loads_no_other_library(tmp_path: Path) -> None:
    code = (
        "import sys, polars, tableseal as ts\n"
        "ts.read(polars.DataFrame({'a': ['x', 'Total'], 'n': [1, 1]}), value='n')\n"
        "print([m for m in ('pandas', 'pyarrow', 'highspy', 'numba', 'typer', 'fastapi') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[]\n"


TYPED = """\
from pathlib import Path

import tableseal as ts
import tableseal.audit.model as m
from tableseal.audit.model import Release

found = ts.audit({"tableseal": 1}, value="n", bounds="lp", threshold=5, dominance=(1, 85.0), time_limit=3)
reveal_type(found)
reveal_type(found.verdict)
reveal_type(ts.suppress(Path("x"), method="optimal", progress=True).pattern)
reveal_type(ts.read("x"))
release: Release = ts.read("x", total={"sex": None})
same: m.Release = release
ts.audit("x", bounds="exact")
ts.audit("x", no_such_keyword=1)
ts.audit()
ts.compare("x", seed="one")
reveal_type(ts.__version__)
"""

TOLD = """\
8: note: Revealed type is "tableseal.api.python.audit.AuditResult"
9: note: Revealed type is "str"
10: note: Revealed type is "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.bool[bool]]] | None"
11: note: Revealed type is "tableseal.audit.model.release.Release"
14: error: Argument "bounds" to "audit" has incompatible type "Literal['exact']"
15: error: Unexpected keyword argument "no_such_keyword" for "audit"
16: error: Too few arguments for "audit"
17: error: Argument "seed" to "compare" has incompatible type "str"; expected "int"
18: note: Revealed type is "str"
"""


@pytest.mark.slow
def test_typed_use(tmp_path: Path) -> None:
    """mypy knows the function and its keywords, from the option models, and the package of the same name."""
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(tmp_path / "typed.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = [line.partition("typed.py:")[2] for line in done.stdout.splitlines() if "typed.py:" in line]
    told = [line for line in lines if not line.split(" ", 1)[1].startswith("note: def")]
    for expected in TOLD.splitlines():
        assert any(line.startswith(expected) for line in told), f"{expected}\n{done.stdout}{done.stderr}"
    assert len([line for line in told if " error: " in line]) == 4, done.stdout


def test_no_source_imports_top_level_audit_suppression_or_api() -> None:
    """In a project with folders of its own called so, these would be other packages."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    assert len(files) > 500
    for file in files:
        if not file.exists() or file.name == "digests.py":  # that one also runs working copies from before
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            bad = [name for name in names if name.split(".")[0] in ("audit", "suppression", "api")]
            assert not bad, f"{file.relative_to(ROOT)}: {bad}"


def test_licence_and_citation() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (cited["version"], cited["license"]) == (ts.__version__, "MIT")
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")
    assert os.path.exists(ROOT / "tableseal" / "py.typed")


def test_numbers_lists_and_mappings_are_options() -> None:
    said = checked(Rules, {"threshold": 5, "p_percent": 12.5}, who="audit()", convert=as_option)
    assert (said.threshold, said.p_percent, said.dominance) == ("5", "12.5", ())
    said = checked(Rules, {"dominance": [(1, 85), (2, 90.5)]}, who="audit()", convert=as_option)
    assert said.dominance == ("1,85", "2,90.5")
    suppress = importlib.import_module("tableseal.api.python.suppress").SuppressKeywords
    given = {"prefer": {"sex": ["F", "M"]}, "table_weight": {"t": 2}, "avoid": "sex=F"}
    chosen = checked(suppress, given, who="suppress()", convert=as_option)
    assert (chosen.prefer, chosen.table_weight, chosen.avoid) == (("sex=F", "sex=M"), ("t=2",), ("sex=F",))
    assert checked(suppress, {"no_margins": True}, who="suppress()").margins is False
    sap = importlib.import_module("tableseal.api.python.sap").SapKeywords
    given = {"n": range(0, 20, 5), "target": {"row": 2, "column": 3}, "known": ["row"]}
    said = checked(sap, given, who="sap()", convert=as_option)
    assert (said.n, said.target, said.known) == ("0-15/5", ("row=2,column=3",), "row")
