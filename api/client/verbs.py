"""The verbs of the service as conversations; the clients only hold them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tableseal.api.client.model import Job
from tableseal.api.client.talk import Release, Talk, submitted


def audit(
    release: Release, files: Sequence[Path], policy: Path | None, key: str | None, options: Mapping[str, object]
) -> Talk[Job]:
    """Ask for an audit."""
    return _of_release("audits", release, files, {"policy": policy}, key, options)


def suppress(
    release: Release,
    files: Sequence[Path],
    roles: Mapping[str, Path | None],
    key: str | None,
    options: Mapping[str, object],
) -> Talk[Job]:
    """Ask for a suppression. roles: policy, decisions, last_period."""
    return _of_release("suppressions", release, files, roles, key, options)


def compare(
    release: Release, files: Sequence[Path], policy: Path | None, key: str | None, options: Mapping[str, object]
) -> Talk[Job]:
    """Ask for a comparison of protections."""
    return _of_release("comparisons", release, files, {"policy": policy}, key, options)


def batch(
    releases: Path, manifest: Path | None, policy: Path | None, key: str | None, options: Mapping[str, object]
) -> Talk[Job]:
    """Ask for a batch of a zip archive of releases."""
    given = {"manifest": manifest, "policy": policy}
    others = [(role, path.name, path) for role, path in given.items() if path is not None]
    return submitted("batches", ("releases", releases), others, options, key)


def risk(
    original: Release, protected: Path | None, transition: Path | None, key: str | None, options: Mapping[str, object]
) -> Talk[Job]:
    """Ask for the risk of a whole table."""
    given = {"protected": protected, "transition": transition}
    others = [(role, path.name, path) for role, path in given.items() if path is not None]
    return submitted("risk", ("original", original), others, options, key)


def sap(table: Release, upper: Path | None, key: str | None, options: Mapping[str, object]) -> Talk[Job]:
    """Ask for the probability that subtraction recovers a zero."""
    others = [] if upper is None else [("upper", upper.name, upper)]
    return submitted("sap", ("table", table), others, options, key)


def _of_release(
    kind: str,
    release: Release,
    files: Sequence[Path],
    roles: Mapping[str, Path | None],
    key: str | None,
    options: Mapping[str, object],
) -> Talk[Job]:
    """Files that the release names are sent under their place beside it."""
    base = release.parent if isinstance(release, Path) else None
    others = [("file", _beside(path, base), path) for path in files]
    others += [(role, path.name, path) for role, path in roles.items() if path is not None]
    return submitted(kind, ("release", release), others, options, key)


def _beside(path: Path, base: Path | None) -> str:
    if base is not None and path.is_relative_to(base):
        return path.relative_to(base).as_posix()
    return path.name
