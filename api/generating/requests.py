"""Requests as users give them: a file, or a few options."""

from pathlib import Path

from tableseal.api.options.generator import TableOptions
from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.hypercube.codes import Vocabulary
from tableseal.audit.hypercube.model import Cells
from tableseal.audit.hypercube.request import TableRequest, read_request
from tableseal.audit.hypercube.short_form import request_in_words
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.yaml_text import parse_document


def read_table_request(cells: Cells, file: Path | None, options: TableOptions) -> TableRequest:
    """The request in a file, or in options.

    Raises
    ------
    InputError: neither or both; all that is wrong with it.
    """
    said = options != TableOptions()
    if (file is None) != said:
        raise InputError("say what is asked: either a file (REQUEST) or options such as --by.")
    if file is None:
        words = request_in_words(
            options.by or "", options.where, options.areas, options.measure, options.mean, options.share
        )
        return request_of(words, cells, "options")
    text, _ = decode(read_bytes(file, source=file.name), file.name)
    parsed = parse_document(text, file.name, json_only=file.suffix.lower() == ".json")
    return read_request(parsed, Vocabulary(cells.about), Place(file.name))
