"""Shape of a request: pydantic models, the source of its JSON Schema."""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document import CodeOrCodes
from tableseal.audit.io.document_types import TAG, Code, Flag, Model, Text, shape, validate
from tableseal.audit.io.schemas import file_schema
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.wording import quoted

VERSION_KEY = "tableseal-request"
"""Key that makes a document a request; its value is the version of the format, 1."""

CODES = "codes of any level, or ranges of codes of one level (0-15)"


class GroupsDocument(Model):
    """Categories of one's own."""

    groups: dict[str, list[Code]] = Field(description=f"name of a category -> {CODES}")


Categories = Annotated[
    Annotated[Text, Tag(TAG + "text")]
    | Annotated[list[Code], Field(min_length=1), Tag(TAG + "list")]
    | Annotated[GroupsDocument, Tag(TAG + "mapping")],
    Discriminator(shape),
]
"""Name of a level, codes that are categories, or groups."""

Spanning = Annotated[
    Annotated[Text, Tag(TAG + "text")]
    | Annotated[dict[str, Categories], Field(min_length=1, max_length=1), Tag(TAG + "mapping")],
    Discriminator(shape),
]


class RequestDocument(Model):
    """A table that is asked of a hypercube."""

    title: Text = ""
    by: list[Spanning] = Field(
        default=[],
        description="variables that span it: `variable` (finest codes), `variable@level`, or `variable: ...` with the "
        "name of a level, a list of codes, or `groups`",
    )
    where: dict[str, CodeOrCodes] = Field(
        default={}, description=f"population: variable -> code or codes; {CODES}; left out: all units"
    )
    areas: Text | None = Field(
        default=None, description="`variable` or `variable@level` of places, each of which is judged by itself"
    )
    count: Flag | None = Field(default=None, description="true: units are counted, as they are if nothing is said")
    measure: Text | None = Field(default=None, description="what is added up")
    mean: Text | None = Field(default=None, description="measure of which the mean over units is asked for")
    share: dict[str, CodeOrCodes] | None = Field(
        default=None, description="share of units that have one of these codes, as in `where`"
    )


def request_document(parsed: Document, top: Place) -> RequestDocument:
    """A parsed document as a request.

    Raises
    ------
    InputError: where, what was found and expected; all errors of shape at once.
    """
    if not isinstance(parsed, dict) or parsed.get(VERSION_KEY) != "1":
        version = parsed.get(VERSION_KEY) if isinstance(parsed, dict) else None
        shown = quoted(version) if isinstance(version, str) else "no such key"
        raise InputError(found=shown, expected=f"`{VERSION_KEY}: 1` at the top of a request", at=top / VERSION_KEY)
    return validate(RequestDocument, {key: value for key, value in parsed.items() if key != VERSION_KEY}, top)


def request_schema() -> dict[str, Any]:
    """JSON Schema of a request (`tableseal schema request`)."""
    schema = file_schema(RequestDocument, "request")
    version = {VERSION_KEY: {"enum": [1, "1"], "description": "version of the format"}}
    return {**schema, "properties": {**version, **schema["properties"]}, "required": [VERSION_KEY]}
