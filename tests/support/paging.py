"""Pages of the service, asked without a browser."""

import time
from typing import Any

from fastapi.testclient import TestClient

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Origin": "http://localhost"}


def until_done(client: TestClient, response: Any) -> Any:
    """The page of a job once it has ended."""
    until = time.monotonic() + 60
    while "data-job" in response.text:
        assert time.monotonic() < until
        time.sleep(0.05)
        response = client.get(response.url)
    return response


def identity(response: Any) -> str:
    """The id in the address of a page."""
    return str(response.url.path.split("/")[2])


def log(client: TestClient, **headers: str) -> list[dict[str, Any]]:
    """The log of what was done, newest first."""
    found: list[dict[str, Any]] = client.get("/v1/audit-log?limit=1000", headers=headers).json()
    return found
