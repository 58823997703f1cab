"""A Dask cluster, the first way beyond one machine (extra `dask`)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tableseal.audit.errors import InputError, LimitError, OptionName
from tableseal.audit.execution.executor import Item, Lost, Result

RETRIES = 3
"""Times that work is done again whose worker died."""


class Dask:
    """Workers of a Dask scheduler.

    Results come back in order; work of a worker that dies is done again by another one.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """See Executor.

        Raises
        ------
        LimitError: workers died again and again.
        """
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        # pure=False: what another client has computed is never mixed in.
        futures = [self._client.submit(work, item, pure=False, retries=RETRIES) for item in items]
        try:
            for future in futures:
                yield future.result()
                future.release()
        except (KilledWorker, FutureCancelledError) as error:
            raise LimitError(f"The Dask cluster lost this work: {type(error).__name__}.") from None
        finally:
            self._client.cancel(futures)

    def as_completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result | Lost]]:
        """See Executor.

        Raises
        ------
        LimitError: the cluster is gone.
        """
        from distributed import as_completed
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        waiting = enumerate(items)
        running: dict[Any, int] = {}
        completed = as_completed(loop=self._client.loop)
        try:
            while True:
                wanted = 2 * max(1, sum(self._client.nthreads().values()))
                for position, item in islice(waiting, max(0, wanted - len(running))):
                    future = self._client.submit(work, item, pure=False, retries=RETRIES)
                    running[future] = position
                    completed.add(future)
                if not running:
                    return
                future = next(completed)
                position = running.pop(future)
                try:
                    yield position, future.result()
                except KilledWorker:
                    yield position, Lost("Several Dask workers ended over it (killed, crashed or out of memory).")
                future.release()
        except (FutureCancelledError, OSError) as error:
            raise LimitError(f"The Dask cluster lost this work: {type(error).__name__}.") from None
        finally:
            self._client.cancel(list(running))


def connect(address: str) -> Dask:
    """The cluster whose scheduler listens at an address such as tcp://host:8786.

    Raises
    ------
    InputError: Dask is not installed, or nothing answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError(OptionName("scheduler"), " needs Dask: pip install 'tableseal[dask]'") from None
    try:
        return Dask(Client(address, timeout="10s", set_as_default=False))
    except (OSError, TimeoutError, ValueError) as error:
        text = f"no Dask scheduler answers there ({type(error).__name__})"
        raise InputError(text, at=OptionName("scheduler", address)) from None
