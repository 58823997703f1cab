"""What is said of a stored hypercube: `manifest.json` in its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from tableseal.audit.codec.at import At
from tableseal.audit.codec.kinds import Count, Digest, Kind, like
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.model import Hypercube, Level, Variable
from tableseal.audit.hypercube.ranks import MOST_RANKS
from tableseal.audit.model import Measure

LARGEST_PART = 2**22
"""Cells of a part; one is read at a time."""


def _names(at: At) -> tuple[str, ...]:
    """Many texts, looked at all at once: there may be hundreds of thousands of areas."""
    if not isinstance(at.value, list) or not all(isinstance(entry, str) for entry in at.value):
        at.fail("a list of texts")
    return tuple(map(str, at.value))


def _positions(at: At) -> tuple[int, ...]:
    if not isinstance(at.value, list) or not all(type(entry) is int and abs(entry) < 2**31 for entry in at.value):
        at.fail("a list of positions")
    return tuple(at.value)


Names = Annotated[
    tuple[str, ...], Kind(list, _names, like({"type": "array", "items": {"type": "string"}, "uniqueItems": True}))
]
Positions = Annotated[
    tuple[int, ...], Kind(list, _positions, like({"type": "array", "items": {"type": "integer", "minimum": -1}}))
]


@dataclass(frozen=True)
class StoredLevel:
    """A way to group the leaves of a variable."""

    name: Annotated[str, "Of the level."]
    codes: Annotated[Names, "Its codes, in the order of the classification."]
    of_leaf: Annotated[Positions, "For each leaf the position of the code that holds it; -1: none does."]


@dataclass(frozen=True)
class StoredVariable:
    """A variable of the hypercube."""

    name: Annotated[str, "Of the variable, and of its column in the parts."]
    areas: Annotated[bool, "Its codes are places: tables are judged for each of them."]
    leaves: Annotated[Names, "Its finest codes; the parts have their positions, from 0 on."]
    levels: Annotated[tuple[StoredLevel, ...], "The coarsest first; the last one is the leaves."]


@dataclass(frozen=True)
class StoredMeasure:
    """A measure that can be added up."""

    name: Annotated[str, "Of the measure, and of its column in the parts, `sum NAME`."]
    unit: Annotated[Fraction, "Sums are whole multiples of it."]


@dataclass(frozen=True)
class StoredKeys:
    """Keys by which counts are changed."""

    modulus: Annotated[Count, "Keys are added up modulo this."]
    made_of: Annotated[
        Literal["records", "cells"],
        "records: the key of a cell is the sum of the keys of its records; cells: each base cell was given one.",
    ]


@dataclass(frozen=True)
class SeveralCells:
    """A Parquet file of contributors who have records in several cells: what each gives to each of its cells."""

    file: Annotated[str, "Its name in the folder."]
    entries: Annotated[Count, "Rows of the file."]
    sha256: Annotated[Digest, "Of the file."]


@dataclass(frozen=True)
class StoredContributions:
    """Who contributes to the measures, as rules for sums need it."""

    largest: Annotated[
        Count,
        "So many of the largest contributions to a cell are kept, of contributors with records in that cell alone.",
    ]
    several: Annotated[SeveralCells | None, "Of all other contributors; null: there are none."]


@dataclass(frozen=True)
class Part:
    """A Parquet file with some of the cells, in ascending order of their codes, behind those of the part before."""

    file: Annotated[str, "Its name in the folder."]
    cells: Annotated[Count, "Rows of the file."]
    sha256: Annotated[Digest, "Of the file."]


@dataclass(frozen=True)
class Manifest:
    """A hypercube. One large table by the finest codes of all variables, whose cells lie in Parquet files beside it."""

    schema: ClassVar[Literal["tableseal/hypercube/2"]] = "tableseal/hypercube/2"

    title: Annotated[str, "Of the data."]
    units: Annotated[Count, "How many units are counted in all."]
    cells: Annotated[Count, "That are not empty."]
    variables: Annotated[tuple[StoredVariable, ...], "In the order by which cells are sorted."]
    measures: Annotated[tuple[StoredMeasure, ...], "Besides the number of units."]
    contributions: Annotated[StoredContributions | None, "null: nothing is known but sums."]
    keys: Annotated[StoredKeys | None, "null: there are none."]
    impossible: Annotated[
        tuple[Mapping[str, tuple[str, ...]], ...],
        "Combinations that cannot occur (structural zeros): cells that have one of the codes of each variable named.",
    ]
    parts: Annotated[tuple[Part, ...], "The files with the cells."]
    sha256: Annotated[Digest, "Of all cells: of the digests of the files one after another."]


BEFORE = "tableseal/hypercube/1"
"""Schema of manifests without contributions."""


def brought_up(document: Any) -> Any:
    """A manifest of the version before as one of today: it says nothing of contributions."""
    if isinstance(document, dict) and document.get("schema") == BEFORE and "contributions" not in document:
        return {**document, "schema": Manifest.schema, "contributions": None}
    return document


def manifest_of(about: Hypercube, parts: tuple[Part, ...], several: SeveralCells | None = None) -> Manifest:
    """What is written of a hypercube. several: file of contributors with several cells, if there are any."""
    return Manifest(
        about.title,
        about.units,
        about.cells,
        tuple(
            StoredVariable(
                v.name,
                v.areas,
                v.leaves,
                tuple(StoredLevel(level.name, level.codes, tuple(level.of_leaf.tolist())) for level in v.levels),
            )
            for v in about.variables
        ),
        tuple(StoredMeasure(measure.name, measure.unit) for measure in about.measures.values()),
        None if about.ranks is None else StoredContributions(about.ranks, several),
        None if about.modulus is None or about.keys_of is None else StoredKeys(about.modulus, about.keys_of),
        about.impossible,
        parts,
        digest_of(parts, several),
    )


def digest_of(parts: tuple[Part, ...], several: SeveralCells | None = None) -> str:
    """Of the cells of all parts, and of contributors with several."""
    digests = [part.sha256 for part in parts] + ([] if several is None else [several.sha256])
    return sha256("".join(digests).encode()).hexdigest()


def described(manifest: Manifest, source: str) -> Hypercube:
    """What a manifest says.

    Raises
    ------
    InputError: what cannot be, such as levels that do not fit their leaves.
    """

    def wrong(text: str) -> InputError:
        return InputError(text, at=source)

    names = [variable.name for variable in manifest.variables]
    if not names or len(set(names)) < len(names) or len({m.name for m in manifest.measures}) < len(manifest.measures):
        raise wrong("variables and measures must have names of their own, and there must be a variable.")
    variables = []
    for stored in manifest.variables:
        levels = []
        for level in stored.levels:
            of_leaf = np.array(level.of_leaf, np.int64)
            if len(of_leaf) != len(stored.leaves) or of_leaf.size == 0:
                raise wrong(f"a level of {stored.name} says nothing of some leaves.")
            if of_leaf.min() < -1 or of_leaf.max() >= len(level.codes):
                raise wrong(f"a level of {stored.name} has codes that are not there.")
            levels.append(Level(level.name, level.codes, of_leaf.astype(np.int32)))
        if not levels or levels[-1].codes != stored.leaves or len(set(stored.leaves)) < len(stored.leaves):
            raise wrong(f"the last level of {stored.name} is not that of its leaves.")
        variables.append(Variable(stored.name, stored.leaves, tuple(levels), stored.areas))
    if manifest.keys is not None and not 2 <= manifest.keys.modulus <= 10**12:
        raise wrong("keys have a modulus from 2 to 10^12.")
    if any(not 0 < part.cells <= LARGEST_PART for part in manifest.parts):
        raise wrong(f"a part has between 1 and {LARGEST_PART:,} cells.")
    kept = manifest.contributions
    if kept is not None and not (1 <= kept.largest <= MOST_RANKS and manifest.measures):
        raise wrong(f"contributions are to measures, and 1 to {MOST_RANKS} of the largest are kept.")
    digest = digest_of(manifest.parts, None if kept is None else kept.several)
    if sum(part.cells for part in manifest.parts) != manifest.cells or digest != manifest.sha256:
        raise wrong("its parts are not those that it was made with.")
    return Hypercube(
        manifest.title,
        tuple(variables),
        {m.name: Measure(m.name, "magnitude", m.unit) for m in manifest.measures},
        None if manifest.keys is None else manifest.keys.modulus,
        None if manifest.keys is None else manifest.keys.made_of,
        manifest.impossible,
        manifest.units,
        manifest.cells,
        None if kept is None else kept.largest,
    )
