"""Hypercubes in folders: `NAME.cube` with a manifest and the cells in Parquet files, sorted by cell.

The manifest names each file by its content and is written last, so that at any moment the folder holds one whole
hypercube: the one before, or the new one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.codec.documents import json_of, read_record
from tableseal.audit.codec.exact_json import loads
from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.execution.own_folder import own_folder, write_into
from tableseal.audit.hypercube.contributions import Contributions, no_contributions
from tableseal.audit.hypercube.dense import in_memory
from tableseal.audit.hypercube.gather import one_behind_the_other
from tableseal.audit.hypercube.manifest import (
    LARGEST_PART,
    Manifest,
    Part,
    SeveralCells,
    brought_up,
    described,
    manifest_of,
)
from tableseal.audit.hypercube.model import BaseCells, HeldCells, Hypercube
from tableseal.audit.hypercube.stored_contributions import (
    CELL,
    Several,
    checked_several,
    part_columns,
    part_values,
    several_columns,
    several_names,
)
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.frames import polars_module
from tableseal.audit.io.parquet_sizes import check_sizes
from tableseal.audit.wording import listing

ENDING: Final = ".cube"
MANIFEST: Final = "manifest.json"
_MARK = ".tableseal-hypercube"
COUNT, KEY, SUM = "count", "key", "sum "
"""Columns besides those of the variables, which are `by NAME`; SUM is followed by the measure."""
BY = "by "

HELD = 4_000_000
"""Cells up to which a hypercube is read into memory once; larger ones are read part by part for each table."""

PART = 2**20
"""Cells that are written into one part."""


@dataclass(frozen=True)
class StoredCells:
    """A hypercube in a folder, of which nothing but the manifest has been read."""

    folder: Path
    manifest: Manifest
    about: Hypercube

    def parts(self, variables: Collection[int], measures: Collection[str]) -> Iterator[BaseCells]:
        """See `Cells`: each file is read when its turn comes, and only the columns asked for.

        Raises
        ------
        InputError: a file that is missing, cut off, damaged or another one.
        """
        several = Several(self._several(measures), measures) if self.about.ranks is not None and measures else None
        begin = 0
        for part in self.manifest.parts:
            yield self._read(part, variables, measures, several, begin)
            begin += part.cells

    def held(self) -> HeldCells:
        """All of it in memory.

        Raises
        ------
        InputError: as for `parts`; it counts other units than the manifest.
        """
        parts = list(self.parts(range(len(self.about.variables)), self.about.measures))
        if sum(int(part.count.sum()) for part in parts) != self.about.units:
            raise InputError("counts other units than its manifest says.", at=self.folder.name)
        return in_memory(self.about, one_behind_the_other(parts) if parts else empty(self.about))

    def _read(
        self, part: Part, variables: Collection[int], measures: Collection[str], several: Several | None, begin: int
    ) -> BaseCells:
        source = f"{self.folder.name}/{part.file}"
        names = _columns(self.about)
        wanted = [BY + self.about.variables[at].name for at in sorted(variables)]
        wanted += [name for name in (COUNT, KEY) if name in names] + [SUM + name for name in measures]
        if several is not None and self.about.ranks is not None:
            wanted += part_columns(measures, self.about.ranks)
        found = self._frame(part.file, part.sha256, part.cells * len(names), wanted)
        contributions = None
        if several is not None and self.about.ranks is not None:
            contributions = several.part(begin, found, measures, self.about.ranks, source)
        cells = BaseCells(
            tuple(
                found[BY + v.name].astype(np.int32, copy=False) if at in variables else np.zeros(0, np.int32)
                for at, v in enumerate(self.about.variables)
            ),
            found[COUNT].astype(np.int64, copy=False),
            found[KEY].astype(np.int64, copy=False) if KEY in found else np.zeros(0, np.int64),
            {name: found[SUM + name].astype(np.int64, copy=False) for name in measures},
            contributions,
        )
        _check(cells, self.about, variables, source)
        return cells

    def _several(self, measures: Collection[str]) -> Mapping[str, NDArray[Any]] | None:
        """The file of contributors with several cells; None: there is none."""
        kept = self.manifest.contributions
        if kept is None or kept.several is None:
            return None
        names = several_names(self.about.measures)
        found = self._frame(
            kept.several.file, kept.several.sha256, kept.several.entries * len(names), several_names(measures)
        )
        return checked_several(found, self.about.cells, f"{self.folder.name}/{kept.several.file}")

    def _frame(self, file: str, digest: str, values: int, wanted: Sequence[str]) -> Mapping[str, NDArray[Any]]:
        """Columns of a file of the hypercube. values: how many it has, in all its columns."""
        polars = polars_module()
        source = f"{self.folder.name}/{file}"
        content = read_bytes(_inside(self.folder, file, source), source=source)
        if sha256(content).hexdigest() != digest:
            raise InputError("is damaged or cut off: its digest is not that of the manifest.", at=source)
        check_sizes(content, source, known=values)
        try:
            frame = polars.read_parquet(BytesIO(content), columns=list(wanted))
            return {name: frame[name].to_numpy() for name in wanted}
        except (Exception, polars.exceptions.PanicException):
            raise InputError(f"is no part of a hypercube with the columns {listing(wanted)}.", at=source) from None


def open_cube(folder: Path) -> StoredCells:
    """A hypercube in a folder; reads its manifest alone.

    Raises
    ------
    InputError: there is no hypercube, or none that can be read.
    """
    if not folder.is_dir():
        raise InputError(
            "there is no such folder; expected a hypercube, as `hypercube build` makes it.", at=str(folder)
        )
    source = f"{folder.name}/{MANIFEST}"
    if not (folder / MANIFEST).exists():
        raise InputError(f"has no {MANIFEST}; expected a hypercube, as `hypercube build` makes it.", at=str(folder))
    text, _ = decode(read_bytes(folder / MANIFEST, source=source), source)
    manifest = read_record(Manifest, brought_up(loads(text, what="The manifest")), what="manifest")
    return StoredCells(folder, manifest, described(manifest, source))


def opened(folder: Path, held: int = HELD) -> StoredCells | HeldCells:
    """A hypercube, in memory if it has at most so many cells.

    Raises
    ------
    InputError: as for `open_cube` and `StoredCells.parts`.
    """
    stored = open_cube(folder)
    return stored.held() if stored.about.cells <= held else stored


def empty(about: Hypercube) -> BaseCells:
    """No cells."""
    none = np.zeros(0, np.int64)
    contributions = None if about.ranks is None else no_contributions(0, about.measures, about.ranks)
    sums = dict.fromkeys(about.measures, none)
    return BaseCells(tuple(np.zeros(0, np.int32) for _ in about.variables), none, none, sums, contributions)


def pieces(cells: BaseCells, size: int = PART) -> Iterator[BaseCells]:
    """Cells in parts of this size."""
    for start in range(0, len(cells), size):
        rows = slice(start, start + size)
        yield BaseCells(
            tuple(column[rows] for column in cells.codes),
            cells.count[rows],
            cells.keys[rows],
            {name: values[rows] for name, values in cells.sums.items()},
            None if cells.contributions is None else cells.contributions.rows(start, start + size),
        )


def write_cube(folder: Path, about: Hypercube, parts: Iterable[BaseCells]) -> Manifest:
    """Write a hypercube into a folder, in place of the one that is there.

    Parameters
    ----------
    about: its numbers of units and cells are those of the parts. parts: at most `LARGEST_PART` cells each, in ascending
        order of their codes, each behind those of the one before. One is held at a time.

    Raises
    ------
    InputError: the folder cannot be written, or holds something else; a run at work there; cells that are not in order.
    """
    with own_folder(folder, _MARK, "a hypercube"):
        written: list[Part] = []
        last: tuple[int, ...] = ()
        units, total = 0, 0
        several: list[tuple[int, Contributions]] = []
        for cells in parts:
            if not 0 < len(cells) <= LARGEST_PART:
                raise LimitError(f"a part has {len(cells):,} cells, expected 1 to {LARGEST_PART:,}.", at=str(folder))
            last = _after(cells, last, folder)
            units += int(cells.count.sum())
            content = _parquet(cells, about)
            digest = sha256(content).hexdigest()
            part = Part(f"cells-{len(written):05d}-{digest[:16]}.parquet", len(cells), digest)
            if not (folder / part.file).exists():
                write_into(folder, part.file, content)
            written.append(part)
            if cells.contributions is not None and len(cells.contributions.cell):
                several.append((total, cells.contributions))
            total += len(cells)
        beside = _write_several(folder, several, about) if several else None
        manifest = manifest_of(replace(about, units=units, cells=total), tuple(written), beside)
        write_into(folder, MANIFEST, json_of(manifest, indent=None) + "\n")
        kept = {part.file for part in written} | ({beside.file} if beside else set())
        for old in (*folder.glob("cells-*.parquet"), *folder.glob("several-*.parquet")):
            if old.name not in kept:
                old.unlink(missing_ok=True)
    return manifest


def _write_several(folder: Path, several: Sequence[tuple[int, Contributions]], about: Hypercube) -> SeveralCells:
    columns = several_columns(several, about.measures)
    content = _written(columns)
    digest = sha256(content).hexdigest()
    found = SeveralCells(f"several-{digest[:16]}.parquet", len(columns[CELL]), digest)
    if not (folder / found.file).exists():
        write_into(folder, found.file, content)
    return found


def _after(cells: BaseCells, last: tuple[int, ...], folder: Path) -> tuple[int, ...]:
    """The codes of the last cell, if all cells are in order."""
    later = np.zeros(max(len(cells) - 1, 0), np.bool_)
    equal = ~later
    for column in cells.codes:
        later |= equal & (column[1:] > column[:-1])
        equal &= column[1:] == column[:-1]
    first = tuple(int(column[0]) for column in cells.codes)
    if not later.all() or first <= last:
        raise InputError("cells of a hypercube are written in ascending order, each once.", at=str(folder))
    return tuple(int(column[-1]) for column in cells.codes)


def _columns(about: Hypercube) -> list[str]:
    return [
        *(BY + variable.name for variable in about.variables),
        COUNT,
        *([KEY] if about.modulus is not None else []),
        *(SUM + name for name in about.measures),
        *([] if about.ranks is None else part_columns(about.measures, about.ranks)),
    ]


def _parquet(cells: BaseCells, about: Hypercube) -> bytes:
    columns: list[Any] = [*cells.codes, cells.count]
    columns += [cells.keys] if about.modulus is not None else []
    columns += [cells.sums[name] for name in about.measures]
    if about.ranks is not None and cells.contributions is not None:
        columns += part_values(cells.contributions, about.measures, about.ranks)
    return _written(dict(zip(_columns(about), columns, strict=True)))


def _written(columns: Mapping[str, NDArray[Any]]) -> bytes:
    file = BytesIO()
    polars_module().DataFrame(columns).write_parquet(file, compression="zstd", statistics=False)
    return file.getvalue()


def _check(cells: BaseCells, about: Hypercube, variables: Collection[int], source: str) -> None:
    """Refuse codes, counts and keys that cannot be."""
    good = bool((cells.count > 0).all())
    for at in variables:
        column = cells.codes[at]
        good &= bool(column.min(initial=0) >= 0) and bool(column.max(initial=0) < len(about.variables[at].leaves))
    if about.modulus is not None:
        good &= bool((cells.keys >= 0).all()) and bool((cells.keys < about.modulus).all())
    if not good:
        raise InputError("has codes, counts or keys that the manifest does not allow.", at=source)


def _inside(folder: Path, name: str, source: str) -> Path:
    if Path(name).name != name:
        raise InputError("a part lies in the folder of its hypercube.", at=source)
    return folder / name
