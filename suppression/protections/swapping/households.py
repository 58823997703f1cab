"""Households, where they live, and which of them are alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.model import Microdata
from tableseal.audit.wording import quoted
from tableseal.suppression.protections.records import Records

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Households:
    """Records that stay together. of: int64 (records), the household of each, numbered in an order that rows of the
    file do not change. size: int64 (households)."""

    of: Ints
    size: Ints

    @staticmethod
    def of_records(records: Records) -> "Households":
        """Records of one `holding`; without one, each record is its own."""
        data: Microdata = records.data
        rank = np.empty(len(data.codes), np.int64)
        rank[records.order] = _dense_rank(data.codes[records.order])
        label = data.holding or ("",) * len(data.codes)
        members: dict[str | int, list[int]] = {}
        for at, name in enumerate(label):
            members.setdefault(name or at, []).append(at)
        # By what is in them; alike in all variables, they are exchangeable.
        ordered = sorted(members.values(), key=lambda own: sorted(rank[own].tolist()))
        of = np.empty(len(data.codes), np.int64)
        for number, own in enumerate(ordered):
            of[own] = number
        return Households(of, np.bincount(of, minlength=len(ordered)))

    def common(self, records: Records, leaf: Ints, variable: str) -> Ints:
        """int64 (households): the leaf of all records of each.

        Raises
        ------
        InputError: records of one household differ.
        """
        found = np.full(len(self.size), -1, np.int64)
        found[self.of] = leaf
        differs = np.flatnonzero(found[self.of] != leaf)
        if len(differs):
            where = records.data.source or Place("microdata")
            text = f"differs in {quoted(variable)} from another record of its household (`holding`)."
            raise InputError(text, at=replace(where, row=int(differs[0]) + 1))
        return found

    def classes(self, leaves: Sequence[Ints]) -> Ints:
        """int64 (households): equal for those of one size whose records have the same codes. leaves: of each variable,
        int64 (records)."""
        records = np.unique(np.column_stack([np.zeros_like(self.of), *leaves]), axis=0, return_inverse=True)[1].ravel()
        order = np.lexsort((records, self.of))
        kinds = np.split(records[order], np.cumsum(self.size)[:-1])
        seen: dict[tuple[int, ...], int] = {}
        return np.array([seen.setdefault(tuple(kind.tolist()), len(seen)) for kind in kinds], np.int64)


def _dense_rank(ordered: NDArray[np.int32]) -> Ints:
    """int64: equal rows that follow each other have one rank."""
    new = np.append(False, (np.diff(ordered, axis=0) != 0).any(axis=1)) if len(ordered) else np.empty(0, np.bool_)
    return np.cumsum(new).astype(np.int64)
