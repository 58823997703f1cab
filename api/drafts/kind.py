"""The kind `draft`: files in, the same files out with a description, if they are a release or can become one."""

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict

from tableseal.api.drafts.marks import Marks, Role, document_of
from tableseal.api.jobs.kinds import Context, Kind, Result
from tableseal.api.jobs.on_pages import OnPages
from tableseal.api.store.job import Document
from tableseal.audit.errors import AdditivityError, InputError, Place

DESCRIPTION = "draft.json"
FILES = "files/"
"""Prefix of the files of the release among those of the result."""

MARKED = "marked.json"
"""Name of the release file that says what was marked."""


class DraftRequest(BaseModel):
    """A draft: its files, which of them is the release and which the policy (None: to be found), and what was marked
    of a plain table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[str, ...]
    release: str | None = None
    policy: str | None = None
    marks: Marks | None = None


def run(request: DraftRequest, context: Context) -> Result:
    """Read the files and describe them.

    The outcome is `ready`, `unbalanced` (released values do not add up), `columns` (a plain table: what are its
    columns?) or `choose` (several files may be the release).

    Raises
    ------
    InputError: the release cannot be read, or there is none. LimitError: too many cells.
    """
    try:
        return _read(request, context)
    except InputError as error:
        error.advised = OnPages().words
        raise


def _read(request: DraftRequest, context: Context) -> Result:
    """The draft, or what is open.

    Raises
    ------
    InputError, LimitError: see `run`.
    """
    from tableseal.audit.io.files import Folder
    from tableseal.audit.io.formats.registry import format_in
    from tableseal.audit.io.sources import is_data_file

    release = request.release
    if release is None:
        found = _releases(context.folder, [name for name in request.names if name != request.policy])
        if len(found) > 1:
            return _result(request, context, "choose", {"choices": found, "title": "Several releases"})
        release = found[0]["name"]
    if format_in(Folder(context.folder), release) is None and is_data_file(Path(release)):
        return _plain(request, context, release)
    return _release(request, context, release, {})


def _plain(request: DraftRequest, context: Context, table: str) -> Result:
    """A plain table: what its columns seem to be, or the release that it is as they are marked."""
    from tableseal.api.drafts.describe import codes_of, describe_columns
    from tableseal.api.drafts.guess import guess_marks
    from tableseal.audit.io.files import Folder
    from tableseal.audit.io.sources import read_columns

    columns = read_columns(Folder(context.folder), table, Place(table))
    said: dict[str, Any] = {"table": table, "columns": describe_columns(columns)}
    if request.marks is None:
        marks, doubt = guess_marks(context.folder / table, columns)
        said |= {"marks": marks.model_dump(mode="json"), "doubt": doubt, "title": marks.title, "rows": len(columns)}
        return _result(request, context, "columns", said)
    codes = {name: codes_of(columns.data[name]) for name in request.marks.columns(Role.CLASSIFICATION)}
    document = document_of(request.marks, table, PurePosixPath(table).stem, codes)
    (context.folder / MARKED).write_text(json.dumps(document, ensure_ascii=False, indent=1), "utf-8")
    said |= {"marks": request.marks.model_dump(mode="json"), "doubt": None}
    return _release(request, context, MARKED, said)


def _release(request: DraftRequest, context: Context, release: str, said: dict[str, Any]) -> Result:
    from tableseal.api.drafts.describe import describe_release
    from tableseal.api.jobs.releases import check_size
    from tableseal.api.problems import problem_of
    from tableseal.audit.io import read_release, release_from_document
    from tableseal.audit.linear.merge import merge_cells
    from tableseal.audit.prepare import check_sums

    policy = None if request.policy is None else context.folder / request.policy
    path = context.folder / release
    marked = _document(path) if release == MARKED else None
    if marked is None:
        found = read_release(path, policy=policy)
    else:  # the file is ours: nobody who fills in the form knows its name
        found = release_from_document(marked, folder=context.folder, policy=policy, source="")
    check_size(found, context.max_cells)
    cells, _ = merge_cells(found)
    said |= {"release": release, "policy": request.policy, **describe_release(found)}
    try:
        check_sums(found, cells)
    except AdditivityError as error:
        return _result(request, context, "unbalanced", {**said, "problem": problem_of(error).document()})
    return _result(request, context, "ready", said)


def _releases(folder: Path, names: Sequence[str]) -> list[dict[str, str]]:
    """Files that may be the release, with their titles: release files (plans only if there are no others); if there
    is none, files in a format that says what they hold; plain tables only if there is none of these either.

    Raises
    ------
    InputError: there is none.
    """
    from tableseal.audit.io.files import Folder, read_bytes
    from tableseal.audit.io.formats.registry import format_in
    from tableseal.audit.io.sources import is_data_file
    from tableseal.audit.io.unread import refuse_ending, refuse_unread
    from tableseal.audit.plans.document import VERSION_KEY

    written = [(name, document) for name in names if (document := _document(folder / name)) is not None]
    written = [one for one in written if VERSION_KEY not in one[1]] or written
    if written:
        return [{"name": name, "title": str(document.get("title", ""))} for name, document in written]
    plain = [{"name": name, "title": ""} for name in names if format_in(Folder(folder), name) is not None]
    plain = plain or [{"name": name, "title": ""} for name in names if is_data_file(Path(name))]
    if not plain:
        for name in names:
            refuse_unread(read_bytes(folder / name, source=name), name)
            refuse_ending(name)
        raise InputError("None of the files is a release (.yaml, .json) or a table (.csv, .px, .tsv, .txt, .parquet).")
    return plain


def _document(path: Path) -> dict[str, Any] | None:
    """What a release file holds: a mapping with tables. A file that cannot be read may be one too."""
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.yaml_text import parse_document

    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return None
    try:
        document = parse_document(read_text(path, source=path.name)[0], path.name)
    except InputError:
        return {}
    return dict(document) if isinstance(document, dict) and ("tables" in document or "tableseal" in document) else None


def _result(request: DraftRequest, context: Context, outcome: str, said: dict[str, Any]) -> Result:
    names = [*request.names, *([MARKED] if said.get("release") == MARKED else [])]
    description = json.dumps({"state": outcome, "names": names, **said}, ensure_ascii=False).encode()
    files = [Document(FILES + name, "application/octet-stream", (context.folder / name).read_bytes()) for name in names]
    return Result(
        (Document(DESCRIPTION, "application/json", description), *files), outcome, str(said.get("title") or "")
    )


KIND = Kind("draft", DraftRequest, run)
