"""Requests as users give them: a file, or a few options."""

from pathlib import Path

from tableseal.api.options.generator import TableOptions
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.ask import request_in_file, request_of
from tableseal.audit.hypercube.model import Cells
from tableseal.audit.hypercube.request import TableRequest
from tableseal.audit.hypercube.short_form import request_in_words


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
    return request_in_file(file, cells)
