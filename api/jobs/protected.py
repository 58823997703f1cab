"""The files of a protected release as documents of a job."""

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from tableseal.audit.model import Release

TIME = (1980, 1, 1, 0, 0, 0)
"""Of files in archives: equal files make equal archives."""

RELEASE_FILE = Path("release.yaml")
"""The release file in an archive; its tables are CSV files."""


def protected_documents(public: "Release", confidential: "Release", symbol: str | None) -> tuple[Document, ...]:
    """A protected release for readers, as JSON and as an archive, and with all that the agency knows.

    symbol: stands for a withheld value in CSV files.
    """
    from tableseal.audit.io import canonical_json

    return (
        Document("protected.json", "application/json", canonical_json(public)),
        Document("protected.zip", "application/zip", _packed(public, symbol)),
        Document("confidential.json", "application/json", canonical_json(confidential)),
    )


def _packed(release: "Release", symbol: str | None) -> bytes:
    """A release as an archive: release.yaml, and a CSV file for each table."""
    from tableseal.audit.io import release_files

    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path, content in release_files(release, RELEASE_FILE, symbol=symbol).items():
            archive.writestr(zipfile.ZipInfo(path.name, TIME), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()
