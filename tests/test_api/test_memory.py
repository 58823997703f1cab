"""Whatever fails under a memory limit because of it says so: CONVENTION 67 and 640."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tableseal.api.cases import cases_folder
from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.audit_kind import AuditRequest
from tableseal.api.jobs.kinds import all_kinds
from tableseal.api.problems import Problem
from tableseal.audit.batch.work import Task, audit_task
from tableseal.audit.errors import InputError
from tableseal.audit.execution.failures import Failure, failure_of
from tableseal.audit.execution.memory import OutOfMemoryError, _taken, memory_limit
from tableseal.audit.io import read_release
from tableseal.audit.progress import silent

resource = pytest.importorskip("resource")

TABLE_1 = cases_folder() / "o03_table1" / "release.yaml"
PLENTY = 64 * 1024


def unreadable() -> None:
    """A reader that makes an error in the input of whatever the system says."""
    try:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    except OSError:
        raise InputError("table.csv: cannot be read") from None


def raising(error: Exception) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


LACKS: dict[str, Callable[[], object]] = {
    "allocation": lambda: bytearray(2 * PLENTY * 1024**2),
    "folder": raising(OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))),
    "module": raising(ImportError("libz.so: failed to map segment from shared object")),
    "library": raising(OSError("libz.so: failed to map segment from shared object: Cannot allocate memory")),
    "library, without a number": raising(OSError("libz.so: cannot allocate memory in static TLS block")),
    "thread": raising(RuntimeError("can't start new thread")),
    "solver": raising(RuntimeError("std::bad_alloc")),
    "compiler": raising(RuntimeError("LLVM ERROR: out of memory")),
    "reader": unreadable,
}


@pytest.mark.parametrize("work", LACKS.values(), ids=LACKS.keys())
def test_every_lack_of_memory_names_the_limit_and_puts_it_back(work: Callable[[], object]) -> None:
    # CONVENTION 640
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(OutOfMemoryError, match=f"not enough memory: {PLENTY:,} MB were allowed"), memory_limit(PLENTY):
        work()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.parametrize("work", [work for name, work in LACKS.items() if name != "allocation"])
def test_a_machine_without_memory_is_a_limit_too(work: Callable[[], object]) -> None:
    with pytest.raises((InputError, ImportError, OSError, RuntimeError)) as caught:
        work()
    failure = failure_of(caught.value)
    assert (failure.kind, failure.message.partition(".")[0]) == ("limit", "not enough memory")


@pytest.mark.parametrize(
    "error", [KeyError("x"), OSError(errno.ENOENT, "x"), ImportError("no module x"), InputError("x")]
)
def test_with_memory_left_other_errors_are_what_they_are(error: Exception) -> None:
    # CONVENTION 640
    with pytest.raises(type(error)) as caught, memory_limit(PLENTY):
        raise error
    assert caught.value is error


def test_with_hardly_any_memory_left_a_fault_is_a_lack_of_it() -> None:
    # CONVENTION 640
    taken = _taken()
    if taken is None:
        pytest.skip("this system does not say how much a process takes")
    little = int(taken) + 32
    with pytest.raises(OutOfMemoryError), memory_limit(little):
        raise SystemError("error return without exception set")
    with pytest.raises(InputError), memory_limit(little):
        raise InputError("what the user wrote is wrong with more memory, too")
    with pytest.raises(OutOfMemoryError), memory_limit(1):
        pytest.fail("there is less than the process has")


def test_jobs_and_batches_say_it_as_the_command_does(tmp_path: Path) -> None:
    # CONVENTION 640
    (tmp_path / "release.yaml").write_text(TABLE_1.read_text("utf-8"), "utf-8")
    request = AuditRequest(release="release.yaml").model_dump_json()
    problem = attempt(all_kinds()["audit"], request, tmp_path, Limits(1, 10**6), silent)
    assert isinstance(problem, Problem)
    assert (problem.slug, problem.status) == ("memory-limit", 422)
    assert problem.detail.endswith("It allows 1 MB.")
    failure = audit_task(Task(read_release(TABLE_1), memory_limit=1))
    assert isinstance(failure, Failure)
    assert (failure.kind, "1 MB were allowed" in failure.message) == ("limit", True)
