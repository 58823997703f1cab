"""A PostgreSQL server of our own, in a folder, that may be stopped."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cases.service.figures import SkippedError

FOLDERS = "/usr/lib/postgresql/*/bin"
"""Where Debian keeps the programs of the server."""


class Cluster:
    """A server in a folder."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._data = programs, folder / "cluster"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._run("initdb", "--auth=trust", "--no-sync", "--username=postgres")

    @property
    def url(self) -> str:
        """URL of its database."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    @property
    def folder(self) -> Path:
        """Where all of its files are."""
        return self._data

    def start(self) -> None:
        """Start it; it answers afterwards."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -k {self._data}"
        self._run("pg_ctl", "start", "--wait", "--log", str(self._data / "log"), "--options", options)

    def stop(self) -> None:
        """Stop it as a crash would: whatever was not committed is gone."""
        self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def _run(self, program: str, *arguments: str) -> None:
        # The server refuses to run as root.
        user = "postgres" if os.geteuid() == 0 else None
        command = [str(self._programs / program), "-D", str(self._data), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", user=user)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A new server, not started; stopped and erased at the end.

    Raises
    ------
    SkippedError: PostgreSQL is not installed.
    """
    found = sorted(Path("/").glob(f"{FOLDERS[1:]}/initdb")) or [Path(p) for p in [shutil.which("initdb")] if p]
    if not found:
        raise SkippedError(f"there is no initdb in {FOLDERS} or on the path (PostgreSQL is not installed)")
    with tempfile.TemporaryDirectory(prefix="tableseal-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = Cluster(found[-1].parent, folder)
        try:
            yield server
        finally:
            if (folder / "cluster" / "postmaster.pid").exists():
                server.stop()
