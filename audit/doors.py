"""Doors of packages: names that are loaded when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def opener(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose names live in other modules of it (module -> its names)."""
    home = {name: module for module, names in homes.items() for name in names}

    def opened(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    return opened
