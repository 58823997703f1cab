"""What a hypercube holds, in words; no count of a cell is among them."""

from collections.abc import Iterator

from tableseal.audit.hypercube.model import Hypercube, Variable
from tableseal.audit.language import _, numbered, numerals, put
from tableseal.audit.wording import listing


def cube_text(about: Hypercube) -> str:
    """Size, variables with their levels, measures and keys, in the language that is spoken."""
    return "\n".join(_lines(about))


def _lines(about: Hypercube) -> Iterator[str]:
    units = numbered(about.units, "{n} unit", "{n} units")
    yield put("{what}: {value}", what=about.title, value=units) if about.title else units
    yield put(
        "{n} combinations, {n2} not empty ({n3} are)",
        n=_number(about.combinations),
        n2=_number(about.cells),
        n3=numerals(f"{100 * (1 - about.cells / about.combinations):.1f}%"),
    )
    for variable in about.variables:
        yield f"  {_variable(variable)}"
    measures = [put("{name} (unit {unit})", name=m.name, unit=m.unit) for m in about.measures.values()]
    yield put("measures: {what}", what=", ".join(measures) or _("none"))
    if about.ranks is not None:
        yield put("contributions: the {n} largest of each cell", n=about.ranks)
    if about.keys_of is None or about.modulus is None:
        yield _("keys: none")
    elif about.keys_of == "records":
        yield put("keys: of records, modulo {n}", n=_number(about.modulus))
    else:
        yield put("keys: of base cells, by a secret, modulo {n}", n=_number(about.modulus))
    if about.impossible:
        yield numbered(len(about.impossible), "impossible: {n} statement", "impossible: {n} statements")


def _variable(variable: Variable) -> str:
    levels = listing(f"{level.name} ({_number(len(level.codes))})" for level in variable.levels)
    name = put("{name} (areas)", name=variable.name) if variable.areas else variable.name
    return put("{what}: {value}", what=name, value=levels)


def _number(number: int) -> str:
    return numerals(f"{number:,}")
