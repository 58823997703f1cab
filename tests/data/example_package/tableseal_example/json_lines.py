"""A reader: files of one JSON object a line."""

import json
from collections.abc import Mapping


def read(content: bytes, source: str) -> Mapping[str, list[str | None]]:
    """Columns of text, None where there is nothing; numbers as they are written."""
    rows = [json.loads(line, parse_int=str, parse_float=str) for line in content.decode("utf-8").splitlines()]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
