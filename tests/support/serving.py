"""The service as real processes, for tests."""

from cases.service.running import address, ask, patiently, started, until_state

__all__ = ["address", "ask", "patiently", "started", "until_state"]
