"""What comes with forms: files, pasted text, marks."""

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from api.drafts.marks import SINGLE, Marks, Role
from api.http.spool import Spool, copied
from api.http.uploads import OTHER, bad_upload, parsed, safe_name, unpacked
from api.settings import Settings
from api.store.job import Document

FIELDS = 5000
"""Fields of a form, at most: a table has fewer columns than that."""


async def files_of_form(request: Request, settings: Settings, spool: Spool) -> tuple[tuple[Document, ...], str | None]:
    """Files of the start page, archives unpacked, and which of them is the policy.

    Raises
    ------
    ProblemError: nothing was sent, or what was sent cannot be used.
    """
    found: list[Document] = []
    policy = None
    async with parsed(request, settings.max_files, settings.max_body) as form:
        for field, value in form.multi_items():
            if not isinstance(value, UploadFile):
                if field == "text" and value.strip():
                    found.append(_pasted(value))
                continue
            if not value.filename:
                continue
            content, _ = await run_in_threadpool(copied, value.file, spool, settings.max_body)
            if value.filename.lower().endswith(".zip"):
                found += await run_in_threadpool(unpacked, content, settings, spool)
                continue
            name = safe_name(value.filename)
            policy = name if field == "policy" else policy
            found.append(Document(name, OTHER, content))
    names = [file.name for file in found]
    for name in names:
        if names.count(name) > 1:
            raise bad_upload(f"Two files are called {name}.")
    if not [name for name in names if name != policy]:
        raise bad_upload("There is nothing to look at yet: choose files, or paste a release or a table.")
    return tuple(found), policy


async def plain_form(request: Request) -> FormData:
    """Fields of a form without files."""
    return await request.form(max_files=0, max_fields=FIELDS)


def marks_of(form: FormData, columns: Sequence[str]) -> Marks:
    """What was marked of these columns; fields are numbered as the columns are.

    Raises
    ------
    ProblemError: fields that no page of ours sends.
    """
    given = {name: str(form.get(name, "")).strip() for name in Marks.model_fields if name not in ("roles", "totals")}
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
    if not marks.columns(Role.CLASSIFICATION):
        return "No column is marked as a classification: which columns say what a row is about?"
    if not marks.columns(Role.VALUE):
        return "No column is marked as the value: which column is to be published?"
    for role in SINGLE:
        named = marks.columns(role)
        if len(named) > 1:
            return f"Several columns are marked as {role.value} ({', '.join(named)}); only one can be."
    return None


def _pasted(text: str) -> Document:
    """Pasted text as a file: JSON, delimited text, or YAML."""
    stripped = text.strip()
    if stripped.startswith("{"):
        return Document("release.json", "application/json", stripped.encode())
    first = stripped.splitlines()[0]
    if any(sign in first for sign in ",;\t") and not first.startswith("#") and ": " not in first:
        return Document("table.csv", "text/csv", (stripped + "\n").encode())
    return Document("release.yaml", "application/yaml", (stripped + "\n").encode())
