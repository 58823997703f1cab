"""Who may use one of a few processes at once: owners take turns, and nobody waits for ever."""

import asyncio
from collections import Counter


class Slots:
    """So many slots, of which one owner may have so many at the same time. For one event loop; needs no lock."""

    def __init__(self, number: int, each: int) -> None:
        self._free, self._each = number, each
        self._held: Counter[str] = Counter()
        self._turn: Counter[str] = Counter()  # of whoever was given a slot: when, counted in slots
        self._given = 0
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    async def take(self, owner: str, seconds: float) -> bool:
        """A slot for this owner, to be given back; False if there is none within so many seconds."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((owner, turn))
        self._give()
        try:
            if not turn.done():
                await asyncio.wait([turn], timeout=seconds)
        except asyncio.CancelledError:
            if turn.done():
                self.give_back(owner)
            raise
        finally:
            if not turn.done():
                self._waiting.remove((owner, turn))
        return turn.done()

    def give_back(self, owner: str) -> None:
        """This owner needs a slot no longer."""
        self._free += 1
        self._held[owner] -= 1
        self._give()

    def _give(self) -> None:
        """Free slots to those who wait: first to who has the fewest, then to whose last turn is longest ago."""
        while self._free:
            may = [wait for wait in self._waiting if self._held[wait[0]] < self._each]
            if not may:
                return
            owner, turn = min(may, key=lambda wait: (self._held[wait[0]], self._turn[wait[0]]))
            self._waiting.remove((owner, turn))
            self._free -= 1
            self._held[owner] += 1
            self._given += 1
            self._turn[owner] = self._given
            turn.set_result(None)
