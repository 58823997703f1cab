"""The wheel in a fresh environment, in a project that has packages called `api` and `audit` of its own."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SESSION = """
import api, audit                                   # the project's own
assert (api.WHOSE, audit.WHOSE) == ("mine", "mine")
from pathlib import Path
import tableseal as ts
import tableseal.audit.model as model
assert "site-packages" in ts.__file__ and "site-packages" in model.__file__, (ts.__file__, model.__file__)
import polars as pl
frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
found = ts.audit(frame, value="persons", total="Total")
assert found.to_frame()["arithmetic"].to_list() == ["F = Total - M = 19 - 17 = 2"]
assert found._repr_html_().startswith("<iframe")
from tableseal.api.cases import case_names
assert "french_business" in case_names(), case_names()
print(ts.__version__, api.__file__)
"""


def run(command: list[str], where: Path) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=where, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-deps"]
    run([*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)], folder)
    (found,) = folder.glob("*.whl")
    return found


def test_what_is_in_the_wheel(wheel: Path) -> None:
    """Everything below one name, with types, licence, templates, assets, cases; no tests."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2
    assert "tableseal" in tops
    for wanted in (
        "tableseal/py.typed",
        "tableseal/api/python/audit.py",
        "tableseal/audit/report/templates/report.html",
        "tableseal/suppression/comparison/templates/compare.html",
        "tableseal/api/web/templates",
        "tableseal/CITATION.cff",
        "tableseal/api/shipped_cases/french_business/turnover.yaml",
    ):
        assert any(name.startswith(wanted) for name in names), wanted
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not any("test_" in Path(name).name or "/api/r/" in name for name in names)


@pytest.mark.slow
def test_the_door_of_the_wheel_beside_other_packages_of_these_names(wheel: Path, tmp_path: Path) -> None:
    run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(python)]
    run([*pip, "install", "--no-deps", "--no-index", str(wheel)], tmp_path)
    # What tableseal needs is seen where this environment has it. A .pth file below a folder that a .pth file names is
    # not looked at, so that nobody sees the working copy.
    own = run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], tmp_path).strip()
    others = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(own) / "others.pth").write_text("\n".join(sorted(others)) + "\n")
    project = tmp_path / "project"
    for name in ("api", "audit"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text('WHOSE = "mine"\n')
    (project / "session.py").write_text(SESSION)
    version, where = run([str(python), "session.py"], project).split()
    assert Path(where).is_relative_to(project)
    command = tmp_path / "env" / "bin" / "tableseal"
    assert run([str(command), "--version"], project).split()[-1] == version
    assert "french_business" in run([str(command), "cases"], project)
    assert "o03_table1" in run([str(command), "cases", "o03_table1", "--run"], project)
