"""The folder of a publication: every file whole or not there, and what was done is known again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.publishing.certificate import Certificate, FileDigest, digest, finished
from tableseal.api.publishing.cluster import Protected
from tableseal.api.publishing.pages import certificate_page, summary_page
from tableseal.api.publishing.summary import AGENCY_FILES, HELD_FILES, PUBLIC_FILES, Published, PublishedCluster
from tableseal.audit.codec.documents import document_of, json_of, read_record
from tableseal.audit.codec.exact_json import Json, dumps, loads
from tableseal.audit.errors import InputError
from tableseal.audit.execution.own_folder import own_folder, write_into
from tableseal.audit.io import release_from_document
from tableseal.audit.model import Release
from tableseal.audit.proof.certificate import FILE, MARK, UNLISTED

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

RECORD = "tableseal/published-record/1"
CERTIFICATE, SUMMARY = FILE, "summary.json"
PAGE, SUMMARY_PAGE = "certificate.html", "summary.html"


class Results:
    """What is in the folder. Made by `opened`.

    public/   what may go out
    held/     what may go out when all of a publication has been judged
    agency/   copies with true values, reports, patterns
    records/  what was done, written last
    summary.json, summary.html, certificate.html, certificate.json   once all is done
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def kept(self, stem: str, key: str) -> PublishedCluster | None:
        """The entry of a cluster that was protected in the same way, if its files are as written then; else None."""
        record = self._record(stem)
        if record is None or record.get("key") != key:
            return None
        try:
            entry = read_record(PublishedCluster, record["entry"], what="entry")
        except (KeyError, InputError):
            return None
        written = record.get("sha256")
        known = written if isinstance(written, dict) else {}
        return entry if all(self._is(file, known.get(file)) for file in entry.files) else None

    def keep(self, stem: str, key: str, entry: PublishedCluster, result: Protected) -> PublishedCluster:
        """Write the files of a cluster, then its record: without a record there is nothing."""
        self.forget(stem)
        # What somebody changes in the folder afterwards is not what was judged, and must not be certified.
        written: dict[str, Json] = {name: _sha256(content) for name, content in sorted(result.files.items())}
        started: dict[str, Json] = {"schema": RECORD, "key": "", "entry": document_of(entry), "sha256": written}
        write_into(
            self._folder, f"records/{stem}.json", dumps(started, indent=1)
        )  # so that what follows is found again
        for name, content in result.files.items():
            write_into(self._folder, name, content)
        write_into(self._folder, f"records/{stem}.json", dumps({**started, "key": key}, indent=1))
        return entry

    def hold(self, stem: str, entry: PublishedCluster, *, back: bool) -> PublishedCluster:
        """Let the public files of a cluster go out, or hold them back until all of a publication is judged."""
        begin, other = (PUBLIC_FILES, HELD_FILES) if back else (HELD_FILES, PUBLIC_FILES)
        moved = {f: other + f.removeprefix(begin) for f in entry.files if f.startswith(begin)}
        if not moved:
            return entry
        record = self._record(stem) or {}
        held = replace(entry, files=tuple(moved.get(f, f) for f in entry.files))
        written = record.get("sha256")
        known: dict[str, Json] = {}
        for name, value in written.items() if isinstance(written, dict) else ():
            known[moved.get(str(name), str(name))] = value
        for name, new in moved.items():
            write_into(self._folder, new, (self._folder / name).read_bytes())
        changed: dict[str, Json] = {**record, "entry": document_of(held), "sha256": dict(sorted(known.items()))}
        write_into(self._folder, f"records/{stem}.json", dumps(changed, indent=1))
        for name in moved:
            (self._folder / name).unlink()
        return held

    def add(self, name: str, content: str) -> None:
        """Write a file that belongs to no cluster."""
        write_into(self._folder, name, content)

    def release(self, file: str) -> Release:
        """A canonical release in the folder."""
        document = loads((self._folder / file).read_text("utf-8"))
        if not isinstance(document, Mapping):
            raise InputError(found="something else", expected="a release", at=file)
        return release_from_document(document, source=file)

    def forget(self, stem: str) -> None:
        """Take away what an earlier run made of a cluster, the record last."""
        record = self._record(stem)
        if record is None:
            return
        entry = record.get("entry")
        files = entry.get("files") if isinstance(entry, dict) else None
        for name in files if isinstance(files, list) else []:
            _take_away(self._folder / str(name))
        _take_away(self._path(stem))

    def sum_up(self, published: Published, stems: set[str]) -> None:
        """Write the summary; take away what is left of clusters that the plan no longer has."""
        for path in sorted((self._folder / "records").glob("*.json")):
            if path.stem not in stems:
                self.forget(path.stem)
        listed = {file for cluster in published.clusters for file in cluster.files}
        if published.together is not None and published.together.report is not None:
            listed.add(published.together.report)
        for begin in (PUBLIC_FILES, HELD_FILES, AGENCY_FILES):  # what a run that was stopped left between two names
            for path in (self._folder / begin).glob("*"):
                if begin + path.name not in listed:
                    _take_away(path)
        write_into(self._folder, SUMMARY, json_of(published) + "\n")

    def certify(self, published: Published, certificate: Certificate, key: "Ed25519PrivateKey | None") -> None:
        """Write the pages, and the certificate, last of all."""
        write_into(self._folder, SUMMARY_PAGE, summary_page(published, certificate))
        write_into(self._folder, PAGE, certificate_page(certificate))
        paths = [path for path in self._folder.rglob("*") if path.is_file()]
        names = {path.relative_to(self._folder).as_posix(): path for path in paths}
        outputs = [FileDigest(name, digest(path)) for name, path in names.items() if name not in UNLISTED]
        write_into(self._folder, FILE, finished(certificate, outputs, key))

    def _is(self, file: str, sha256: object) -> bool:
        """Whether a file is there and has the digest."""
        path = self._folder / file
        return path.is_file() and digest(path) == sha256

    def _path(self, stem: str) -> Path:
        return self._folder / "records" / f"{stem}.json"

    def _record(self, stem: str) -> dict[str, Json] | None:
        try:
            record = loads(self._path(stem).read_text("utf-8"))
        except (OSError, ValueError, InputError):
            return None
        return record if isinstance(record, dict) and record.get("schema") == RECORD else None


def _take_away(path: Path) -> None:
    """Delete a file, if it is there.

    Raises
    ------
    InputError: it cannot be deleted, as a folder cannot.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be taken away: {error.strerror}; move it elsewhere.", at=str(path)) from error


def _sha256(content: str | bytes) -> str:
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


@contextmanager
def opened(folder: Path) -> Iterator[Results]:
    """The results in a folder, which is made if it is not there, for one publication at a time.

    Raises
    ------
    InputError: it cannot be written, holds something else, or another publication is at work there.
    """
    with own_folder(folder, MARK, "a publication"):
        for name in (FILE, PAGE, SUMMARY_PAGE, SUMMARY):
            _take_away(folder / name)
        yield Results(folder)
