"""Which rows of codes lie in a table, and in which of its cells."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.model import Hierarchy, Microdata
from tableseal.audit.tabulation.asked import Asked
from tableseal.audit.tabulation.naming import rows_named
from tableseal.audit.tabulation.sums import Keys, Upward
from tableseal.audit.wording import quoted

Variables = Mapping[str, Hierarchy]


@dataclass(frozen=True)
class Frame:
    """The cells that a table can have.

    keys: of its own variables, whose positions in the release are `own`. within: position of each fixed variable, and
    what lies in its code. fixed: int32 (variables of the release), codes of the other variables.
    """

    keys: Keys
    own: tuple[int, ...]
    within: tuple[tuple[int, Upward], ...]
    fixed: NDArray[np.int32]

    @staticmethod
    def of(variables: Variables, asked: Asked) -> "Frame":
        """Raises LimitError: too many combinations."""
        own = tuple(at for at, name in enumerate(variables) if name in asked.codes)
        upward = [Upward.of(h, asked.codes[name]) for name, h in variables.items() if name in asked.codes]
        fixed = np.array([asked.fixed.get(name, 0) for name in variables], np.int32)
        within = tuple(
            (at, Upward.of(hierarchy, np.arange(len(hierarchy.codes)) == asked.fixed[name]))
            for at, (name, hierarchy) in enumerate(variables.items())
            if name in asked.fixed
        )
        return Frame(Keys.of(upward), own, within, fixed)

    def rows(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64: the rows of codes (rows x variables of the release) that lie in the table."""
        inside = np.ones(len(codes), np.bool_)
        for at, up in self.within:
            inside &= up.holds(codes[:, at])
        return np.flatnonzero(inside)

    def key(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64 (rows): the number of each row of codes (rows x variables of the release)."""
        return self.keys.of_codes(codes[:, list(self.own)])

    def codes(self, key: NDArray[np.int64]) -> NDArray[np.int32]:
        """int32 (cells x variables of the release): the inverse."""
        found = np.repeat(self.fixed[None, :], len(key), axis=0)
        found[:, list(self.own)] = self.keys.codes(key)
        return found

    def check(self, microdata: Microdata, variables: Variables, name: str) -> None:
        """Refuse records of which one cannot say whether, or where, they lie in the table called `name`.

        Raises
        ------
        InputError: how many there are, and the first ones.
        """
        inside = np.ones(len(microdata.codes), np.bool_)
        own = zip(self.own, self.keys.upward, strict=True)
        for selects, (at, up) in [*((True, one) for one in self.within), *((False, one) for one in own)]:
            code = microdata.codes[:, at]
            variable = quoted(list(variables)[at])
            unknown = np.flatnonzero(inside & (code < 0))
            if len(unknown):
                text = rows_named(unknown, f"has no code of {variable}", f"have no code of {variable}")
                raise InputError(f"{text}, which the table {quoted(name)} needs.", at=microdata.where)
            torn = np.flatnonzero(inside & up.torn[code])
            if len(torn):
                text = rows_named(torn, f"has a code of {variable}", f"have codes of {variable}")
                raise InputError(f"{text} that the table {quoted(name)} breaks down further.", at=microdata.where)
            if selects:
                inside &= up.holds(code)
