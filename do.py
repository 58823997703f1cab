"""One verb per chore, with nothing but Python 3.11 or newer: python3 do.py VERB

Makes the environment .venv beside this file on first use (a few minutes, needs the network) and reuses it
afterwards.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
DEMO_PAGE = "french_turnover.html"

DEMO = ["audit", "cases/french_business/turnover.yaml", "--withhold-primaries", "--html", DEMO_PAGE]
LINT = [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."]]
TYPES = [["-m", "mypy"]]
IMPORTS = [["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]]
SPHINX = ["-W", "--keep-going", "-q", "-E", "-b", "html", "-d", str(ENVIRONMENT / "doctrees")]
SUITE = (7_500, 36)
"""Tests, and the minutes that one idle core takes for all of them."""

SOAK = [
    f"tests/test_audit/test_{name}.py"
    for name in (
        "bounds_conformance",
        "bounds_flows",
        "decision",
        "engine_brute_force",
        "engine_linear_programs",
        "engine_metamorphic",
        "engine_reduce",
        "engine_shuttle",
        "implied_random",
        "proof",
        "state",
    )
]
SOAK += [f"tests/test_suppression/test_{name}.py" for name in ("random_releases", "schemes", "subtraction")]
"""Random tests of the engines, for `soak`."""

SOAKING = ["-p", "no:cacheprovider", "--hypothesis-profile=soak"]
"""How they draw anew: the suite itself draws the same examples every time (tests/conftest.py)."""

NODE_PACKAGES = ("openapi-typescript@7", "openapi-fetch@0", "typescript@5", "@types/node@20")
"""What makes a client in TypeScript, and runs it."""

GRACE = 20.0
"""Seconds that programs have to end when they are told to."""

UNSAFE = 1
"""Exit code of an audit that found something; in the demo this is the expected result."""


def main(arguments: list[str]) -> int:
    """Run one verb; further arguments are handed on (python3 do.py test -k report)."""
    verbs: dict[str, Callable[[list[str]], int]] = {
        "demo": demo,
        "test": test,
        "lint": lambda _: development(LINT, []),
        "types": lambda _: development(TYPES, []),
        "check": lambda _: development([*LINT, *TYPES, *IMPORTS], []),
        "docs": docs,
        "bench": bench,
        "limits": lambda more: development([["-m", "cases.benchmarks.limits"]], more),
        "faults": lambda more: development([["-m", "cases.service"]], more),
        "clients": clients,
        "cases": lambda more: tableseal(["cases", "--run", *more]),
        "soak": soak,
        "fuzz": lambda more: development([["-m", "tests.support.fuzz"]], more),
    }
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is also started by older Pythons
        print(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 2
    if len(arguments) == 0 or arguments[0] not in verbs:
        print(f"python3 do.py {'|'.join(verbs)}", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    return verbs[arguments[0]](arguments[1:])


def demo(more: list[str]) -> int:
    """Audit the shipped French business survey as if only its sensitive cells were withheld; write a page."""
    code = tableseal([*DEMO, *more])
    if code == UNSAFE:
        print(f"\nUnsafe, as expected of this example. The full report: {ROOT / DEMO_PAGE}")
        return 0
    return code


def test(more: list[str]) -> int:
    """Run the tests on all cores, and say before how long that takes."""
    install(development=True)
    spread = not any(word.startswith(("-n", "--numprocesses")) for word in more)
    if spread and subprocess.run([str(PYTHON), "-c", "import xdist"], capture_output=True).returncode:
        print("pytest-xdist is missing, so one core does it all.", file=sys.stderr)
        spread = False
    if not more:
        print(how_long(cores() if spread else 1), file=sys.stderr, flush=True)
    return run([str(PYTHON), "-m", "pytest", "-q", *(["-n", "auto"] if spread else []), *more])


def cores() -> int:
    """Those that we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def how_long(cores: int) -> str:
    """What the whole suite takes, in words."""
    number, minutes = SUITE
    shared = f"{cores} core{'s' if cores > 1 else ''}"
    return f"Some {number:,} tests, about {round(minutes / cores) or 1} minutes on {shared} with nothing else to do."


def docs(more: list[str]) -> int:
    """Build the documentation site into site/; whatever Sphinx warns of is an error."""
    install(development=False)
    if add("docs", "what builds the site"):
        return 1
    site = ROOT / "site"
    shutil.rmtree(site, ignore_errors=True)
    code = run([str(PYTHON), "-m", "sphinx", *SPHINX, *more, "docs", "site"])
    if code == 0:
        print(f"Open {site / 'index.html'}")
    return code


def bench(more: list[str]) -> int:
    """Measure ourselves against the programs of the bench group; those that cannot be installed are left out."""
    install(development=False)
    for program in add("bench", "the programs to compare with"):
        print(f"{program} could not be installed; its rows will say so.", file=sys.stderr)
    return run([str(PYTHON), "-m", "cases.benchmarks", *more])


