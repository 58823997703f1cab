"""Workers and programs without `if __name__ == "__main__":`: one error that says what to write. CONVENTION 666."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import tableseal as ts
from tableseal.audit.execution.processes import Processes
print("body")
{guard}
    {call}
"""
POOL = "with Processes(2) as pool: print(sum(pool.map(abs, [-1, -2])))"
UNGUARDED = "if True:"
GUARDED = 'if __name__ == "__main__":'


def run(text: str, where: Path, *, as_file: bool = True) -> "subprocess.CompletedProcess[str]":
    file = where / "program.py"
    file.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    words = [sys.executable, str(file) if as_file else "-"]
    return subprocess.run(
        words, input=None if as_file else text, capture_output=True, text=True, cwd=where, env=environment, timeout=120
    )


def test_a_guarded_program_has_workers(tmp_path: Path) -> None:
    done = run(PROGRAM.format(guard=GUARDED, call=POOL), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3" in done.stdout  # workers may print their bodies on the same line


@pytest.mark.parametrize("as_file", [True, False])
def test_a_program_that_workers_cannot_import_is_one_error(tmp_path: Path, as_file: bool) -> None:
    done = run(PROGRAM.format(guard=UNGUARDED, call=POOL), tmp_path, as_file=as_file)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert 'if __name__ == "__main__":' in done.stderr.splitlines()[-1]
    assert done.stdout.count("body") <= (3 if as_file else 1)  # once for each worker, which is not started again


def test_no_method_of_a_comparison_has_failed_then() -> None:
    """A comparison says what failed of a method; this is no fault of one."""
    import tableseal as ts
    from tableseal.audit.errors import UnguardedError

    class Broken:
        def map(self, work: object, items: object) -> object:
            raise UnguardedError("no guard.")

        as_completed = map

    v = [[(3 * i + 5 * j) % 11 + 1 for j in range(12)] for i in range(12)]
    rows = [(f"r{i}", f"c{j}", v[i][j]) for i in range(12) for j in range(12)]
    rows += [(f"r{i}", "T", sum(v[i])) for i in range(12)] + [("T", f"c{j}", sum(r[j] for r in v)) for j in range(12)]
    rows += [("T", "T", sum(map(sum, v)))]
    import polars as pl

    frame = pl.DataFrame(rows, schema=["r", "c", "n"], orient="row")
    with pytest.raises(UnguardedError):
        ts.compare(frame, value="n", total="T", threshold=3, methods=["optimal"], executor=Broken())
