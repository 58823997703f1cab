"""Digests of every answer to every case: what must stay byte for byte the same when code only moves.

    python tests/support/digests.py FILE             writes the digests of this working copy
    python tests/support/digests.py FILE --compare   says which answers are no longer those of FILE

Answers are exit codes, what is printed, reports, proofs and patterns, of the shipped cases and of the rebuilt fault
reports in tests/data/reports. Seconds, the order of options in the command that comes next, and answers that a time
limit ended, are left out. Digests are those of one
machine with one set of solvers, so they are a tool for whoever moves code and no test.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "cases"
REPORTS = ROOT / "tests" / "data" / "reports"
NEXT = re.compile(r"^Next: .*$", re.MULTILINE)
SECONDS = re.compile(r"\b\d+(\.\d+)? (s|seconds?)\b")


def commands() -> Iterator[tuple[str, list[str]]]:
    """Name and words of every command; outputs are files of the folder it runs in."""
    for path in sorted(CASES.glob("*/case.yaml")):
        for run in yaml.safe_load(path.read_text("utf-8"))["runs"]:
            if not run.get("slow"):
                yield f"{path.parent.name}: {run['name']}", _words(path.parent, run)
    for path in sorted(REPORTS.glob("*/*")):
        if path.suffix in (".yaml", ".json", ".csv", ".tab") and "B74" not in str(path):
            name = str(path.relative_to(REPORTS))
            yield f"{name}: audit", ["audit", str(path), "--json", "report.json", "--proof", "proof.json"]
            if path.suffix == ".yaml":
                yield f"{name}: page", ["audit", str(path), "--html", "report.html", "--public"]
                for method in ("heuristic", "optimal"):
                    yield f"{name}: {method}", _suppress([str(path), "--method", method])


def _words(folder: Path, run: dict[str, object]) -> list[str]:
    kind = str(run.get("kind", "audit"))
    words = [str(folder / str(run["release"]))]
    if "policy" in run:
        words += ["--policy", str(folder / str(run["policy"]))]
    for key in ("bounds", "withhold_primaries", "cumulative"):
        words += _option(key, run[key]) if key in run else []
    for key, value in dict(run.get("options", {})).items():  # type: ignore[call-overload]
        words += _option(key, value)
    if kind == "audit":
        # What-ifs have no proof of a release.
        proof = [] if run.get("withhold_primaries") else ["--proof", "proof.json"]
        return ["audit", *words, "--json", "report.json", *proof]
    return _suppress(words) if kind == "suppress" else [kind, *words, "--json", "report.json"]


def _suppress(words: list[str]) -> list[str]:
    return ["suppress", *words, "-o", "protected.yaml", "--json", "report.json"]


def _option(key: str, value: object) -> list[str]:
    name = "--" + key.replace("_", "-")
    if isinstance(value, bool):
        return [name if value else f"--no-{name[2:]}"]
    if isinstance(value, list):
        return [word for one in value for word in (name, str(one))]
    return [name, str(value)]


def digest(words: list[str]) -> str:
    """One digest of all that a command gives."""
    try:
        from tableseal.api.cli.app import app
    except ImportError:
        from api.cli.app import app
    total = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        result = CliRunner().invoke(app, words)
        if isinstance(result.exception, Exception):
            raise result.exception
        total.update(f"{result.exit_code}\n{SECONDS.sub('_ s', _placed(result.output))}".encode())
        for path in sorted(Path(folder).iterdir()):
            total.update(f"{path.name}\n{_placed(path.read_text('utf-8'))}".encode())
        os.chdir(ROOT)
    return f"{result.exit_code} {total.hexdigest()}"


def _placed(text: str) -> str:
    """The text without where this working copy lies and how lines were broken around it."""
    text = NEXT.sub(lambda found: " ".join(sorted(found[0].split())), text)
    return re.sub(r"\s+", " ", text.replace(str(ROOT), "."))


def main(target: Path, *, compare: bool) -> int:
    """Write the digests, or say which differ from those that are written."""
    found = {}
    for name, words in commands():
        found[name] = digest(words)
        print(found[name][:10], name, flush=True)
    if not compare:
        target.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        return 0
    known = json.loads(target.read_text("utf-8"))
    differ = sorted(name for name in known.keys() | found.keys() if known.get(name) != found.get(name))
    print("\n".join(["", *differ, f"{len(differ)} of {len(known)} answers differ"]))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), compare="--compare" in sys.argv))
