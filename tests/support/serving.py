"""The service as real processes, for tests."""

from cases.service.running import address, ask, descendants, gone, launch, memory, started, until_state

__all__ = ["address", "ask", "descendants", "gone", "launch", "memory", "started", "until_state"]
