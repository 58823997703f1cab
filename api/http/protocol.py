"""Connections whose headers do not come: uvicorn itself waits for them for ever."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def closing_after(seconds: float) -> type[H11Protocol]:
    """The protocol of a server that closes a connection if a request's headers are not there in so many seconds.

    The time begins with the connection, later with the first byte of the next request; a connection between two
    requests is closed by uvicorn (`timeout_keep_alive`), and bodies have a limit of their own (`body_limit.py`).
    """

    class Protocol(H11Protocol):
        _overdue: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._wait()
            else:
                self._stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._overdue is None:
                self._overdue = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._overdue is not None:
                self._overdue.cancel()
                self._overdue = None

    return Protocol
