"""Shape of what a release file says of records, keys and matrices: pydantic models, the source of its JSON Schema."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns, wrong_cells
from tableseal.audit.io.document_types import Count, Model, Number, Text, checked

_SCALAR = {"type": ["string", "number", "boolean", "null"]}


def _wrong_cells(cells: Any) -> Iterable[InputError]:
    return () if isinstance(cells, Columns) else wrong_cells(cells, Place())  # columns: read already


Cells = Annotated[
    Any,
    checked(_wrong_cells),
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": _SCALAR},
            "description": "columns of equal length; null: no value",
        }
    ),
]


Thousands = Literal[".", ",", " ", "'"]


class MicrodataDocument(Model):
    """Contributions record by record (agency knowledge)."""

    file: Text | None = None
    cells: Cells | None = Field(default=None, description="the records inline")
    columns: dict[str, Text] = Field(default={}, description="column -> variable, where the names differ")
    values: dict[str, Text] = Field(default={}, description="measure -> column of the contributions")
    id: Text | None = Field(default=None, description="column: identifies the unit")
    holding: Text | None = Field(default=None, description="column: units of one holding are one contributor")
    key: Text | None = Field(default=None, description="column: key of the record, for protection by cell keys")
    secret_file: Text | None = Field(
        default=None, description="file with a secret of 16 or more characters: keys are made of it and of `id`"
    )
    weight: Text | None = Field(default=None, description="column: sampling weight")
    request: Text | None = Field(
        default=None, description="column: the unit asked for protection (1/0, true/false, yes/no)"
    )
    decimal: Literal[".", ","] | None = Field(
        default=None, description="decimal sign, where the numbers alone leave it open"
    )
    thousands: Thousands | None = Field(default=None, description="separator of thousands; left out: there is none")


class PtableDocument(Model):
    """A perturbation table for protection by cell keys: as ONS (columns pcv, ckey, pvalue), tau-ARGUS (i, j, p, v,
    p_int_ub) or the R package ptable (the same and p_int_lb) write it."""

    file: Text | None = None
    cells: Cells | None = Field(default=None, description="the table inline")


class TransitionDocument(Model):
    """Transition probabilities for protection by perturbation: a row for each state, of what it becomes."""

    file: Text | None = Field(default=None, description="delimited numbers without a header")
    rows: list[list[Number]] | None = Field(default=None, description="the matrix inline")
    cycle: Count = Field(
        default=1, description="of counts: the last rows stand for all larger counts, by residual; moves are relative"
    )
