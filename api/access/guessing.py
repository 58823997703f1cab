"""Who shows key after key that is none is made to wait, so that guessing is slow, and is refused if many wait."""

import asyncio
import time
from collections import Counter

FREE = 20
"""Refusals of an address that slow nothing down; one of them is forgotten each second."""

PAUSE = 1.0
"""Seconds that each further request with a key waits, before the key is looked at."""

WAITING = 10
"""Requests of an address that may wait so at the same time."""

_KNOWN = 10_000
"""Addresses after which those that have been forgiven are forgotten."""


class Guesses:
    """What was refused lately, by address. For one event loop."""

    def __init__(self) -> None:
        self._refused: dict[str, tuple[float, float]] = {}  # how many are not forgotten, and when that was so
        self._waiting: Counter[str] = Counter()

    def refused(self, address: str) -> None:
        """A key, session or token from this address was no good."""
        if len(self._refused) >= _KNOWN:
            self._refused = {known: seen for known, seen in self._refused.items() if self._left(known) > 0}
        self._refused[address] = (self._left(address) + 1, time.monotonic())

    async def admitted(self, address: str) -> bool:
        """Wait as long as this address has to; False if too many of it wait already."""
        if self._left(address) < FREE:
            return True
        if self._waiting[address] >= WAITING:
            return False
        self._waiting[address] += 1
        try:
            await asyncio.sleep(PAUSE)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]
        return True

    def _left(self, address: str) -> float:
        number, at = self._refused.get(address, (0.0, 0.0))
        return max(0.0, number - (time.monotonic() - at))
