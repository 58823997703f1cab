"""Cells by the names of their codes."""

from collections.abc import Mapping

from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release
from tableseal.audit.wording import listing, quoted, suggestion


class Places:
    """Looks up the cells of a release."""

    def __init__(self, release: Release, cells: Cells) -> None:
        self._release = release
        self._measures = list(release.measures)
        keys = zip(cells.measure.tolist(), map(tuple, cells.codes.tolist()), strict=True)
        self._place = {key: cell for cell, key in enumerate(keys)}

    def find(self, measure: str, codes: Mapping[str, str]) -> int | None:
        """The cell with these codes (all others at their totals); None if there is none."""
        if measure not in self._measures:
            return None
        position = []
        for name, hierarchy in self._release.variables.items():
            code = codes.get(name, hierarchy.total)
            if code is None or code not in hierarchy.index:
                return None
            position.append(hierarchy.index[code])
        return self._place.get((self._measures.index(measure), tuple(position)))

    def at(self, measure: int, codes: tuple[int, ...]) -> int:
        """The cell of a measure with these positions of codes; it must be there."""
        return self._place[measure, codes]

    def of(self, codes: Mapping[str, str], measure: str | None, where: str) -> int:
        """The cell with these codes.

        where: what the message begins with.

        Raises
        ------
        InputError: an unknown measure, variable or code, or no such cell.
        """
        if measure is None and len(self._measures) > 1:
            raise InputError(f"{where}: say of which measure; there are {listing(self._measures)}.")
        name = self._measures[0] if measure is None else measure
        if name not in self._measures:
            hint = suggestion(name, self._measures)
            raise InputError(f"{where}: there is no measure {quoted(name)}{hint}; there are {listing(self._measures)}.")
        for variable, code in codes.items():
            hierarchy = self._release.variables.get(variable)
            if hierarchy is None:
                raise InputError(
                    f"{where}: there is no variable {quoted(variable)}; there are {listing(self._release.variables)}."
                )
            if code not in hierarchy.index:
                hint = suggestion(code, hierarchy.codes)
                raise InputError(f"{where}: {variable} has no code {quoted(code)}{hint}.")
        cell = self.find(name, codes)
        if cell is None:
            raise InputError(f"{where}: no table of the release has this cell.")
        return cell
