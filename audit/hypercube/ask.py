"""A hypercube and a request -> counts, keys and sums: what a table generator protects and judges."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tableseal.audit.errors import Place
from tableseal.audit.hypercube.codes import Vocabulary
from tableseal.audit.hypercube.model import Cells
from tableseal.audit.hypercube.request import TableRequest, read_request
from tableseal.audit.hypercube.tabulate import Tabulated, tabulate
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.yaml_text import as_text, parse_document


@dataclass(frozen=True, repr=False)
class Asked:
    """The true figures of a table that is asked for. Confidential.

    part: of a share, the units that it counts in the same cells.
    """

    request: TableRequest
    whole: Tabulated
    part: Tabulated | None = None


def ask(request: TableRequest, cells: Cells) -> Asked:
    """The true figures of a table.

    Raises
    ------
    InputError, LimitError: as for `tabulate`.
    """
    of_part = request.of_part
    whole = tabulate(request.question, cells)
    return Asked(request, whole, None if of_part is None else tabulate(of_part, cells))


def request_in_file(file: Path, cells: Cells) -> TableRequest:
    """A request in a file (YAML or JSON), of this hypercube.

    Raises
    ------
    InputError: what cannot be read; all that is wrong with the request at once.
    """
    text, _ = decode(read_bytes(file, source=file.name), file.name)
    parsed = parse_document(text, file.name, json_only=file.suffix.lower() == ".json")
    return read_request(parsed, Vocabulary(cells.about), Place(file.name))


def request_of(document: Mapping[str, object], cells: Cells, source: str = "request") -> TableRequest:
    """A request as a Python mapping, of this hypercube.

    Raises
    ------
    InputError: all that is wrong with it.
    """
    top = Place(source)
    return read_request(as_text(document, top), Vocabulary(cells.about), top)
