"""Columns of a data file that a release names, by its format."""

from pathlib import Path

from tableseal.audit.errors import Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import read_delimited
from tableseal.audit.io.files import Folder
from tableseal.audit.io.frames import columns_from_parquet

TEXT_FORMATS = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")


def read_columns(folder: Folder, name: str, where: Place) -> Columns:
    """The columns of a delimited text file or a Parquet file inside the folder; `where` names it in the document."""
    if Path(name).suffix.lower() in PARQUET:
        return columns_from_parquet(folder.content(name, where), name)
    return read_delimited(folder.text(name, where), name)
