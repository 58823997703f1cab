"""What comes with forms: files, pasted text, marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from tableseal.api.drafts.marks import OF_RECORDS, SINGLE, Marks, Role
from tableseal.api.http.spool import Spool, copied
from tableseal.api.http.uploads import OTHER, bad_upload, parsed, refuse_colliding, safe_name, unpacked
from tableseal.api.options.rules import form_fields
from tableseal.api.settings import Settings
from tableseal.api.store.job import Document

FIELDS = 5000
"""Fields of a form, at most: a table has fewer columns than that."""


@dataclass(frozen=True)
class Brought:
    """A form with files, archives as they came. roles: field -> the file that came in it. fields: all others."""

    files: tuple[Document, ...]
    roles: Mapping[str, str]
    fields: Mapping[str, str]

    @property
    def archive(self) -> Document | None:
        """The only file that has no role, if it is an archive."""
        others = [file for file in self.files if file.name not in self.roles.values()]
        return others[0] if len(others) == 1 and _is_archive(others[0]) else None


async def brought(request: Request, settings: Settings, spool: Spool) -> Brought:
    """A form: its files, of which those in other fields than `files` have a role, and what else it says.

    Raises
    ------
    ProblemError: what was sent cannot be used.
    """
    files: list[Document] = []
    roles: dict[str, str] = {}
    fields: dict[str, str] = {}
    async with parsed(request, settings.max_files, settings.max_body) as form:
        for field, value in form.multi_items():
            if not isinstance(value, UploadFile):
                fields[field] = value
            elif value.filename:
                content, _ = await run_in_threadpool(copied, value.file, spool, settings.max_body)
                file = Document(safe_name(value.filename), OTHER, content)
                files.append(file)
                if field != "files" and not _is_archive(file):
                    roles[field] = file.name
    return Brought(_once(files), roles, fields)


async def laid_open(files: Sequence[Document], settings: Settings, spool: Spool) -> tuple[Document, ...]:
    """The files, and in place of archives what is in them.

    Raises
    ------
    ProblemError: an archive that cannot be used, two files of one name.
    """
    found: list[Document] = []
    for file in files:
        if _is_archive(file):
            found += await run_in_threadpool(unpacked, file.content, settings, spool)
        else:
            found.append(file)
    return _once(found)


async def files_of_form(request: Request, settings: Settings, spool: Spool) -> tuple[tuple[Document, ...], str | None]:
    """Files of the start page, archives unpacked, and which of them is the policy.

    Raises
    ------
    ProblemError: nothing was sent, or what was sent cannot be used.
    """
    form = await brought(request, settings, spool)
    text = form.fields.get("text", "")
    pasted = (_pasted(text),) if text.strip() else ()
    found, policy = await laid_open((*form.files, *pasted), settings, spool), form.roles.get("policy")
    if not [file for file in found if file.name != policy]:
        raise bad_upload("There is nothing to look at yet: choose files, or paste a release or a table.")
    return found, policy


async def plain_form(request: Request) -> FormData:
    """Fields of a form without files."""
    return await request.form(max_files=0, max_fields=FIELDS)


def marks_of(form: FormData, columns: Sequence[str]) -> Marks:
    """What was marked of these columns; fields are numbered as the columns are.

    Raises
    ------
    ProblemError: fields that no page of ours sends.
    """
    asked = (name for name in Marks.model_fields if name not in ("roles", "totals", "rules"))
    fields = (*asked, *(name for name, *_ in form_fields()))
    given = {name: str(form.get(name, "")).strip() for name in fields}
    roles = {name: str(form.get(f"role-{number}", Role.IGNORE)) for number, name in enumerate(columns)}
    totals = {
        name: str(form.get(f"total-{number}", ""))
        for number, name in enumerate(columns)
        # "=" goes before the code, so that no total at all can be told from a code without signs
        if str(form.get(f"total-{number}", "")).startswith("=") and roles[name] == Role.CLASSIFICATION
    }
    chosen: dict[str, Any] = {**given, "roles": roles, "totals": {name: text[1:] for name, text in totals.items()}}
    try:
        return Marks.model_validate(chosen)
    except ValueError:
        raise bad_upload("The form cannot be used; open the page again.") from None


def missing(marks: Marks) -> str | None:
    """What is plainly wrong with marks; None if nothing is."""
    records = marks.each == "record"
    if not marks.columns(Role.CLASSIFICATION):
        return "No column is marked as a classification: which columns say what a row is about?"
    if records and marks.kind == "count" and marks.columns(Role.VALUE):
        return "Each record counts 1: mark no column as the value, or say that the values are sums of a magnitude."
    if not marks.columns(Role.VALUE) and not (records and marks.kind == "count"):
        return "No column is marked as the value: which column is to be published?"
    for role in SINGLE:
        named = marks.columns(role)
        if len(named) > 1:
            return f"Several columns are marked as {role.value} ({', '.join(named)}); only one can be."
        if named and role in OF_RECORDS and not records:
            return f"{named[0]} is marked as {role.value}, which records have: say that a row is a record of one unit."
    return None


def _once(files: Sequence[Document]) -> tuple[Document, ...]:
    refuse_colliding([file.name for file in files])
    return tuple(files)


def _is_archive(file: Document) -> bool:
    return file.name.lower().endswith(".zip")


def _pasted(text: str) -> Document:
    """Pasted text as a file: JSON, delimited text, or YAML."""
    stripped = text.strip()
    if stripped.startswith("{"):
        return Document("release.json", "application/json", stripped.encode())
    first = stripped.splitlines()[0]
    if any(sign in first for sign in ",;\t") and not first.startswith("#") and ": " not in first:
        return Document("table.csv", "text/csv", (stripped + "\n").encode())
    return Document("release.yaml", "application/yaml", (stripped + "\n").encode())
