"""do.py and .ci/skips.py."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cases.service.running import gone, patiently

ROOT = Path(__file__).parents[2]


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DO = load("do", ROOT / "do.py")
SKIPS = load("skips", ROOT / ".ci" / "skips.py")


def test_an_unknown_chore_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert DO.main(["tset"]) == 2
    assert "demo|test|lint|types|check|docs|bench|limits|faults|clients|cases" in capsys.readouterr().err


def test_the_development_group_is_read_from_pyproject() -> None:
    wanted = DO.requirements((ROOT / "pyproject.toml").read_text("utf-8"), "dev")
    assert any(requirement.startswith("pytest") for requirement in wanted)


def test_a_python_without_venv_gets_the_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def debian(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "The virtual environment was not created: ensurepip is not", "")

    monkeypatch.setattr(DO, "ENVIRONMENT", tmp_path / "none")
    monkeypatch.setattr(DO, "PYTHON", tmp_path / "none" / "bin" / "python")
    monkeypatch.setattr(DO.subprocess, "run", debian)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        DO.make_environment()


def test_nothing_is_installed_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(DO, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(DO, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(DO, "make_environment", lambda: None)
    monkeypatch.setattr(DO, "run", lambda command: ran.append(command) or 0)
    DO.install(development=True)
    DO.install(development=True)
    DO.install(development=False)  # what development needs is enough
    assert len(ran) == 1
    assert "pytest>=8.3" in ran[0]


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.a" name="ran"/>
<testcase classname="tests.a" name="needs_browser"><skipped type="pytest.skip" message="no Chromium"/></testcase>
<testcase classname="tests.a" name="known"><skipped type="pytest.xfail" message="issue 7"/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(("allowed", "code"), [("", 1), ("# needs_browser | no", 1), ("needs_browser | none here", 0)])
def test_a_skip_needs_a_stated_reason(tmp_path: Path, allowed: str, code: int) -> None:
    junit, listed = tmp_path / "junit.xml", tmp_path / "allowed"
    junit.write_text(JUNIT)
    listed.write_text(allowed)
    assert SKIPS.main(junit, listed) == code


def test_a_run_without_tests_fails(tmp_path: Path) -> None:
    junit, listed = tmp_path / "junit.xml", tmp_path / "allowed"
    junit.write_text("<testsuites/>")
    listed.write_text("")
    assert SKIPS.main(junit, listed) == 1


def test_a_competitor_that_cannot_be_installed_does_not_stop_the_benchmark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str]) -> int:
        ran.append(command)
        return int("gconfid" in command[-1])

    monkeypatch.setattr(DO, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(DO, "install", lambda **_: None)
    monkeypatch.setattr(DO, "run", run)
    assert DO.bench(["--only", "hierM"]) == 0
    assert ran[-1][1:] == ["-m", "cases.benchmarks", "--only", "hierM"]
    assert "gconfid==2.0.4 could not be installed" in capsys.readouterr().err
    assert any("pytauargus" in command[-1] for command in ran)
    tried = len(ran)
    DO.bench([])
    assert len(ran) == 2 * tried  # what failed is tried again


def chores(monkeypatch: pytest.MonkeyPatch, folder: Path, code: int = 0) -> list[list[str]]:
    """What chores run, without running it."""
    ran: list[list[str]] = []
    monkeypatch.setattr(DO, "ENVIRONMENT", folder / ".venv")
    monkeypatch.setattr(DO, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(DO, "install", lambda **_: None)
    monkeypatch.setattr(DO, "run", lambda command: ran.append(command) or code)
    (folder / ".venv").mkdir()
    return ran


def test_the_tests_use_all_cores_and_say_how_long_that_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = chores(monkeypatch, tmp_path)
    monkeypatch.setattr(DO, "cores", lambda: 4)
    assert DO.main(["test"]) == 0
    assert ran[-1][-4:] == ["pytest", "-q", "-n", "auto"]
    number, minutes = DO.SUITE
    assert f"{number:,} tests, about {minutes // 4} minutes on 4 cores" in capsys.readouterr().err
    DO.main(["test", "-n", "1", "-k", "report"])
    assert ran[-1][-5:] == ["-q", "-n", "1", "-k", "report"]
    assert capsys.readouterr().err == ""  # nobody knows how long a part takes


def test_without_xdist_one_core_runs_the_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = chores(monkeypatch, tmp_path)
    monkeypatch.setattr(DO.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1))
    DO.main(["test"])
    assert ran[-1][-2:] == ["pytest", "-q"]
    said = capsys.readouterr().err
    assert "pytest-xdist is missing" in said
    assert "on 1 core " in said


def test_the_number_of_tests_that_is_said_is_about_right(request: pytest.FixtureRequest) -> None:
    """Where the whole suite is collected (parts of it say nothing)."""
    config, (number, _) = request.config, DO.SUITE
    if config.args == config.getini("testpaths") and not (config.option.keyword or config.option.markexpr):
        assert 0.85 * number < request.session.testscollected < 1.15 * number


def test_the_site_is_built_with_its_own_group_and_warnings_are_errors(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran = chores(monkeypatch, tmp_path)
    monkeypatch.setattr(DO, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old.html").touch()
    assert DO.main(["docs"]) == 0
    assert any("sphinx" in command[-1] for command in ran[:-1])
    assert ran[-1][1:4] == ["-m", "sphinx", "-W"]
    assert ran[-1][-2:] == ["docs", "site"]
    assert not (tmp_path / "site").exists()  # a page that is gone must not stay in the site
    before = len(ran)
    DO.main(["docs"])
    assert len(ran) == before + 1  # nothing is installed twice


def test_no_site_is_built_where_its_programs_cannot_be_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran = chores(monkeypatch, tmp_path, code=1)
    assert DO.main(["docs"]) == 1
    assert all("sphinx" not in command[1:3] for command in ran)


def test_soak_runs_files_that_are_there() -> None:
    assert DO.SOAK
    assert [name for name in DO.SOAK if not (ROOT / name).is_file()] == []


STUBBORN = """
import signal, subprocess, sys, time
from pathlib import Path
child = "import signal, sys, time; SETUP; print('here', flush=True); time.sleep(300)"
setups = ["pass", "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)"]
started = [subprocess.Popen([sys.executable, "-c", child.replace("SETUP", s)], stdout=subprocess.PIPE) for s in setups]
for process in started:
    process.stdout.readline()
