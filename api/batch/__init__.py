"""Many releases: found, audited one by one or together, and summed up; what was done is not done again."""

from tableseal.api.batch.manifest import Listed
from tableseal.api.batch.results import opened
from tableseal.api.batch.run import Settings, run_batch, run_together
from tableseal.api.batch.sources import ArchiveSource, FolderSource, Source, find_releases, source_of
from tableseal.api.batch.summary import Batch, batch_document, batch_schema, summary_csv, summary_html

__all__ = [
    "ArchiveSource",
    "Batch",
    "FolderSource",
    "Listed",
    "Settings",
    "Source",
    "batch_document",
    "batch_schema",
    "find_releases",
    "opened",
    "run_batch",
    "run_together",
    "source_of",
    "summary_csv",
    "summary_html",
]
