"""The `microdata` of a release -> Microdata."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.agency_document import MicrodataDocument
from tableseal.audit.io.codes import unknown_code, variable_columns
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal, decimal_sign, read_amounts, wrong
from tableseal.audit.io.record_keys import keys_of_identifiers, read_secret
from tableseal.audit.io.separators import stated_signs, without_separators
from tableseal.audit.io.table_values import note_rounded
from tableseal.audit.io.tables import Setting, choose_measure, data_columns
from tableseal.audit.model import Amounts, Hierarchy, Labels, Microdata, Note
from tableseal.audit.said import NEGATIVE, Said
from tableseal.audit.tabulation.naming import rows_named

_TRUE = frozenset(("1", "true", "yes", "y"))
_FALSE = frozenset(("0", "false", "no", "n", ""))
_LARGER = 4
"""A file of records may be so many times larger than other files: 2 GiB."""
_WEIGHT = "a weight of at least 0"


def read_microdata(
    document: MicrodataDocument, setting: Setting, folder: Folder, where: Place
) -> tuple[Microdata, list[Note]]:
    """The records with their codes; a variable without a column, or an empty code, is unknown (-1).

    Raises
    ------
    InputError: missing columns, unknown codes (how many, and the first rows), text for numbers, negative contributions
        that may not be.
    """
    folder = of_records(folder)
    columns = data_columns(document.file, document.cells, folder, where)
    numbers = [*document.values.values(), *([document.weight] if document.weight else [])]
    taken = {*numbers, *(name for name in (document.id, document.holding, document.request, document.key) if name)}
    named = variable_columns(columns, document.columns, setting.variables, taken, where)
    codes = np.full((len(columns), len(setting.variables)), -1, dtype=np.int32)
    for at, (name, hierarchy) in enumerate(setting.variables.items()):
        if name not in named:
            continue
        entries = columns.data[named[name]]
        found = entries.spread([_position(hierarchy, code) for code in entries.texts], np.int32)
        if (found == -2).any():
            rows = np.flatnonzero(found == -2)
            problem = unknown_code(entries[int(rows[0])] or "", hierarchy)
            counted = rows_named(rows, "has a code that it does not have", "have codes that it does not have")
            text = f"{problem}." if len(rows) == 1 else f"{problem}; {counted}."
            raise InputError(text, at=columns.place(int(rows[0]), named[name]))
        codes[:, at] = found
    codes.setflags(write=False)
    signs = stated_signs(document.decimal, document.thousands, where)
    columns = without_separators(columns, numbers, signs)
    sign = decimal_sign(columns, numbers, signs.decimal, True)
    values: dict[str, Amounts] = {}
    notes: list[Note] = []
    for name, column in document.values.items():
        measure = choose_measure(name, setting.measures, where / "values")
        amounts, off = read_amounts(
            columns, column, measure.unit, role=f"the contributions to {name}", sign=sign, secret=True
        )
        negative = np.flatnonzero(amounts.known & (amounts.units < 0))
        if setting.nonnegative and len(negative):
            text = Said("the contribution is negative; say ", NEGATIVE, " if values may be.")
            raise InputError(text, at=columns.place(int(negative[0]), column))
        notes += note_rounded(columns, column, measure, off)
        values[measure.name] = amounts
    return (
        Microdata(
            codes,
            values,
            _labels(columns, document.id, "the identity of the unit"),
            _labels(columns, document.holding, "the holding of the unit"),
            None if document.weight is None else _weights(columns, document.weight, sign),
            None if document.request is None else _requests(columns, document.request),
            columns.source,
            _keys(columns, document, folder, where),
        ),
        notes,
    )


def of_records(folder: Folder) -> Folder:
    """The same folder, for a file of records, which may be larger than others."""
    return replace(folder, limit=_LARGER * folder.limit)


def _position(hierarchy: Hierarchy, code: str | None) -> int:
    """Where a code stands; -1: there is none, -2: it is not in the classification."""
    return hierarchy.index.get(code, -2 if code.strip() else -1) if code else -1


def _labels(columns: Columns, name: str | None, role: str) -> Labels | None:
    if name is None:
        return None
    column = columns.column(name, role)
    if any(not (entry and entry.strip()) for entry in column.texts):  # no entry and blanks are nothing, as "" is
        column = column.rewritten(lambda entry: entry if entry and entry.strip() else "")
    return Labels(tuple(text or "" for text in column.texts), column.number)


def _keys(columns: Columns, document: MicrodataDocument, folder: Folder, where: Place) -> tuple[str, ...] | None:
    """Keys of records: given, or made of identifiers and a secret."""
    if document.secret_file is None:
        keys = _labels(columns, document.key, "the key of the record")
        return None if keys is None else tuple(keys)
    if document.key is not None or document.id is None:
        raise InputError("keys are made of `id` and a secret; give `id`, and no `key`.", at=where / "secret_file")
    secret = read_secret(document.secret_file, folder, where / "secret_file")
    identifiers = columns.column(document.id, "the identity of the unit")
    return keys_of_identifiers(list(identifiers), secret, replace(columns.source, column=document.id))


def _weights(columns: Columns, name: str, sign: str) -> NDArray[np.float64]:
    column = columns.column(name, "the weights")
    read = [_weight(entry or "", sign) for entry in column.texts]
    wrong_rows = column.spread([isinstance(weight, str) for weight in read], np.bool_)
    if wrong_rows.any():
        row = int(np.argmax(wrong_rows))
        raise wrong(columns, name, row, True, str(read[column.number[row]]))
    weights = column.spread(read, np.float64)
    weights.setflags(write=False)
    return weights


def _weight(entry: str, sign: str) -> float | str:
    """The weight that a text says, or what was expected."""
    try:
        weight = decimal(entry.replace(sign, "."))
    except ValueError:
        return _WEIGHT
    if weight < 0:
        return _WEIGHT
    if Fraction(repr(float(weight))) != weight:
        return f"{_WEIGHT} with at most 15 digits, which can be kept exactly"
    return float(weight)


def _requests(columns: Columns, name: str) -> NDArray[np.bool_]:
    column = columns.column(name, "the requests")
    words = [(entry or "").strip().lower() for entry in column.texts]
    neither = column.spread([word not in _TRUE and word not in _FALSE for word in words], np.bool_)
    if neither.any():
        raise wrong(columns, name, int(np.argmax(neither)), True, "1 or 0 (true or false)")
    requests = column.spread([word in _TRUE for word in words], np.bool_)
    requests.setflags(write=False)
    return requests
