"""A hypercube from what a user gives: records with their keys, or a table with keys of its cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tableseal.api.options.hypercube import HypercubeOptions
from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.hypercube.dense import in_memory
from tableseal.audit.hypercube.model import HeldCells
from tableseal.audit.hypercube.read import read_impossible, refuse_differences
from tableseal.audit.hypercube.source import (
    Keys,
    Recorded,
    cell_names,
    of_records,
    of_table,
    with_cell_keys,
    with_impossible,
)
from tableseal.audit.io.files import Folder
from tableseal.audit.io.record_keys import keys_of_identifiers, read_secret
from tableseal.audit.model import Note, Release
from tableseal.suppression.protections.cell_keys.keys import RecordKeys, key_notes, keys_from_column


@dataclass(frozen=True)
class Built:
    """A hypercube in memory, and what is to be told of it."""

    cube: HeldCells
    notes: tuple[Note, ...]


def build(sources: Sequence[tuple[str, Recorded | Release]], options: HypercubeOptions) -> Built:
    """The hypercube of all sources: records of one or several documents with the same variables, or one table.

    Parameters
    ----------
    sources: (name for messages, what it holds).

    Raises
    ------
    InputError: sources that do not go together, options that do not belong to them, and as for `of_records`,
        `of_table`, `keys_from_column`, `with_impossible`. LimitError: sums beyond 2^62.
    """
    name, first = sources[0]
    if isinstance(first, Release):
        if len(sources) > 1:
            raise InputError("a hypercube is made of one table, or of records.", at=sources[1][0])
        built = _of_table(name, first, options)
    else:
        built = _of_records(sources, options)
    if options.impossible is not None:
        path = Path(options.impossible)
        built = replace(built, cube=with_impossible(built.cube, read_impossible(path), Place(path.name)))
    return replace(built, cube=in_memory(built.cube.about, built.cube.held))


def _of_table(name: str, release: Release, options: HypercubeOptions) -> Built:
    if options.modulus is not None:
        raise InputError("is for keys of records, and this is a table.", at=OptionName("modulus"))
    cube = of_table(release, Place(name), options.table, options.areas)
    if options.secret_file is not None:
        path, where = Path(options.secret_file), Place(options.secret_file)
        secret = read_secret(path.name, Folder(path.parent), where)
        found = keys_from_column(keys_of_identifiers(cell_names(cube), secret, where), None)
        cube = with_cell_keys(cube, Keys(found.units, found.modulus))
    return Built(cube, release.notes)


def _of_records(sources: Sequence[tuple[str, Recorded | Release]], options: HypercubeOptions) -> Built:
    for option in ("secret_file", "table"):
        if getattr(options, option) is not None:
            text = "is for tables; `microdata` of records say where their keys are from." if option != "table" else ""
            raise InputError(text or "is for tables, and these are records.", at=OptionName(option))
    found: list[Recorded] = []
    keys: list[RecordKeys] = []
    notes: list[Note] = []
    for name, source in sources:
        if isinstance(source, Release):
            raise InputError("has tables and no `microdata`, and other sources have records.", at=name)
        if found:
            refuse_differences(found[0], source, Place(name))
        if source.microdata.key is not None:
            keys.append(keys_from_column(source.microdata.key, options.modulus, source.microdata.where))
            notes += key_notes(keys[-1], source.microdata.where, missing_keys=options.missing_keys)
        elif options.modulus is not None:
            raise InputError("is for keys, and the records have none (`key`, `secret_file`).", at=OptionName("modulus"))
        found.append(source)
        notes += source.notes
        if len(keys) not in (0, len(found)) or (keys and keys[0].modulus != keys[-1].modulus):
            raise InputError("has other keys than the first source.", at=name)
    own = Keys(np.concatenate([key.units for key in keys]), keys[0].modulus) if keys else None
    return Built(of_records(found, own, options.areas, options.largest), tuple(dict.fromkeys(notes)))
