"""Which tableseal this is."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def engine_version() -> str:
    """Version of the installed package, "unknown" when it runs from a folder that was never installed."""
    try:
        return version("tableseal")
    except PackageNotFoundError:
        return "unknown"
