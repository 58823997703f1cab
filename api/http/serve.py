"""The server and its workers as processes of one command."""

import logging
import os
import signal
import socket
import threading
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess

import uvicorn

from tableseal.api.http.app import create_app
from tableseal.api.http.protocol import closing_after
from tableseal.api.jobs.worker import work
from tableseal.api.logs import log_to_stderr
from tableseal.api.settings import Settings
from tableseal.api.store.migrate import opened
from tableseal.audit.errors import InputError

GRACE = 10
"""Seconds that requests and workers have to come to an end."""

logger = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; workers that die are replaced.

    Raises
    ------
    InputError: the data folder, the database or the port cannot be used.
    """
    log_to_stderr(settings.log)
    os.umask(0o077)  # nothing that is written is for others on this machine
    _refuse_taken(settings.host, settings.port)
    with opened(settings.database_url, settings.keys):  # before anybody looks for tables
        pass
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        http=closing_after(settings.header_seconds),
        access_log=False,
        log_config=None,  # lines of its own would be neither JSON nor without what errors say
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    server = uvicorn.Server(config)

    def end(*_: object) -> None:
        # uvicorn raises the signal once more when it is done; by then there are workers to be ended in good order.
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    with Workers(settings):
        server.run()


def _refuse_taken(host: str, port: int) -> None:
    """Before there are workers, which would take up jobs."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
                tried.bind(address)
    except OSError as error:
        raise InputError(f"host {host}, port {port}: cannot be listened on: {error.strerror}.") from None


class Workers:
    """Worker processes, replaced when they die. Use as a context manager, which ends them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._processes: list[SpawnProcess] = []
        self._small: list[bool] = []
        self._ending = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> "Workers":
        number = self._settings.workers
        self._small = [False] * number + [True] * (self._settings.small_workers if number else 0)
        self._processes = [self._started(small) for small in self._small]
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._keeper.join()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(GRACE)
            process.kill()
            process.join()

    def _keep(self) -> None:
        while not self._ending.wait(1.0):
            for at, process in enumerate(self._processes):
                if not process.is_alive():
                    logger.warning("a worker ended (exit code %s); another takes its place", process.exitcode)
                    self._processes[at] = self._started(self._small[at])

    def _started(self, small: bool) -> SpawnProcess:
        # Settings go through a pipe: a password of the database is seen neither in arguments nor in the environment.
        process = get_context("spawn").Process(target=work, args=(self._settings, small), name="tableseal-worker")
        process.start()
        return process