Path(sys.argv[1]).write_text(" ".join(str(process.pid) for process in started))
time.sleep(300)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_who_ends_a_chore_ends_all_that_it_has_started(tmp_path: Path, number: int) -> None:
    """One child ends when it is told to, the other has to be killed."""
    told = tmp_path / "told"
    code = f"import do, sys; do.GRACE = 1.0; sys.exit(do.run([sys.executable, '-c', {STUBBORN!r}, {str(told)!r}]))"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as chore:
        for _ in patiently("nothing was started"):
            if told.exists() and told.read_text():
                break
        children = [int(text) for text in told.read_text().split()]
        assert not any(gone(child) for child in children)
        chore.send_signal(number)
        assert chore.wait(60) == 128 + (signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)
    for _ in patiently("somebody is left"):
        if all(gone(child) for child in children):
            break


DRAWING = """
import json
from hypothesis import given, strategies as st
drawn = []
@given(st.lists(st.integers(), min_size=20))
def test_draws(numbers):
    drawn.append(numbers)
def test_tells():
    print("DRAWN", json.dumps(drawn))
"""


def drawn(folder: Path, *options: str, imports: str = "") -> str:
    """What the settings of our tests draw; the test file imports other modules first."""
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text("utf-8"), "utf-8")
    (folder / "own.py").write_text("THRESHOLDS = [" + ", ".join(str(n) for n in range(70_000, 71_000)) + "]")
    (folder / "test_drawing.py").write_text(f"{imports}\n{DRAWING}", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:xdist", *options, "test_drawing.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CI"))}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert not (folder / ".hypothesis" / "examples").exists()
    return ran.stdout.partition("DRAWN ")[2].partition("\n")[0]


def test_every_run_of_the_suite_draws_the_same_examples_and_a_soak_new_ones(tmp_path: Path) -> None:
    # CONVENTION 641
    usual = drawn(tmp_path)
    assert len(json.loads(usual)) == 100
    assert drawn(tmp_path, "-p", "no:cacheprovider", "--hypothesis-seed=1", imports="import own") == usual
    soaked = {drawn(tmp_path, *DO.SOAKING, f"--hypothesis-seed={seed}") for seed in (1, 2)}
    assert len({usual, *soaked}) == 3


def test_a_soak_uses_one_seed_after_another_until_something_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(DO, "install", lambda **_: None)
    monkeypatch.setattr(DO, "run", lambda command: ran.append(command) or (1 if len(ran) == 3 else 0))
    assert DO.main(["soak", "5", "7"]) == 1
    assert [[word for word in command if word.startswith("--hypothesis-seed")] for command in ran] == [
        [f"--hypothesis-seed={seed}"] for seed in (7, 8, 9)
    ]
    assert all(set(DO.SOAKING) <= set(command) for command in ran)
    assert "soak 0.1 9" in capsys.readouterr().err
