"""The files of a request: a release as the body, files of a form, or an archive."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from fastapi import Request
from starlette.datastructures import UploadFile

from api.http.errors import ProblemError
from api.problems import Problem
from api.settings import Settings
from api.store.job import Document

BODIES = {
    "application/json": "release.json",
    "application/yaml": "release.yaml",
    "application/x-yaml": "release.yaml",
    "text/yaml": "release.yaml",
    "text/csv": "release.csv",
}
"""Media type of a body that is the release itself -> the name of the file that it becomes."""

ARCHIVES = ("application/zip", "application/x-zip-compressed")
FORM = "multipart/form-data"

_FIRST = ((".yaml", ".yml", ".json"), (".csv", ".tsv", ".txt", ".parquet"))
"""Names of release files, then of bare data files from which a release can be inferred."""

_NAME = 200
"""Signs in the name of a file, at most."""


@dataclass(frozen=True)
class Upload:
    """Files, which of them is the release, and which the policy."""

    files: tuple[Document, ...]
    release: str
    policy: str | None = None


async def read_upload(request: Request, settings: Settings) -> Upload:
    """The files of a request.

    Raises
    ------
    ProblemError: a media type that is not understood, names that lead elsewhere, too much of anything, no release.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in BODIES:
        return _body(BODIES[media_type], media_type, await request.body())
    if media_type in ARCHIVES:
        return _chosen(tuple(unpacked(await request.body(), settings)), "the archive")
    if media_type == FORM:
        return await _form(request, settings)
    known = ", ".join((*BODIES, *ARCHIVES[:1], FORM))
    text = f"The request is {media_type or 'of no media type'}, expected one of {known}."
    raise ProblemError(Problem("unsupported-media-type", "What is this?", 415, text))


def _body(name: str, media_type: str, content: bytes) -> Upload:
    if not content.strip():
        raise _bad("The request has no body, expected a release.")
    return Upload((Document(name, media_type, content),), name)


async def _form(request: Request, settings: Settings) -> Upload:
    files: list[Document] = []
    roles: dict[str, str] = {}
    async with request.form(max_files=settings.max_files, max_fields=settings.max_files) as form:
        for field, value in form.multi_items():
            if not isinstance(value, UploadFile):
                raise _bad(f"The form field {field[:50]!r} is no file; options are query parameters.")
            content = await value.read()
            if (value.filename or "").lower().endswith(".zip"):
                files += unpacked(content, settings)
                continue
            name = safe_name(value.filename or "")
            files.append(Document(name, value.content_type or "application/octet-stream", content))
            if field in ("release", "policy") and roles.setdefault(field, name) != name:
                raise _bad(f"There are two files in the form field {field}.")
    return _chosen(tuple(files), "the form", roles.get("release"), roles.get("policy"))


def _chosen(files: Sequence[Document], where: str, release: str | None = None, policy: str | None = None) -> Upload:
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise _bad(f"Two files in {where} are called {name}.")
    if release is None:
        release = _release_among([name for name in names if name != policy], where)
    return Upload(tuple(files), release, policy)


def _release_among(names: Sequence[str], where: str) -> str:
    """The file that is the release: the only one that can be, or the one called release."""
    for endings in _FIRST:
        found = [name for name in names if name.lower().endswith(endings)]
        called = [name for name in found if PurePosixPath(name).stem.lower() == "release"]
        for candidates in (called, found):
            if len(candidates) == 1:
                return candidates[0]
        if found:
            listed = ", ".join(found[:5])
            raise _bad(
                f"Several files in {where} may be the release ({listed}); call one of them release, or send it as "
                "the form field `release`."
            )
    raise _bad(f"There is no release in {where}: a file that ends in .yaml, .json or .csv.")


def unpacked(content: bytes, settings: Settings) -> Iterator[Document]:
    """Files of a zip archive; what it says of their sizes is not believed.

    Raises
    ------
    ProblemError: no archive, too many or too large files, names that lead elsewhere.
    """
    room = settings.max_unpacked
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > settings.max_files:
                text = f"The archive has {len(entries):,} files; this service takes at most {settings.max_files:,}."
                raise ProblemError(Problem("too-many-files", "Too many files", 413, text))
            for entry in entries:
                name = safe_name(entry.filename)
                with archive.open(entry) as file:
                    piece = file.read(room + 1)
                room -= len(piece)
                if room < 0:
                    text = f"The files in the archive have more than {settings.max_unpacked:,} bytes, the limit."
                    raise ProblemError(Problem("archive-too-large", "The archive is too large", 413, text))
                yield Document(name, "application/octet-stream", piece)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise _bad(f"The archive cannot be unpacked ({type(error).__name__}).") from None


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


def _bad(text: str) -> ProblemError:
    return ProblemError(Problem("invalid-upload", "The files cannot be used", 422, text))
