"""The files of a request: a release as the body, files of a form, or an archive."""

import io
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.spool import Sink, Spool, copied
from tableseal.api.problems import Problem
from tableseal.api.settings import Settings
from tableseal.api.store.job import Document
from tableseal.audit.errors import InputError
from tableseal.audit.io.formats.registry import FORMATS
from tableseal.audit.io.sources import READERS

if TYPE_CHECKING:
    from tableseal.audit.io.archive import Archive, ArchiveError

BODIES = {
    "application/json": "release.json",
    "application/yaml": "release.yaml",
    "application/x-yaml": "release.yaml",
    "text/yaml": "release.yaml",
    "text/csv": "release.csv",
    "application/vnd.sdmx.data+csv": "release.csv",
}
"""Media type of a body that is the release itself -> the name of the file that it becomes."""

ARCHIVES = ("application/zip", "application/x-zip-compressed")
FORM = "multipart/form-data"
OTHER = "application/octet-stream"

_DOCUMENTS = (".yaml", ".yml", ".json")
_OF_FORMATS = tuple(
    dict.fromkeys(
        ending
        for one in FORMATS
        if one.reads
        for ending in one.endings
        if ending not in (*_DOCUMENTS, *READERS, ".rda")
    )
)
_FIRST = (_DOCUMENTS, _OF_FORMATS, tuple(READERS))
"""Names of release files, of files in formats that say what they hold (of tau-ARGUS the data, which lie beside their
metadata), then of bare data files from which a release can be inferred."""

_NAME = 200
"""Signs in the name of a file, at most."""

_FORM_MEMORY = 2**16
"""Bytes of each file of a form that the parser keeps in memory."""


@dataclass(frozen=True)
class Fields:
    """The fields of a form that say what a file is: the main one (such as `release`), and others that may be there.

    packed: the main file is a zip archive, which is not unpacked. body: what a main file is called that comes as the
    body.
    """

    main: str
    others: tuple[str, ...] = ()
    packed: bool = False
    body: str = "release"


RELEASE = Fields("release", ("policy",))


@dataclass(frozen=True)
class Upload:
    """Files, which of them is the main one, and which have another role (field -> name)."""

    files: tuple[Document, ...]
    main: str
    roles: Mapping[str, str] = field(default_factory=dict)


async def read_upload(request: Request, settings: Settings, spool: Spool, fields: Fields = RELEASE) -> Upload:
    """The files of a request.

    Raises
    ------
    ProblemError: a media type that is not understood, names that lead elsewhere, too much of anything, no main file.
    """
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        text = f"The request is packed ({coding[:100]}); send it as it is, or as a zip archive."
        problem = Problem("unsupported-media-type", "What is this?", 415, text, parameter="Content-Encoding")
        raise ProblemError(problem, {"Accept-Encoding": "identity"})
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == FORM:
        return await _form(request, settings, spool, fields)
    if media_type in ARCHIVES:
        packed = await _received(request, spool)
        if fields.packed:
            name = f"{fields.main}.zip"
            return Upload((Document(name, media_type, packed),), name)
        return _chosen(await run_in_threadpool(unpacked, packed, settings, spool), "the archive", fields, {})
    if media_type in BODIES and not fields.packed:
        name = str(Path(BODIES[media_type]).with_stem(fields.body))
        return Upload((Document(name, media_type, await _received(request, spool)),), name)
    raise unsupported(media_type, (*(() if fields.packed else BODIES), *ARCHIVES[:1], FORM))


def unsupported(media_type: str, known: Iterable[str]) -> ProblemError:
    """415."""
    text = f"The request is {media_type[:100] or 'of no media type'}, expected one of {', '.join(known)}."
    problem = Problem("unsupported-media-type", "What is this?", 415, text, parameter="Content-Type")
    return ProblemError(problem, {"Accept": ", ".join(known)})


async def _received(request: Request, spool: Spool) -> bytes | Path:
    sink = Sink(spool)
    async for piece in request.stream():
        sink.write(piece)
    if sink.content == b"":
        raise bad_upload("The request has no body, expected a release.")
    return sink.content


@asynccontextmanager
async def parsed(request: Request, most: int, text: int = 2**20) -> AsyncIterator[FormData]:
    """The form, whose files are closed afterwards; `text`: bytes of a field that is no file, at most.

    Raises
    ------
    ProblemError: it is none, or cannot be read.
    """
    if "content-type" not in request.headers:
        raise unsupported("", (FORM,))
    parser = MultiPartParser(request.headers, request.stream(), max_files=most, max_fields=most, max_part_size=text)
    parser.spool_max_size = _FORM_MEMORY
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise bad_upload(f"The form cannot be read: {error.message}") from None
    try:
        yield form
    finally:
        await form.close()


async def _form(request: Request, settings: Settings, spool: Spool, fields: Fields) -> Upload:
    files: list[Document] = []
    roles: dict[str, str] = {}
    async with parsed(request, settings.max_files) as form:
        for label, value in form.multi_items():
            if not isinstance(value, UploadFile):
                raise bad_upload(f"The form field {label[:50]!r} is no file; options are query parameters.")
            content, _ = await run_in_threadpool(copied, value.file, spool, settings.max_body)
            if (value.filename or "").lower().endswith(".zip") and not fields.packed:
                files += await run_in_threadpool(unpacked, content, settings, spool)
                continue
            name = safe_name(value.filename or "")
            files.append(Document(name, _media_type(value), content))
            if label in (fields.main, *fields.others) and roles.setdefault(label, name) != name:
                raise bad_upload(f"There are two files in the form field {label}.")
    return _chosen(files, "the form", fields, roles)


