"""A small client of the service, for programs in Python: `Client`, and `AsyncClient` with the same verbs.

Needs nothing of tableseal but httpx2 (`pip install 'tableseal[client]'`); the work is done where the service runs.
"""

from tableseal.api.client.async_client import AsyncClient
from tableseal.api.client.model import Failure, Job, ServiceError, UnreachableError
from tableseal.api.client.sync_client import Client

__all__ = ["AsyncClient", "Client", "Failure", "Job", "ServiceError", "UnreachableError"]
