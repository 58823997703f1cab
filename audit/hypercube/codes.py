"""Codes as a request says them -> leaves: codes of any level, and ranges of codes."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain

import numpy as np

from tableseal.audit.errors import InputError, Place, unknown
from tableseal.audit.hypercube.model import Hypercube, Ints, Level, Variable
from tableseal.audit.wording import listing, quoted, suggestion


class VariableCodes:
    """The codes of a variable, looked up by name. Of a code that several levels have, the finest level counts."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable

    @cached_property
    def _levels(self) -> Mapping[str, Mapping[str, int]]:
        """Level -> code -> its position."""
        return {level.name: {code: at for at, code in enumerate(level.codes)} for level in self.variable.levels}

    def level(self, name: str, where: Place) -> Level:
        """Raises InputError: there is no such level."""
        for level in self.variable.levels:
            if level.name == name:
                return level
        names = [level.name for level in self.variable.levels]
        expected = f"a level of {self.variable.name}: {listing(names)}"
        raise InputError(found=f"{quoted(name)}{suggestion(name, names)}", expected=expected, at=where)

    def leaves(self, said: str, where: Place) -> Ints:
        """int64: the leaves below a code of any level, or below the codes of a range.

        Raises
        ------
        InputError: there is no such code or range; it can be read as two ranges.
        """
        for level in reversed(self.variable.levels):
            at = self._levels[level.name].get(said)
            if at is not None:
                return np.flatnonzero(level.of_leaf == at)
        ranges = list(self._ranges(said))
        if not ranges:
            known = list(dict.fromkeys(chain.from_iterable(level.codes for level in self.variable.levels)))
            expected = f"a code of {self.variable.name} ({listing(known)}) or a range of codes"
            raise InputError(found=f"{quoted(said)}{suggestion(said, known)}", expected=expected, at=where)
        level, first, last = ranges[0]
        if last < first:
            text = f"the range {quoted(said)} ends before it begins; codes are in the order {listing(level.codes)}."
            raise InputError(text, at=where)
        found = np.flatnonzero((level.of_leaf >= first) & (level.of_leaf <= last))
        for other, begin, end in ranges[1:]:
            if not np.array_equal(found, np.flatnonzero((other.of_leaf >= begin) & (other.of_leaf <= end))):
                raise InputError(f"{quoted(said)} can be read as two ranges; list the codes.", at=where)
        return found

    def _ranges(self, said: str) -> Iterator[tuple[Level, int, int]]:
        """Level and positions of first and last code of all that a text may mean: `0-15`, at any dash."""
        dashes = [at for at, letter in enumerate(said) if letter == "-"]
        for level in reversed(self.variable.levels):
            known = self._levels[level.name]
            for at in dashes:
                first, last = known.get(said[:at].strip()), known.get(said[at + 1 :].strip())
                if first is not None and last is not None:
                    yield level, first, last


class Vocabulary:
    """All names of a hypercube, looked up again and again."""

    def __init__(self, about: Hypercube) -> None:
        self.about = about
        self.position = {variable.name: at for at, variable in enumerate(about.variables)}
        self._codes = {variable.name: VariableCodes(variable) for variable in about.variables}

    def variable(self, name: str, where: Place) -> VariableCodes:
        """Raises InputError: there is no such variable."""
        if name not in self._codes:
            raise unknown("variable", name, self._codes, where)
        return self._codes[name]
