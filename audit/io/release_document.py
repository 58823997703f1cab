"""A release file as the document that it holds, before anything that it names is read."""

from pathlib import PurePath

from tableseal.audit.errors import Place
from tableseal.audit.io.document import ReleaseDocument
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder, OneFile, decode
from tableseal.audit.io.formats.registry import format_in
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.unread import refuse_ending, refuse_other_json
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.model import Note


def document_in(content: bytes, name: str) -> tuple[Document, list[Note]]:
    """The document in the content of a release file, and notes on how it was read. name: of the file.

    Raises
    ------
    InputError: a syntax error, a file of another kind.
    """
    text, notes = decode(content, name)
    refuse_ending(name)
    document = parse_document(text, name, json_only=is_json(name))
    refuse_other_json(document, name)
    return document, notes


def check_release(content: bytes, name: str) -> None:
    """Refuse a release file that is wrong whatever lies beside it: syntax, and for release documents all keys and
    types. Of files in other formats no more is looked at than the syntax of JSON and of delimited text.

    Raises
    ------
    InputError: where, what was found and expected; all errors of a document at once.
    """
    alone = Folder(OneFile(name, content))
    other = format_in(alone, name)
    if other is not None:
        if is_json(name):
            parse_document(decode(content, name)[0], name, json_only=True)
    elif is_data_file(PurePath(name)):
        read_columns(alone, name, Place(name))
    else:
        validate(ReleaseDocument, document_in(content, name)[0], Place(name))


def is_json(name: str) -> bool:
    """Whether a file of this name holds JSON alone."""
    return PurePath(name).suffix.lower() == ".json"