def add(group: str, words: str) -> list[str]:
    """Install a dependency group besides, once; gives what could not be installed."""
    wanted = requirements((ROOT / "pyproject.toml").read_text("utf-8"), group)
    stamp = ENVIRONMENT / f"stamp-{group}"
    if stamp.exists() and stamp.read_text() == "\n".join(wanted):
        return []
    print(f"Installing {words} into .venv ...", file=sys.stderr, flush=True)
    pip = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    failed = [program for program in wanted if run([*pip, program])]
    if not failed:
        stamp.write_text("\n".join(wanted))
    return failed


def clients(more: list[str]) -> int:
    """Let clients that two programs make from the OpenAPI document run an audit; one of them needs Node.js."""
    install(development=True)
    folder, npm = ENVIRONMENT / "clients", shutil.which("npm")
    if npm is None:
        print("There is no npm, so only the Python client is tried.", file=sys.stderr)
    elif not (folder / "node_modules" / "openapi-typescript").is_dir():
        folder.mkdir(exist_ok=True)
        if run([npm, "install", "--silent", "--prefix", str(folder), *NODE_PACKAGES]):
            return 1
    os.environ["TABLESEAL_TEST_NODE"] = str(folder)
    return run([str(PYTHON), "-m", "pytest", "-q", "tests/test_api/test_generated_clients.py", *more])


def soak(more: list[str]) -> int:
    """Look for counterexamples for so many minutes (60): the engine's random tests with one seed after another."""
    minutes = float(more[0]) if more else 60.0
    install(development=True)
    end, seed = monotonic() + 60 * minutes, int(more[1]) if len(more) > 1 else 1
    while monotonic() < end:
        print(f"seed {seed}", flush=True)
        code = run([str(PYTHON), "-m", "pytest", "-q", "-x", *SOAKING, f"--hypothesis-seed={seed}", *SOAK])
        if code:
            print(f"A counterexample: python3 do.py soak 0.1 {seed} shows it again.", file=sys.stderr)
            return code
        seed += 1
    return 0


def tableseal(arguments: list[str]) -> int:
    """Run the command in the environment."""
    install(development=False)
    start = "from tableseal.api.cli import main; main()"
    return run([str(PYTHON), "-c", start, *arguments])


def development(commands: list[list[str]], more: list[str]) -> int:
    """Run development tools one after another; the first that fails ends it."""
    install(development=True)
    return next((code for command in commands if (code := run([str(PYTHON), *command, *more]))), 0)


def install(*, development: bool) -> None:
    """Make sure .venv holds what is needed; a stamp remembers which pyproject.toml it was made from."""
    text = (ROOT / "pyproject.toml").read_bytes()
    wanted = hashlib.sha256(text + sys.version.encode()).hexdigest()
    stamps = [ENVIRONMENT / "stamp-development"] + ([] if development else [ENVIRONMENT / "stamp"])
    if PYTHON.exists() and any(stamp.exists() and stamp.read_text() == wanted for stamp in stamps):
        return
    make_environment()
    print("Installing into .venv (first use, or pyproject.toml has changed) ...", file=sys.stderr, flush=True)
    pip = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    extra = requirements(text.decode(), "dev") if development else []
    if run([*pip, "--editable", ".", *extra]):
        sys.exit("Installing failed; the lines above say why. Is there a network connection?")
    stamps[0 if development else -1].write_text(wanted)


def make_environment() -> None:
    """Create .venv unless it works already; says the one package that Debian's own Python lacks."""
    if PYTHON.exists() and subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        if "ensurepip" in made.stdout + made.stderr or "No module named venv" in made.stderr:
            sys.exit("This Python cannot make environments. On Debian and Ubuntu: apt install python3-venv")
        sys.exit(f"Could not make {ENVIRONMENT}:\n{made.stdout}{made.stderr}")


def requirements(pyproject: str, group: str) -> list[str]:
    """A dependency group of pyproject.toml, read here because older pips do not know groups."""
    import tomllib

    return list(tomllib.loads(pyproject)["dependency-groups"][group])


def run(command: list[str]) -> int:
    """Run in the project folder and give the exit code. Whoever ends us ends all that the command has started."""
    environment = {**os.environ, "PIP_NO_INPUT": "1"}
    # A session, and with it a group of processes, of its own (where there are such things).
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    with_group = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, _ended) for number in with_group}
    try:
        return process.wait()
    except KeyboardInterrupt:
        end(process, signal.SIGINT)
        return 128 + signal.SIGINT
    except Ended:
        end(process, signal.SIGTERM)
        return 128 + signal.SIGTERM
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Ended(BaseException):
    """Somebody told us to end."""


def _ended(*_: object) -> None:
    raise Ended


def end(process: "subprocess.Popen[bytes]", number: int) -> None:
    """Tell a process and all of its group to end; after a while those that are left are killed."""
    if not hasattr(os, "killpg"):
        process.terminate()
        process.wait()
        return
    until = monotonic() + GRACE
    try:
        os.killpg(process.pid, number)
        while monotonic() < until:
            process.poll()  # else it stays in its group as a zombie
            os.killpg(process.pid, 0)
            sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
