"""The folder of a publication: every file whole or not there, and what was done is known again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.publishing.certificate import Certificate, FileDigest, digest, finished, page_of
from tableseal.api.publishing.cluster import Protected
from tableseal.api.publishing.summary import Published, PublishedCluster
from tableseal.audit.codec.documents import document_of, json_of, read_record
from tableseal.audit.codec.exact_json import Json, dumps, loads
from tableseal.audit.errors import InputError
from tableseal.audit.execution.own_folder import own_folder, write_into
from tableseal.audit.proof.certificate import FILE, UNLISTED

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

RECORD = "tableseal/published-record/1"
SUMMARY = "summary.json"
PAGE = "certificate.html"
PUBLIC_FILES, AGENCY_FILES = "public/", "agency/"
"""How names of files begin that may go out, and that may not."""

_MARK = ".tableseal-publication"


class Results:
    """What is in the folder. Made by `opened`.

    public/  what may go out     agency/  copies with true values, reports, patterns     records/  written last
    summary.json, certificate.html, certificate.json                 once all is done
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def kept(self, stem: str, key: str) -> PublishedCluster | None:
        """The entry of a cluster that was protected in the same way, if its files are there; else None."""
        record = self._record(stem)
        if record is None or record.get("key") != key:
            return None
        try:
            entry = read_record(PublishedCluster, record["entry"], what="entry")
        except (KeyError, InputError):
            return None
        return entry if all((self._folder / file).is_file() for file in entry.files) else None

    def keep(self, stem: str, key: str, entry: PublishedCluster, result: Protected) -> PublishedCluster:
        """Write the files of a cluster, then its record: without a record there is nothing."""
        self.forget(stem)
        started: dict[str, Json] = {"schema": RECORD, "key": "", "entry": document_of(entry)}
        write_into(
            self._folder, f"records/{stem}.json", dumps(started, indent=1)
        )  # so that what follows is found again
        for name, content in result.files.items():
            write_into(self._folder, name, content)
        write_into(self._folder, f"records/{stem}.json", dumps({**started, "key": key}, indent=1))
        return entry

    def forget(self, stem: str) -> None:
        """Take away what an earlier run made of a cluster, the record last."""
        record = self._record(stem)
        if record is None:
            return
        entry = record.get("entry")
        files = entry.get("files") if isinstance(entry, dict) else None
        for name in files if isinstance(files, list) else []:
            (self._folder / str(name)).unlink(missing_ok=True)
        self._path(stem).unlink(missing_ok=True)

    def sum_up(self, published: Published, stems: set[str]) -> None:
        """Write the summary; take away what is left of clusters that the plan no longer has."""
        for path in sorted((self._folder / "records").glob("*.json")):
            if path.stem not in stems:
                self.forget(path.stem)
        write_into(self._folder, SUMMARY, json_of(published) + "\n")

    def certify(self, certificate: Certificate, key: "Ed25519PrivateKey | None") -> None:
        """Write the certificate, last of all, and its page."""
        write_into(self._folder, PAGE, page_of(certificate))
        paths = [path for path in self._folder.rglob("*") if path.is_file()]
        names = {path.relative_to(self._folder).as_posix(): path for path in paths}
        outputs = [FileDigest(name, digest(path)) for name, path in names.items() if name not in UNLISTED]
        write_into(self._folder, FILE, finished(certificate, outputs, key))

    def _path(self, stem: str) -> Path:
        return self._folder / "records" / f"{stem}.json"

    def _record(self, stem: str) -> dict[str, Json] | None:
        try:
            record = loads(self._path(stem).read_text("utf-8"))
        except (OSError, ValueError, InputError):
            return None
        return record if isinstance(record, dict) and record.get("schema") == RECORD else None


@contextmanager
def opened(folder: Path) -> Iterator[Results]:
    """The results in a folder, which is made if it is not there, for one publication at a time.

    Raises
    ------
    InputError: it cannot be written, holds something else, or another publication is at work there.
    """
    with own_folder(folder, _MARK, "a publication"):
        for name in (FILE, PAGE, SUMMARY):
            (folder / name).unlink(missing_ok=True)
        yield Results(folder)