def _media_type(value: UploadFile) -> str:
    stated = (value.content_type or "").strip()
    return stated if 0 < len(stated) <= 100 and stated.isascii() and stated.isprintable() else OTHER


def _chosen(files: Sequence[Document], where: str, fields: Fields, roles: Mapping[str, str]) -> Upload:
    names = [file.name for file in files]
    refuse_colliding(names)
    others = {label: name for label, name in roles.items() if label != fields.main}
    main = roles.get(fields.main)
    if main is None:
        main = main_among([name for name in names if name not in others.values()], where, fields)
    return Upload(tuple(files), main, others)


def refuse_colliding(names: Sequence[str]) -> None:
    """Files that cannot lie beside each other in a folder.

    Raises
    ------
    ProblemError: two have one name; one is called as the folder of another.
    """
    found: set[str] = set()
    for name in names:
        if name in found:
            raise bad_upload(f"Two files are called {name}.")
        found.add(name)
    for name in names:
        folder = next((str(above) for above in PurePosixPath(name).parents if str(above) in found), None)
        if folder is not None:
            raise bad_upload(f"{folder} is a file and the folder of {name}.")


def main_among(names: Sequence[str], where: str, fields: Fields) -> str:
    """The file that is the main one: the only one that can be, or the one that is called so.

    Raises
    ------
    ProblemError: there is none, or there are several.
    """
    kinds = ((".zip",),) if fields.packed else _FIRST
    main = fields.main
    for endings in kinds:
        found = [name for name in names if name.lower().endswith(endings)]
        called = [name for name in found if PurePosixPath(name).stem.lower() == main]
        for candidates in (called, found):
            if len(candidates) == 1:
                return candidates[0]
        if found:
            listed = ", ".join(found[:5])
            raise bad_upload(
                f"Several files in {where} may be the {main} ({listed}); call one of them {main}, or send it as the "
                f"form field `{main}`."
            )
    raise bad_upload(f"There is no {main} in {where}: a file that ends in {', '.join(kinds[0])}.")


def unpacked(packed: bytes | Path, settings: Settings, spool: Spool) -> list[Document]:
    """Files of a zip archive.

    Raises
    ------
    ProblemError: no archive, too many or too large files, names that lead elsewhere, or whatever else is refused.
    """
    from tableseal.audit.io.archive import Archive, ArchiveError, Limits  # loads numpy

    limits = Limits(settings.max_files, settings.max_unpacked)
    try:
        with (
            io.BytesIO(packed) if isinstance(packed, bytes) else open(packed, "rb") as file,
            Archive(file, "The archive", limits) as archive,
        ):
            return [Document(safe_name(name), OTHER, _spooled(archive, name, spool)) for name in archive.names]
    except ArchiveError as error:
        raise ProblemError(_refused(error)) from None
    except InputError as error:
        raise bad_upload(str(error)) from None


def refuse_too_much(packed: bytes | Path, settings: Settings) -> None:
    """Look into the directory of an archive that a job will unpack; what else is wrong with it the job says.

    Raises
    ------
    ProblemError: it unpacks to more than this service takes.
    """
    from tableseal.audit.io.archive import Archive, ArchiveError, Limits  # loads numpy

    try:
        with (
            io.BytesIO(packed) if isinstance(packed, bytes) else open(packed, "rb") as file,
            Archive(file, "The archive", Limits(content=settings.max_unpacked)),
        ):
            return
    except ArchiveError as error:
        if error.reason == "content":
            raise ProblemError(_refused(error)) from None
    except InputError:
        return


def _spooled(archive: "Archive", name: str, spool: Spool) -> bytes | Path:
    sink = Sink(spool)
    for piece in archive.pieces(name):
        sink.write(piece)
    return sink.content


def _refused(error: "ArchiveError") -> Problem:
    slug, title, status = {
        "entries": ("too-many-files", "Too many files", 413),
        "content": ("archive-too-large", "The archive is too large", 413),
        "name": ("invalid-file-name", "A file name cannot be used", 422),
        "other": ("invalid-upload", "The files cannot be used", 422),
    }[error.reason]
    return Problem(slug, title, status, str(error))


def safe_name(name: str) -> str:
    """The name, if it stays inside of a folder.

    Raises
    ------
    ProblemError: an absolute name, one with `..`, one of another system, an empty or a very long one.
    """
    windows = PureWindowsPath(name)
    parts = name.split("/")
    bad = (
        not name
        or len(name) > _NAME
        or "\\" in name
        or not name.isprintable()
        or windows.drive
        or windows.root
        or any(part in ("", ".", "..") or part.startswith(".") for part in parts)
    )
    if bad:
        text = f"The file name {name[:_NAME]!r} cannot be used; expected one such as tables/by_size.csv."
        raise ProblemError(Problem("invalid-file-name", "A file name cannot be used", 422, text))
    return name


def bad_upload(text: str) -> ProblemError:
    """422."""
    return ProblemError(Problem("invalid-upload", "The files cannot be used", 422, text))
