"""The HTTP service."""

from tableseal.api.http.app import create_app

__all__ = ["create_app"]
