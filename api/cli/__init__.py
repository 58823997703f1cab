"""The command line."""

from api.cli.verbs import main

__all__ = ["main"]
