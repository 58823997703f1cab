"""Many releases: found, audited one by one or together, and summed up; what was done is not done again."""

from tableseal.audit.batch.manifest import Listed
from tableseal.audit.batch.results import opened
from tableseal.audit.batch.run import Settings, run_batch, run_together
from tableseal.audit.batch.sources import ArchiveSource, FolderSource, Source, find_releases, source_of
from tableseal.audit.batch.summary import Batch, summary_csv, summary_html

__all__ = [
    "ArchiveSource",
    "Batch",
    "FolderSource",
    "Listed",
    "Settings",
    "Source",
    "find_releases",
    "opened",
    "run_batch",
    "run_together",
    "source_of",
    "summary_csv",
    "summary_html",
]
