"""Where work runs changes nothing: serial, processes, a real Dask cluster; workers that are killed lose nothing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from small import many_blocks

from tableseal.audit import clock
from tableseal.audit.bounds import engine
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.networks import side_by_side as together
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.execution.dask import Dask, connect
from tableseal.audit.execution.executor import HERE, Lost, in_batches
from tableseal.audit.execution.processes import Processes
from tableseal.audit.io import release_from_document
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.pipeline import audit
from tableseal.audit.report import report_json

ENVIRONMENT = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[2]))


def square(x: int) -> int:
    return x * x


def refuse(x: int) -> int:
    if x == 2:
        raise InfeasibleError
    return x


def die_once(flag: str) -> int:
    """Kill the worker, the first time."""
    if flag and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return len(flag)


def die_always(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def die_on_three(x: int) -> int:
    """Kill the worker that takes item 3."""
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


@pytest.fixture(autouse=True)
def one_component_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WORTH_SENDING", 1)
    monkeypatch.setattr(together, "COLUMNS", 1)


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    with Processes(2) as processes:
        yield processes


def test_results_come_in_order(pool: Processes) -> None:
    assert list(pool.map(square, range(20))) == [x * x for x in range(20)]


def test_errors_reach_the_caller(pool: Processes) -> None:
    with pytest.raises(InfeasibleError):
        list(pool.map(refuse, [0, 1, 2, 3]))
    assert list(pool.map(square, [3])) == [9], "the pool can be used again"


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    flags = ["", "", str(tmp_path / "killed"), "", ""]
    with Processes(2) as processes:
        assert list(processes.map(die_once, flags)) == [len(f) for f in flags]
    assert (tmp_path / "killed").exists()


def test_work_that_kills_every_worker_is_given_up() -> None:
    with Processes(2) as processes, pytest.raises(LimitError, match="Worker processes ended"):
        list(processes.map(die_always, [1]))


def test_batches_cover_everything_once_and_do_not_depend_on_workers() -> None:
    sizes = [5, 1, 1, 1, 30, 2, 2]
    runs = in_batches(sizes, batch=6)
    assert [k for a, b in runs for k in range(a, b)] == list(range(len(sizes)))
    assert all(sum(sizes[a:b]) >= 6 for a, b in runs[:-1])
    assert in_batches([], batch=6) == []


def test_the_report_is_the_same_for_any_number_of_workers(pool: Processes) -> None:
    release = release_from_document(many_blocks())
    alone = report_json(audit(release, executor=HERE).report)
    assert report_json(audit(release, executor=pool).report) == alone
    # With a time limit components go to workers twice: for their quick steps, and for the others.
    assert report_json(audit(release, executor=pool, time_limit=1000.0).report) == alone


def test_limits_travel_as_seconds_left() -> None:
    import pickle

    limits = Limits(deadline=clock.now() + 100, integer=False, prove=True)
    again = pickle.loads(pickle.dumps(limits))
    assert 90 < again.seconds_left() <= 100
    assert (again.integer, again.prove) == (False, True)
    assert pickle.loads(pickle.dumps(Limits())) == Limits()


def test_waiting_for_a_worker_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that lies in a queue for a while after it was sent does not begin with all its time."""
    import pickle
    import time

    sent, now = pickle.dumps(Limits(deadline=clock.now() + 100)), time.time()
    for waited, least, most in ((60, 30, 40), (-3600, 90, 100), (500, 0, 0)):
        monkeypatch.setattr("tableseal.audit.bounds.component.time", lambda waited=waited: now + waited)
        assert least <= pickle.loads(sent).seconds_left() <= most


def test_results_as_they_come(pool: Processes) -> None:
    for executor in (HERE, pool):
        assert dict(executor.as_completed(square, range(20))) == {x: x * x for x in range(20)}
        with pytest.raises(InfeasibleError):
            list(executor.as_completed(refuse, range(4)))


def test_items_are_made_when_somebody_can_take_them(pool: Processes) -> None:
    made = []

    def items() -> Iterator[int]:
        for x in range(30):
            made.append(x)
            yield x

    results = pool.as_completed(square, items())
    next(results)
    assert len(made) <= 4
    assert len(list(results)) == 29


def test_an_item_that_kills_its_worker_harms_no_other() -> None:
    with Processes(2) as processes:
        found = dict(processes.as_completed(die_on_three, range(8)))
    lost = found.pop(3)
    assert isinstance(lost, Lost)
    assert "ended before it was done" in lost.why
    assert found == {x: x * x for x in range(8) if x != 3}


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """(They would wait for work for ever.)"""
    code = (
        "from tableseal.audit.execution.processes import Processes\n"
        "import os, time\n"
        "if __name__ == '__main__':\n"
        "    pool = Processes(2)\n"
        "    print(*set(pool.map(os.getpgid, [0] * 4)), *{p for p in pool._pool._processes}, flush=True)\n"
        "    time.sleep(60)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as parent:
        assert parent.stdout is not None
        workers = [int(word) for word in parent.stdout.readline().split()][1:]
        assert workers
        parent.kill()
    until = time.monotonic() + 20
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < until, "workers are still there"
        time.sleep(0.05)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as running,
        distributed.Client(running, set_as_default=False) as client,
    ):
        yield client


def test_a_dask_cluster_gives_the_same_report(cluster: object) -> None:
    release = release_from_document(many_blocks())
    alone = report_json(audit(release).report)
    assert report_json(audit(release, executor=Dask(cluster)).report) == alone


def test_a_dask_worker_killed_in_the_middle_loses_nothing(cluster: object, tmp_path: Path) -> None:
    flags = ["", "", str(tmp_path / "killed"), "", "", ""]
    assert list(Dask(cluster).map(die_once, flags)) == [len(f) for f in flags]
    assert (tmp_path / "killed").exists()


def test_a_dask_cluster_gives_results_as_they_come(cluster: object) -> None:
    assert dict(Dask(cluster).as_completed(square, range(20))) == {x: x * x for x in range(20)}
    found = dict(Dask(cluster).as_completed(die_on_three, range(6)))
    assert isinstance(found.pop(3), Lost)
    assert found == {x: x * x for x in range(6) if x != 3}


def test_nobody_answers() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        connect("tcp://127.0.0.1:9")
