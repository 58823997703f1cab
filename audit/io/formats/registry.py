"""The formats whose files say themselves what they hold. A new one is an entry here; `format.py` says what it does."""

import re
from pathlib import PurePath
from typing import Final

from tableseal.audit.io.files import SIZE_LIMIT, Folder
from tableseal.audit.io.formats.format import Format, Part, file_and_part

_SDMX = re.compile(
    rb'(?:\xef\xbb\xbf)?"?(?:DATAFLOW|STRUCTURE(?:\[[^\]]+\])?)"?([,;\t|])(?:"?STRUCTURE_ID|[^\r\n]*OBS_VALUE)'
)
_PX = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:CHARSET|AXIS-VERSION|CODEPAGE|LANGUAGE|MATRIX|CREATION-DATE)\s*=\s*"')
_RELEASE = re.compile(rb'"tableseal"\s*:\s*"?1')
_ACRO = re.compile(rb'"results"\s*:\s*\{\s*(?:"[^"]*"\s*:\s*\{\s*"uid"|\})')
_CLASS = re.compile(rb'"class"\s*:\s*"(?:dataset|collection)"')


def _is_json_stat(beginning: bytes) -> bool:
    if _is_problem(beginning) or _is_csvw(beginning):
        return False
    stat = _CLASS.search(beginning) is not None or b'"dimension"' in beginning
    return stat and _RELEASE.search(beginning) is None and beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _is_sdmx_csv(beginning: bytes) -> bool:
    return _SDMX.match(beginning) is not None


def _is_cell_table(beginning: bytes) -> bool:
    heading = beginning.split(b"\n", 1)[0].lower()
    return b"cellid" in heading and b"totalnoise" in heading


def _is_problem(beginning: bytes) -> bool:
    return b'"dimList"' in beginning and _RELEASE.search(beginning) is None


def _is_acro(beginning: bytes) -> bool:
    return _ACRO.search(beginning) is not None and _RELEASE.search(beginning) is None


def _is_csvw(beginning: bytes) -> bool:
    return b'"@context"' in beginning and b"http://www.w3.org/ns/csvw" in beginning


def _is_release_in_parquet(end: bytes) -> bool:
    return end.endswith(b"PAR1") and RELEASE_IN_PARQUET.encode() in end


RELEASE_IN_PARQUET: Final = "tableseal.release"
"""A key in the metadata of Parquet files that hold a release."""

_PLAIN = frozenset((Part.CODES, Part.ZEROS, Part.MISSING, Part.UNEXPLAINED))
_CUBE = _PLAIN | {Part.PRECISION, Part.TOTALS, Part.GROUPS, Part.SEVERAL_GROUPINGS, Part.UNIT, Part.TITLE}
_OBSERVATIONS = _PLAIN | {Part.PRECISION, Part.SECONDARY, Part.TRUTH}
_STATUSES = frozenset((Part.PRIMARY, Part.SECONDARY, Part.MUST_PUBLISH))
_SEARCHES = _STATUSES | {
    Part.PRECISION,
    Part.TOTALS,
    Part.GROUPS,
    Part.UNLISTED,
    Part.KIND,
    Part.TRUTH,
    Part.PROTECTION,
    Part.COSTS,
}
"""What programs that search for patterns are told."""

_SDCTABLE = frozenset(
    (
        Part.CODES,
        Part.PRECISION,
        Part.TOTALS,
        Part.GROUPS,
        Part.UNLISTED,
        Part.KIND,
        Part.TRUTH,
        Part.MISSING,
        Part.FREQUENCIES,
        Part.COSTS,
    )
)
_NOT_IN_CSVW = frozenset(
    (
        Part.FREQUENCIES,
        Part.CONTRIBUTORS,
        Part.PROTECTION,
        Part.COSTS,
        Part.LETTERS,
        Part.MICRODATA,
        Part.AGREEMENTS,
        Part.POLICY,
        Part.STATISTICS,
    )
)
"""What is the agency's own, and percentages, whose definition names columns."""

