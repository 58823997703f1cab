"""Threads for one purpose, so that it is in the way of nothing else."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """A few threads of one's own; those that all routes share (`run_in_threadpool`) stay free for who only reads."""

    def __init__(self, number: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(max(1, number), name)

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function gives, called in one of the threads."""
        context = copy_context()  # the request's name, for the log
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, lambda: context.run(function, *args, **kwargs)
        )

    def close(self) -> None:
        """End the threads, as soon as they have nothing to do."""
        self._pool.shutdown(wait=False, cancel_futures=True)
