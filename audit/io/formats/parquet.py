"""Parquet files that hold a release: the rows of its largest table as columns, all else in their key-value metadata.

Programs that read Parquet see a table with its status in words; a value that is withheld is null there. A file without
our key is a bare data file (`audit/io/frames`).
"""

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.canonical import canonical_document
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.formats.registry import RELEASE_IN_PARQUET
from tableseal.audit.io.formats.said import letters_meaning
from tableseal.audit.io.frames import columns_from_parquet, polars_module
from tableseal.audit.io.parquet_sizes import check_sizes
from tableseal.audit.model import Release

KEY: Final = "tableseal"
"""Of the release document; the table whose rows are the columns of the file has no `cells` in it."""


def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
    """The release in a file.

    Raises
    ------
    InputError: no Parquet file, or one whose metadata are no release. LimitError: see `check_sizes`.
    """
    content = folder.content(name, Place(name))
    polars = polars_module()
    check_sizes(content, name)
    try:
        document = json.loads(polars.read_parquet_metadata(BytesIO(content))[KEY])
        (entry,) = [entry for entry in document["tables"] if "cells" not in entry]
    except (Exception, polars.exceptions.PanicException):
        raise InputError(f"the key {KEY!r} of its metadata holds no release that can be read.", at=name) from None
    entry["cells"] = columns_from_parquet(content, name)
    if letters and isinstance(entry.get("status"), str):
        entry["status"] = {"column": entry["status"], "map": letters_meaning(letters)}
    return document  # type: ignore[no-any-return]


def write(release: Release, name: str) -> dict[str, bytes]:
    """A release with all that it holds.

    Raises
    ------
    InputError: the extra is not installed.
    """
    polars = polars_module()
    document = canonical_document(release)
    entry = max(document["tables"], key=lambda each: max(map(len, each["cells"].values()), default=0))
    cells = entry.pop("cells")
    frame = polars.DataFrame([_series(polars, column, values) for column, values in cells.items()])
    file = BytesIO()
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # The second key comes last: the first one may be long, and the end of a file tells its format.
    frame.write_parquet(file, metadata={KEY: text, RELEASE_IN_PARQUET: "1"})
    return {name: file.getvalue()}


def _series(polars: Any, name: str, values: Sequence[Any]) -> Any:
    """Whole numbers as such; others stay the exact text that they are in a document."""
    if all(value is None or (isinstance(value, int) and abs(value) < 2**63) for value in values):
        return polars.Series(name, values, dtype=polars.Int64)
    return polars.Series(name, [None if v is None else str(v) for v in values], dtype=polars.String)
