"""A release as files: one JSON document, YAML with a CSV file for each table, a bare CSV file, or another format."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.canonical import canonical_document, canonical_json
from tableseal.audit.io.formats.format import Part
from tableseal.audit.io.formats.out import file_name, table_files, written
from tableseal.audit.io.formats.registry import ENDINGS, format_to_write
from tableseal.audit.io.headings import reads_as_number, with_headings
from tableseal.audit.io.statuses.usual_marks import usual_mark
from tableseal.audit.io.yaml_out import write_document
from tableseal.audit.model import Release, Status, Table
from tableseal.audit.wording import quoted

SUFFIXES = (".yaml", ".yml", ".json", ".csv", *ENDINGS)


def file_names(release: Release, target: Path) -> tuple[Path, ...]:
    """The files that `release_files` writes for a target, the target itself last.

    Raises
    ------
    InputError: an unknown suffix, or several tables in one CSV file.
    """
    found = format_to_write(target.name)
    if found is not None:
        files = table_files(release, target, found)
        more = (path.with_name(name) for path in files for name in found.companions(release, path.name))
        return (*dict.fromkeys(more), *files)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(found=suffix or "no suffix", expected=f"one of {', '.join(SUFFIXES)}", at=str(target))
    several = len(release.tables) + len(release.statistics)
    if suffix == ".csv" and several > 1:
        text = f"the release has {several} tables, and a CSV file holds one; write .yaml or .json."
        raise InputError(text, at=str(target))
    if suffix in (".json", ".csv"):
        return (target,)
    used: set[str] = set()
    names = (*(t.name for t in release.tables), *(s.table.name for s in release.statistics))
    return (*(target.with_name(file_name(target.stem, name, ".csv", used)) for name in names), target)


def release_files(release: Release, target: Path, *, symbol: str | None = None) -> dict[Path, str | bytes]:
    """What to write, file by file; the release file itself comes last, so that it never names files that are not there.
    CSV files have the column names of the user's files, and mark withheld values as these do.

    symbol: marks withheld values in CSV files (None: as in the user's files).

    Raises
    ------
    InputError: see `file_names` and `check_symbol`.
    """
    names = file_names(release, target)
    check_symbol(symbol, target)
    found = format_to_write(target.name)
    if found is not None:
        return written(release, target, found, (Part.PRIMARY, Part.SECONDARY)).files
    if target.suffix.lower() == ".json":
        return {target: canonical_json(release).decode("utf-8")}
    document = canonical_document(release)
    bare = target.suffix.lower() == ".csv"
    document["tables"] = [
        with_headings(written, table, release, _mark(table, symbol, bare=bare))
        for written, table in zip(document["tables"], release.tables, strict=True)
    ]
    tables: list[dict[str, Any]] = [*document["tables"], *document.get("statistics", [])]
    if bare:
        return {target: _csv_text(tables[0]["cells"])}
    files: dict[Path, str | bytes] = {}
    for table, name in zip(tables, names[:-1], strict=True):
        cells = table.pop("cells")
        files[name] = _csv_text(cells)
        table.pop("derived", None)
        table |= {"file": name.name, "decimal": "."}
        if table in document["tables"]:
            table["rows"] = len(next(iter(cells.values())))
    return files | {target: write_document(document)}


def check_symbol(symbol: str | None, target: Path) -> None:
    """Refuse a symbol for withheld values that reads as something else.

    Raises
    ------
    InputError: nothing, a number; for a bare CSV file, what is no usual mark of a withheld value.
    """
    if symbol is None:
        return
    if format_to_write(target.name) is not None:
        text = f"{target.name} is no CSV file of ours; its format says itself how a value is withheld."
        raise InputError(text, at=OptionName("symbol", quoted(symbol)))
    if not symbol.strip() or symbol != symbol.strip() or reads_as_number(symbol):
        raise InputError(expected="a mark that is no number, such as *", at=OptionName("symbol", quoted(symbol)))
    if target.suffix.lower() == ".csv" and not _usual(symbol):
        text = f"{target.name} is a bare CSV file, which has no place to say what this means; write .yaml, or take a "
        raise InputError(text, "usual mark such as *.", at=OptionName("symbol", quoted(symbol)))


def _usual(mark: str) -> bool:
    found = usual_mark(mark)
    return found is not None and found.meaning == Status.WITHHELD.word


def _mark(table: Table, symbol: str | None, *, bare: bool) -> str | None:
    own = None if table.headings is None else table.headings.mark
    return symbol or (own if own is None or not bare or _usual(own) else None)


def _csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if v is None else v for v in row] for row in zip(*columns.values(), strict=True))
    return text.getvalue()
