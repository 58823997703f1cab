"""Measures of a release document -> Measure."""

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.io.document import MeasureDocument, ReleaseDocument
from tableseal.audit.model import Measure
from tableseal.audit.wording import quoted


def read_measures(document: ReleaseDocument, top: Place) -> dict[str, Measure]:
    """Measures by name; `kind` and `unit` at the top stand for one called `value`.

    Raises
    ------
    InputError: both are said, or neither; a unit that is none; an earlier period of no measure here.
    """
    if document.measures is None:
        if document.kind is None:
            text = "say what is tabulated: `kind: count`, `kind: magnitude` with its `unit`, or `measures`."
            raise InputError(text, at=top)
        return {"value": _measure("value", document.kind, document.unit, top)}
    if document.kind is not None or document.unit is not None:
        raise InputError("`kind` and `unit` at the top are short for `measures`; leave out one of them.", at=top)
    return {
        name: _measure(name, measure.kind, measure.unit, top / "measures" / name)
        if measure.previous is None
        else _earlier(name, measure, document, top / "measures" / name)
        for name, measure in document.measures.items()
    }


def _earlier(name: str, said: MeasureDocument, document: ReleaseDocument, where: Place) -> Measure:
    """A measure of an earlier period: what it is of is another one, of the same kind and unit."""
    assert document.measures is not None
    of = document.measures.get(said.previous or "")
    if of is None or said.previous == name:
        raise unknown("measure", said.previous or "", [n for n in document.measures if n != name], where / "previous")
    if (of.kind, of.unit) != (said.kind, said.unit):
        raise InputError(f"is of another kind or unit than {quoted(said.previous)}, of which it is.", at=where)
    return replace(_measure(name, said.kind, said.unit, where), previous=said.previous)


def _measure(name: str, kind: Literal["count", "magnitude"], unit: Fraction | None, where: Place) -> Measure:
    if kind == "count":
        if unit not in (None, 1):
            raise InputError("the unit of a count is 1; counts in thousands are a magnitude.", at=where / "unit")
        return Measure(name, "count")
    return Measure(name, "magnitude") if unit is None else Measure(name, "magnitude", unit)
