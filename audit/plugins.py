"""What other packages add: rules, readers of file formats, status schemes and search methods, found by entry points.

A name of ours is never looked up, so that who needs nothing else pays nothing and no package can change what we do.
Entry points of a group are read when a name is not one of ours; the one asked for is then loaded.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Literal

from tableseal.audit.errors import PluginError, TablesealError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group = Literal["tableseal.rules", "tableseal.readers", "tableseal.status_schemes", "tableseal.search_methods"]


def load(group: Group, name: str, ours: Collection[str]) -> object | None:
    """What some package calls so in this group; None where none does.

    ours: names in this group that are taken.

    Raises
    ------
    PluginError: see `names`; the package cannot be loaded.
    """
    found = _points(group, tuple(ours)).get(name)
    if found is None:
        return None
    try:
        return found.load()  # type: ignore[no-any-return]
    except Exception as error:
        raise refusal(group, name, f"cannot be loaded ({type(error).__name__}: {error})") from error


def names(group: Group, ours: Collection[str]) -> list[str]:
    """What packages that are installed add to a group.

    Raises
    ------
    PluginError: a name that is taken by us, or given by two packages.
    """
    return sorted(_points(group, tuple(ours)))


@contextmanager
def blaming(group: Group, name: str) -> Iterator[None]:
    """While what a package adds is at work: what goes wrong unexpectedly is its fault.

    Raises
    ------
    PluginError: says which error it was, and not its text, which may hold what is secret.
    """
    try:
        yield
    except TablesealError:
        raise
    except Exception as error:
        raise refusal(group, name, f"fails ({type(error).__name__})") from error


def refusal(group: Group, name: str, problem: str) -> PluginError:
    """The error that says what is wrong with what a package adds."""
    packages = sorted({_package(point) for point in _read(group) if point.name == name})
    return PluginError(f'"{name}" ({group}) of the package {" and ".join(packages)} {problem}.')


@cache
def _points(group: Group, ours: tuple[str, ...]) -> "dict[str, EntryPoint]":
    found: dict[str, EntryPoint] = {}
    for point in _read(group):
        if point.name in ours:
            raise refusal(group, point.name, "has a name of tableseal's own; it must be called something else")
        if found.setdefault(point.name, point).value != point.value:
            raise refusal(group, point.name, "is there twice; uninstall one of them")
    return found


def _read(group: Group) -> "Iterator[EntryPoint]":
    from importlib.metadata import entry_points

    yield from entry_points(group=group)


def _package(point: "EntryPoint") -> str:
    return "that adds it" if point.dist is None else point.dist.name
