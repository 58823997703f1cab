"""The command line."""

from tableseal.api.cli.verbs import main

__all__ = ["main"]
