"""Results in the form that the client asks for: JSON as it is, its rows as JSON lines, CSV or Parquet."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tableseal.api.http.json_rows import rows_in
from tableseal.api.jobs.kinds import Rows
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.codec.layout import Layout
from tableseal.audit.io.spreadsheet import csv_text

JSON = "application/json"
LINES = "application/x-ndjson"
CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"

FORMATS = {"json": JSON, "jsonl": LINES, "csv": CSV, "parquet": PARQUET}
"""Word of the query parameter `format` -> media type."""

_TOGETHER = 500
"""Rows that are sent together."""


@cache
def _has_polars() -> bool:
    return find_spec("polars") is not None


def offered(rows: Rows | None) -> tuple[str, ...]:
    """Media types that a JSON result can be had in, the usual one first."""
    if rows is None:
        return (JSON,)
    return (JSON, LINES, CSV, *((PARQUET,) if _has_polars() else ()))


def chosen(accept: str | None, types: Iterable[str]) -> str | None:
    """The type that an `Accept` header likes best (RFC 9110), the first of equals; None if it takes none of them."""
    best, liked = None, 0.0
    for media_type in types:
        quality = _quality(accept or "*/*", media_type)
        if quality > liked:
            best, liked = media_type, quality
    return best


def rendered(pieces: Iterable[bytes], media_type: str, rows: Rows) -> Iterator[bytes]:
    """The rows of a JSON result as another media type, piece by piece."""
    return _WRITERS[media_type](rows_in(pieces, rows.member), rows.layout)


def _quality(accept: str, media_type: str) -> float:
    """What the most specific range that fits says; 0 if none does."""
    found, specific = 0.0, -1
    for part in accept.split(","):
        name, *parameters = (text.strip().lower() for text in part.split(";"))
        fits = {media_type: 2, f"{media_type.partition('/')[0]}/*": 1, "*/*": 0}
        if fits.get(name, -1) > specific:
            specific = fits[name]
            found = next((_number(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
    return found


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0


def _lines(rows: Iterator[dict[str, Any]], _: Layout) -> Iterator[bytes]:
    while some := list(islice(rows, _TOGETHER)):
        yield "".join(f"{dumps(row)}\n" for row in some).encode()


def _csv(rows: Iterator[dict[str, Any]], layout: Layout) -> Iterator[bytes]:
    first = next(rows, {})
    header = layout.columns(first)
    yield csv_text(header, ()).encode()
    everything = chain([first] if first else [], rows)
    while some := list(islice(everything, _TOGETHER)):
        entries = map(layout.flat, some)
        lines = csv_text((), [[_entry(flat.get(name)) for name in header] for flat in entries])
        yield lines.removeprefix("\r\n").encode()


def _parquet(rows: Iterator[dict[str, Any]], layout: Layout) -> Iterator[bytes]:
    """Numbers are 64-bit floats, lists and objects JSON text. Rows go through a file, so that they need no memory."""
    import polars

    first = next(rows, {})
    header = layout.columns(first)
    kinds = {name: polars.Float64 if name in layout.numbers else polars.String for name in header}
    kinds |= dict.fromkeys(layout.flags, polars.Boolean)
    with tempfile.TemporaryDirectory() as folder:
        lines, target = Path(folder) / "rows.ndjson", Path(folder) / "rows.parquet"
        with open(lines, "w", encoding="utf-8") as file:
            for row in chain([first] if first else [], rows):
                flat = layout.flat(row)
                file.write(dumps({name: _cell(flat.get(name), kinds[name] is polars.String) for name in header}) + "\n")
        polars.scan_ndjson(lines, schema=kinds).sink_parquet(target)
        with open(target, "rb") as file_:
            while piece := file_.read(2**18):
                yield piece


def _cell(value: Any, text: bool) -> Any:
    return value if not text or value is None or isinstance(value, str) else dumps(value)


def _entry(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        return dumps(value)
    return value


_WRITERS: Mapping[str, Callable[[Iterator[dict[str, Any]], Layout], Iterator[bytes]]] = {
    LINES: _lines,
    CSV: _csv,
    PARQUET: _parquet,
}
