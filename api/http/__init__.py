"""The HTTP service."""

from api.http.app import create_app

__all__ = ["create_app"]
