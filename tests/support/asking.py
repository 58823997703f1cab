"""The service in this process, with a worker, for tests that ask it."""

import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from tableseal.api.http.app import create_app
from tableseal.api.jobs.worker import Worker
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store

WAIT = {"Prefer": "wait=60"}


@contextmanager
def asked(folder: Path, *, worker: bool = True, **settings: Any) -> Iterator[TestClient]:
    """A client of a service of its own."""
    chosen = Settings(**{"data": folder, "inline_seconds": 30.0, "poll_seconds": 0.05, **settings})
    stop = threading.Event()
    with TestClient(create_app(chosen), base_url="http://localhost") as client:
        store = Store(chosen.database_url, chosen.keys)
        thread = threading.Thread(target=Worker(chosen, store, stop).run)
        if worker:
            thread.start()
        try:
            yield client
        finally:
            stop.set()
            if worker:
                thread.join()
            store.close()


def archive(*files: tuple[str, bytes]) -> bytes:
    """A zip archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files:
            opened.writestr(name, content)
    return target.getvalue()


def path_of(response: Any) -> str:
    """The job of a response: where it is, or which one the result belongs to."""
    location = response.headers.get("location") or response.headers["link"].partition(">")[0].removeprefix("<")
    return str(location)
