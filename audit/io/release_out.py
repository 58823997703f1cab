"""A release as files: one JSON document, YAML with a CSV file for each table, or a bare CSV file."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.errors import InputError
from audit.io.canonical import canonical_document, canonical_json
from audit.io.yaml_out import write_document
from audit.model import Release

SUFFIXES = (".yaml", ".yml", ".json", ".csv")


def file_names(release: Release, target: Path) -> tuple[Path, ...]:
    """The files that `release_files` writes for a target, the target itself last.

    Raises
    ------
    InputError: an unknown suffix, or several tables in one CSV file.
    """
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{target}: found {suffix or 'no suffix'}, expected one of {', '.join(SUFFIXES)}.")
    several = len(release.tables) + len(release.statistics)
    if suffix == ".csv" and several > 1:
        raise InputError(f"{target}: the release has {several} tables, and a CSV file holds one; write .yaml or .json.")
    if suffix in (".json", ".csv"):
        return (target,)
    used: set[str] = set()
    names = (*(t.name for t in release.tables), *(s.table.name for s in release.statistics))
    return (*(target.with_name(_table_file(target.stem, name, used)) for name in names), target)


def release_files(release: Release, target: Path) -> dict[Path, str]:
    """What to write, file by file; the release file itself comes last, so that it never names files that are not there.

    Raises
    ------
    InputError: see `file_names`.
    """
    names = file_names(release, target)
    if target.suffix.lower() == ".json":
        return {target: canonical_json(release).decode("utf-8")}
    document = canonical_document(release)
    tables: list[dict[str, Any]] = [*document["tables"], *document.get("statistics", [])]
    if target.suffix.lower() == ".csv":
        return {target: _csv_text(tables[0]["cells"])}
    files: dict[Path, str] = {}
    for table, name in zip(tables, names[:-1], strict=True):
        files[name] = _csv_text(table.pop("cells"))
        table.pop("derived", None)
        table |= {"file": name.name, "decimal": "."}
    return files | {target: write_document(document)}


def _table_file(stem: str, name: str, used: set[str]) -> str:
    """A file name of its own for a table."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "table"
    found, number = f"{stem}_{plain}.csv", 2
    while found.lower() in used:
        found, number = f"{stem}_{plain}_{number}.csv", number + 1
    used.add(found.lower())
    return found


def _csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if v is None else v for v in row] for row in zip(*columns.values(), strict=True))
    return text.getvalue()
