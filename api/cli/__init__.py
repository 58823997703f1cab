"""The command line."""

from api.cli.app import main

__all__ = ["main"]