FORMATS: Final[tuple[Format, ...]] = (
    Format("px", "PC-Axis", (".px",), "tableseal.audit.io.formats.px", holds=_CUBE - {Part.UNIT}),
    Format(
        "json-stat",
        "JSON-stat 2.0",
        (".json", ".jsonstat"),
        "tableseal.audit.io.formats.jsonstat",
        _is_json_stat,
        written=".jsonstat.json",
        parts=True,
        holds=_CUBE | {Part.KIND, Part.TRUTH, Part.RELEASED} | _STATUSES,
    ),
    Format(
        "sdmx-csv",
        "SDMX-CSV 2.0",
        (".csv", ".txt", ".tsv"),
        "tableseal.audit.io.formats.sdmx_csv",
        _is_sdmx_csv,
        written=".sdmx.csv",
        holds=_OBSERVATIONS,
    ),
    Format(
        "tau-argus",
        "tau-ARGUS",
        (".tab", ".rda"),
        "tableseal.audit.io.argus.tabular",
        public=False,
        columns=False,
        holds=_SEARCHES | {Part.CODES, Part.FREQUENCIES, Part.CONTRIBUTORS},
    ),
    Format(
        "jj",
        "a JJ problem",
        (".jj",),
        "tableseal.audit.io.argus.jj",
        public=False,
        whole=True,
        columns=False,
        unnamed=True,
        holds=_SEARCHES | {Part.SEVERAL_TABLES, Part.SEVERAL_GROUPINGS, Part.LINKS, Part.BOUNDS},
    ),
    Format(
        "g-confid",
        "G-Confid",
        (".csv",),
        "tableseal.audit.io.formats.gconfid",
        _is_cell_table,
        public=False,
        whole=True,
        written=".cells.csv",
        columns=False,
        unnamed=True,
        holds=_SEARCHES | {Part.SEVERAL_TABLES, Part.SEVERAL_GROUPINGS, Part.LINKS, Part.BOUNDS},
    ),
    Format(
        "sdctable",
        "sdcTable",
        (".json",),
        "tableseal.audit.io.formats.sdctable",
        _is_problem,
        public=False,
        written=".sdctable.json",
        columns=False,
        holds=_STATUSES | _SDCTABLE,
    ),
    Format(
        "csvw",
        "CSV on the Web",
        (".json",),
        "tableseal.audit.io.formats.csvw",
        _is_csvw,
        written=".csv-metadata.json",
        columns=False,
        unnamed=True,
        holds=frozenset(Part) - _NOT_IN_CSVW,
    ),
    Format(
        "acro",
        "ACRO outputs",
        (".json",),
        "tableseal.audit.io.formats.acro",
        _is_acro,
        writes=False,
        parts=True,
    ),
    Format(
        "sdmx-csv-1",
        "SDMX-CSV 1.0",
        (".csv", ".txt", ".tsv"),
        "tableseal.audit.io.formats.sdmx_csv_1",
        _is_sdmx_csv,
        written=".sdmx1.csv",
        holds=_OBSERVATIONS,
    ),
    Format(
        "excel-cross",
        "an Excel cross table",
        (".xlsx",),
        "tableseal.audit.io.formats.excel_cross",
        reads=False,
        text=False,
        written=".cross.xlsx",
        holds=frozenset((Part.CODES, Part.UNEXPLAINED)),
    ),
    Format(
        "excel",
        "Excel",
        (".xlsx",),
        "tableseal.audit.io.formats.excel",
        reads=False,
        text=False,
        unnamed=True,
        holds=_PLAIN | _STATUSES | {Part.RELEASED},
    ),
    Format(
        "parquet",
        "Parquet",
        (".parquet", ".pq"),
        "tableseal.audit.io.formats.parquet",
        closes=_is_release_in_parquet,
        public=False,
        text=False,
        columns=False,
        unnamed=True,
        holds=frozenset(Part),
    ),
)

ENDINGS: Final = tuple(one.written or one.endings[0] for one in FORMATS if one.writes)
"""How names of files that are written end."""

SAMPLE: Final = 2**16
"""Bytes at the beginning (or the end) of a file by which formats are told apart."""


def format_in(folder: Folder, name: str) -> Format | None:
    """The format that is read of a file in a folder, by its ending and, where others end so too, by its beginning."""
    name, part = file_and_part(name)
    candidates = [one for one in _ending_as(name) if one.reads and (part is None or one.parts)]
    if candidates and all(one.closes is not None for one in candidates):
        end = folder.end(name, SAMPLE)
        return next((one for one in candidates if one.closes is not None and one.closes(end)), None)
    if all(one.seems is None for one in candidates):
        return next(iter(candidates), None)
    beginning = folder.beginning(name, SAMPLE)
    found = next((one for one in candidates if one.seems is None or one.seems(beginning)), None)
    if found is None and len(beginning) == SAMPLE and name.lower().endswith(".json") and not _RELEASE.search(beginning):
        beginning = folder.beginning(name, SIZE_LIMIT)  # keys of JSON come in any order
        found = next((one for one in candidates if one.seems is not None and one.seems(beginning)), None)
    return found


def format_of(content: bytes) -> Format | None:
    """The format of bytes without a name, by how they begin."""
    if _PX.match(content):
        return next(one for one in FORMATS if one.key == "px")
    closing = next((one for one in FORMATS if one.closes is not None and one.closes(content[-SAMPLE:])), None)
    return closing or next((o for o in FORMATS if o.reads and o.seems is not None and o.seems(content[:SAMPLE])), None)


def format_to_write(name: str) -> Format | None:
    """The format in which a file of this name is written, if its ending says one."""
    return next((one for one in FORMATS if one.writes and name.lower().endswith(one.written or one.endings)), None)


def _ending_as(name: str) -> list[Format]:
    ending = PurePath(name).suffix.lower()
    return [one for one in FORMATS if ending in one.endings]
