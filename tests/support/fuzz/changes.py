"""Ways to break a file: bytes, lines, fields of rows, nodes of JSON documents, files inside of archives."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import PurePath
from random import Random
from typing import Any

PIECES = tuple(
    piece.encode("latin-1")
    for piece in (
        *'";,=()[]{}:\n\r \0\xff\xe5.|\t@<>&*-',
        *('".."', "..", "null", "NaN", "1e999", "99999999999999999999", "-1", "0,5", "1.234.567,8", "<10", "1-9", "-0"),
        *("KEYS", "DATA=", "VALUES", 'KEYS("a")=VALUES;', "STUB", "DECIMALS=99;", 'CONTVARIABLE="T";'),
        *('CODEPAGE="utf-16";', 'CODEPAGE="850";', '"status":', '"size":[', '"child":{', '"class":"collection"'),
        *("OBS_VALUE", "CONF_STATUS[]", "STRUCTURE[;]", "Q", "<SEPARATOR>", "<HIERLEVELS> 1 1", "<TOTCODE>"),
        *("<RECODEABLE>", "&a ", "*a", "!!x ", "---\n", "? ", "<<: ", "|\n", "total: T", "status", "Total", "\x85"),
        "\xef\xbb\xbf",
    )
)  # fmt: skip
"""What the formats give a meaning to."""

NUMBERS = ("0", "7", "-3", "1000000", "1000000000000", "9223372036854775808", "1e30", "0.1", "007", "", "1e-400")


def broken(random: Random, name: str, content: bytes) -> bytes:
    """The content of a file with one to four things broken, some in the manner of its format."""
    ending = PurePath(name).suffix
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        ways = CHANGES
        if random.random() < 0.5:
            ways = STRUCTURED.get(ending, CHANGES)
        content = random.choice(ways)(random, content) or b"x"
    return content


def _flip(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


def _cut(random: Random, content: bytes) -> bytes:
    return content[: random.randrange(len(content))]


def _drop(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + content[at + random.randint(1, 40) :]


def _put(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(PIECES) + content[at:]


def _repeat(random: Random, content: bytes) -> bytes:
    at, size = random.randrange(len(content)), random.randint(1, 80)
    return content[: at + size] + content[at:]


def _number(random: Random, content: bytes) -> bytes:
    digits = [at for at, byte in enumerate(content) if 48 <= byte <= 57]
    at = random.choice(digits or [0])
    return content[:at] + random.choice(NUMBERS).encode() + content[at + 1 :]


def _whole_number(random: Random, content: bytes) -> bytes:
    """Four or eight bytes, as binary formats say sizes, become a large number."""
    at, size = random.randrange(len(content)), random.choice((1, 2, 4, 8))
    number = random.choice((0, 1, 2 ** (8 * size - 1) - 1, 2 ** (8 * size) - 1, random.randrange(2 ** (8 * size))))
    return content[:at] + number.to_bytes(size, random.choice(("little", "big"))) + content[at + size :]


def _lines(random: Random, content: bytes) -> bytes:
    """Lines in another order, one left out, one twice, one elsewhere."""
    lines = content.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            random.shuffle(lines)
        case 1:
            del lines[at]
        case 2:
            lines.insert(to, lines[at])
        case _:
            lines[at], lines[to] = lines[to], lines[at]
    return b"\n".join(lines)


def _fields(random: Random, content: bytes) -> bytes:
    """A field of a row: another one, none, twice, or something that is a number, a mark, a status elsewhere."""
    separator = max(b";,\t|", key=lambda byte: content.count(bytes([byte])))
    sign = bytes([separator])
    rows = content.split(b"\n")
    at = random.randrange(len(rows))
    fields = rows[at].split(sign)
    here, there = random.randrange(len(fields)), random.randrange(len(fields))
    match random.randrange(6):
        case 0:
            del fields[here]
        case 1:
            fields.insert(here, fields[there])
        case 2:
            fields[here], fields[there] = fields[there], fields[here]
        case 3:
            fields[here] = random.choice(NUMBERS).encode()
        case 4:
            other = random.choice(rows).split(sign)
            fields[here] = random.choice(other)
        case _:
            fields[here] = random.choice(PIECES)
    rows[at] = sign.join(fields)
    return b"\n".join(rows)


def _column(random: Random, content: bytes) -> bytes:
    """A column of all rows left out, or twice."""
    separator = max(b";,\t|", key=lambda byte: content.count(bytes([byte])))
    sign = bytes([separator])
    rows = [row.split(sign) for row in content.split(b"\n")]
    at, to = random.randrange(len(rows[0])), random.randrange(len(rows[0]))
    twice = random.random() < 0.5
    for row in rows:
        if at < len(row):
            if twice:
                row.insert(to, row[at])
            else:
                del row[at]
    return b"\n".join(sign.join(row) for row in rows)


def _statements(random: Random, content: bytes) -> bytes:
    """Statements of PC-Axis in another order, one left out, twice, or with the value of another."""
    parts = content.split(b";\n")
    at, to = random.randrange(len(parts)), random.randrange(len(parts))
    match random.randrange(4):
        case 0:
            del parts[at]
        case 1:
            parts.insert(to, parts[at])
        case 2:
            parts[at], parts[to] = parts[to], parts[at]
        case _:
            parts[at] = parts[at].partition(b"=")[0] + b"=" + parts[to].partition(b"=")[2]
    return b";\n".join(parts)


def _node(random: Random, content: bytes) -> bytes:
    """A node of a JSON document: left out, something else, elsewhere, or nested."""
    try:
        document = json.loads(content)
    except ValueError:
        return _put(random, content)
    nodes: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        node = waiting.pop()
        inside = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        nodes += [(node, key) for key in inside]
        waiting += [node[key] for key in inside]
    if not nodes:
        return content
    node, key = random.choice(nodes)
    other, at = random.choice(nodes)
    texts, numbers = ("", "T", "\ud800", "NaN", "1"), (-1, 0, 10**9, 10**30, 0.1, 1e300)
    scalars: tuple[Any, ...] = (None, True, *texts, *numbers, [], {}, [[]])
    match random.randrange(6):
        case 0:
            del node[key]
        case 1 | 2:
            node[key] = random.choice(scalars)
        case 3:
            node[key] = json.loads(json.dumps(other[at]))
        case 4:
            node[key] = [node[key], node[key]] if random.random() < 0.5 else {"a": node[key]}
        case _:
            if isinstance(node, dict):
                node[random.choice(("", "status", "T", "value", "child", *map(str, node)))] = node.pop(key)
            else:
                random.shuffle(node)
    return json.dumps(document).encode()


def _packed(random: Random, content: bytes) -> bytes:
    """A zip archive with one of its files broken; mostly one that holds values."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # broken already
        return _flip(random, content)
    if not files:
        return content
    tables = [name for name in files if "sheet1" in name or "sharedStrings" in name or name.endswith((".csv", ".yaml"))]
    chosen = random.choice([*tables, *tables, *files])
    files[chosen] = broken(random, PurePath(chosen).name, files[chosen] or b"x")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, inside in files.items():
            archive.writestr(name, inside)
    return packed.getvalue()


Change = Callable[[Random, bytes], bytes]

CHANGES: tuple[Change, ...] = (_flip, _cut, _drop, _put, _put, _repeat, _lines, _number)
_ROWS: tuple[Change, ...] = (_fields, _fields, _column)
STRUCTURED: dict[str, tuple[Change, ...]] = {
    **dict.fromkeys((".csv", ".tab", ".tsv", ".hst", ".cdl", ".asc", ".jj"), _ROWS),
    **dict.fromkeys((".yaml",), (_node, _number)),
    ".px": (_statements, _statements, _fields),
    **dict.fromkeys((".json", ".jsonstat"), (_node,)),
    **dict.fromkeys((".xlsx", ".zip"), (_packed,) * 9 + (_flip,)),
    **dict.fromkeys((".parquet", ".sav", ".dta", ".xpt", ".por", ".sas7bdat"), (_flip, _whole_number)),
}
"""Ending of the name -> what is broken besides."""
