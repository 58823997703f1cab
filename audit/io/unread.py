"""Formats of data files that are not read: each is named, by what the file holds and by how its name ends."""

import re
import zlib
from collections.abc import Mapping
from pathlib import PurePath

from tableseal.audit.errors import InputError
from tableseal.audit.language import words_of

_AS_CSV, _EXPORT, _UNPACK, _XLSX = words_of(
    (
        "save the table as an Excel workbook (.xlsx) or as CSV in UTF-8",
        "export the table as CSV in UTF-8",
        "unpack it first",
        "such workbooks are read if their names end in .xlsx",
    )
)
_SAMPLE = 4096
"""Bytes at the beginning that are looked at."""

_SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")

_MAGIC: tuple[tuple[bytes, str, str], ...] = words_of(
    (
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of the old kind (.xls)", _AS_CSV),
        (_SAS, "a SAS data set (.sas7bdat)", _EXPORT),
        (b"HEADER RECORD*******L", "a SAS transport file (.xpt)", _EXPORT),
        (b"$FL2", "an SPSS file (.sav)", _EXPORT),
        (b"$FL3", "an SPSS file (.zsav)", _EXPORT),
        (b"<stata_dta>", "a Stata file (.dta)", _EXPORT),
        (b"RDX2\n", "a file of R objects (.rda)", _EXPORT),
        (b"RDX3\n", "a file of R objects (.rda)", _EXPORT),
        (b"RDA2\n", "a file of R objects (.rda)", _EXPORT),
        (b"RDA3\n", "a file of R objects (.rda)", _EXPORT),
        (b"X\n\0\0\0", "an R object (.rds)", _EXPORT),
        (b"ARROW1", "an Arrow file (.feather, .arrow)", "write it as Parquet or CSV"),
        (b"\x89HDF\r\n", "an HDF5 file", _EXPORT),
        (b"SQLite format 3\0", "an SQLite database", _EXPORT),
        (b"%PDF", "a PDF document", _AS_CSV),
        (b"{\\rtf", "a document in RTF", _AS_CSV),
        (b"\x89PNG", "a picture", "what is read are tables as text"),
        (b"\xff\xd8\xff", "a picture", "what is read are tables as text"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
        (b"Rar!", "a RAR archive", _UNPACK),
        (b"\xfd7zXZ\0", "an xz archive", _UNPACK),
        (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
        (b"BZh", "a bzip2 archive", _UNPACK),
    )
)
"""(first bytes, what the file is, what to do)."""

_ZIPPED: tuple[tuple[bytes, str], ...] = words_of(
    (
        (b"application/vnd.oasis.opendocument", "an OpenDocument file (.ods)"),
        (b"xl/", "an Excel workbook (.xlsx)"),
        (b"word/", "a Word document (.docx)"),
    )
)

_SUFFIXES: dict[str, tuple[str, str]] = {
    **dict.fromkeys((".xlsb", ".xls"), ("an Excel workbook", _AS_CSV)),
    ".ods": ("an OpenDocument spreadsheet", _AS_CSV),
    **dict.fromkeys((".rdata", ".rds"), ("a file of R objects", _EXPORT)),
    **dict.fromkeys((".feather", ".arrow"), ("an Arrow file", "write it as Parquet or CSV")),
    ".dbf": ("a dBase file", _EXPORT),
    ".xml": ("an XML file", _EXPORT),
    ".asc": ("a file of microdata", "a job of tau-ARGUS says what is in it: tableseal run JOB.arb"),
    ".arb": ("a job of tau-ARGUS", "tableseal run JOB.arb runs it"),
}
"""Ending -> what it mostly is, what to do."""

_MAY_DESCRIBE = (".rda", ".csv", ".tsv", ".txt")
_PC_AXIS = re.compile(r'\s*(?:CHARSET|AXIS-VERSION|CODEPAGE|LANGUAGE|MATRIX|CREATION-DATE)(?:\[[^]]*\])?\s*=\s*"')
_TAU_ARGUS = re.compile(r"^\s*<(?:SEPARATOR|RECODE?ABLE|TOTCODE|HIERARCHICAL|STATUS|SAFE|UNSAFE)>", re.MULTILINE)


def refuse_unread(content: bytes, source: str) -> None:
    """Refuse a file whose content is in a format that is not read.

    Raises
    ------
    InputError: names the format, and says what to do.
    """
    found = _binary(content) or _text(content[:_SAMPLE], source)
    if found is not None:
        raise _refusal(source, *found)


def refuse_ending(source: str) -> None:
    """Refuse a file whose name ends as those of a format that is not read do."""
    known = _SUFFIXES.get(PurePath(source).suffix.lower())
    if known is not None:
        raise _refusal(source, *known)


def refuse_other_json(document: object, source: str) -> None:
    """Refuse a plan, and a JSON document in a format of statistical data that is not read.

    Raises
    ------
    InputError: as `refuse_unread`.
    """
    if not isinstance(document, Mapping) or "tableseal" in document:
        return
    if "tableseal-plan" in document:
        raise InputError(
            "is a plan of a publication, expected a release; `tableseal plan` shows what hangs together in it, and "
            "`tableseal publish` protects and audits it.",
            at=source,
        )
    inner = document.get("dataset") if isinstance(document.get("dataset"), Mapping) else document
    if isinstance(inner, Mapping) and "dimension" in inner and ("value" in inner or "class" in inner):
        raise _refusal(source, "a JSON-stat file", "JSON-stat files are read if their names end in .json or .jsonstat")
    data = document.get("data", document)
    if isinstance(data, Mapping) and (
        "dataSets" in data or ({"structure", "structures"} & data.keys() and "meta" in document)
    ):
        raise _refusal(source, "an SDMX-JSON file", "download it as SDMX-CSV")
    if isinstance(document.get("columns"), list | tuple) and isinstance(data, list | tuple):
        raise _refusal(source, "an answer of a PxWeb service in JSON", "ask it for CSV")


def other_encodings(content: bytes) -> str:
    """Encodings in which bytes that are neither UTF-8 nor Windows-1252 are text: ` (may be ...)`, or empty."""
    if b"\0" in content[:_SAMPLE]:
        even, odd = content[0:_SAMPLE:2].count(0), content[1:_SAMPLE:2].count(0)
        if min(even, odd) * 8 < max(even, odd):
            return f" (probably UTF-16-{'BE' if even > odd else 'LE'} without a byte order mark)"
        return ""
    fitting = [name for encoding, name in _ENCODINGS if _is_text(content, encoding)]
    return f" (may be {' or '.join(fitting)})" if fitting else ""


_ENCODINGS = (
    ("shift_jis", "Shift-JIS"),
    ("euc_jp", "EUC-JP"),
    ("euc_kr", "EUC-KR"),
    ("big5", "Big5"),
    ("gb18030", "GB 18030"),
    ("cp1251", "Windows-1251"),
    ("cp1250", "Windows-1250"),
    ("cp850", "the DOS code page 850"),
)


def _is_text(content: bytes, encoding: str) -> bool:
    """True if the bytes are letters in this encoding."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return all(character.isalpha() for character in set(text) if ord(character) > 127)


def _refusal(source: str, what: str, advice: str) -> InputError:
    return InputError(f"is {what}, which cannot be read yet; {advice}.", at=source)


def _binary(content: bytes) -> tuple[str, str] | None:
    for magic, what, advice in _MAGIC:
        if content.startswith(magic):
            return what, advice
    if content.startswith(b"PAR1"):
        return "a Parquet file", "Parquet files are read if their names end in .parquet"
    if content.startswith(b"PK\x03\x04"):
        for inside, what in _ZIPPED:
            if inside in content[:_SAMPLE] or (inside.endswith(b"/") and inside in content[-4 * _SAMPLE :]):
                return what, _XLSX if inside == b"xl/" else _AS_CSV
        return "a zip archive", "unpack it, or give it to `tableseal batch`"
    if content.startswith(b"\x1f\x8b"):
        try:
            inside = zlib.decompressobj(wbits=31).decompress(content[:_SAMPLE], 16)
        except zlib.error:
            inside = b""
        packed = next(((what, advice) for magic, what, advice in _MAGIC if inside and inside.startswith(magic)), None)
        return packed or ("a gzip archive", _UNPACK)
    if content[:1] in b"\x71\x72\x73" and content[1:4] in (b"\x01\x01\x00", b"\x02\x01\x00"):
        return "a Stata file (.dta)", _EXPORT
    return None


def _text(sample: bytes, source: str) -> tuple[str, str] | None:
    text = sample.decode("latin-1").lstrip("\ufeff\u00ef\u00bb\u00bf")
    start = text.lstrip().lower()
    if _PC_AXIS.match(text):
        return "a PC-Axis file", "PC-Axis files are read if their names end in .px"
    if "ascii spss port file" in start[:500]:
        return "a portable SPSS file (.por)", _EXPORT
    if start.startswith("<"):
        if start.startswith(("<!doctype html", "<html")):
            return "a web page (HTML)", _AS_CSV
        if start.startswith("<?xml") or re.match(r"<[a-z]+:[a-z]+[ >]", start):
            if "sdmx" in start:
                return "an SDMX-ML file", "download it as SDMX-CSV"
            if "urn:schemas-microsoft-com:office:spreadsheet" in start:
                return "an Excel workbook as XML", _AS_CSV
            return "an XML file", _EXPORT
    if _TAU_ARGUS.search(text) and PurePath(source).suffix.lower() not in _MAY_DESCRIBE:
        return "a description of data for tau-ARGUS (.rda)", "give its name the ending .rda"
    return None
