"""Who stands behind each record: its holding, else its unit, else the record itself."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Labels, Microdata


def contributor_numbers(microdata: Microdata) -> NDArray[np.int64]:
    """int64 (records): a number for each contributor, from 0 on, in the order in which they come first."""
    records = len(microdata.codes)
    number, used = np.arange(records, dtype=np.int64), 0
    for labels in (microdata.unit_id, microdata.holding):
        used += records
        if labels is not None:
            number = np.where(named(labels), Labels.of(labels).number + used, number)
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    result: NDArray[np.int64] = place[which.ravel()]
    return result


def named(labels: Sequence[str]) -> NDArray[np.bool_]:
    """bool (records): there is a label."""
    own = Labels.of(labels)
    result: NDArray[np.bool_] = np.array([bool(text) for text in own.texts], np.bool_)[own.number]
    return result


def contributor_keys(microdata: Microdata) -> list[tuple[str, str | int]]:
    """Who each record belongs to: ("holding", name), else ("unit", id), else ("record", position)."""
    records = len(microdata.codes)
    holding = microdata.holding or ("",) * records
    unit = microdata.unit_id or ("",) * records
    return [
        ("holding", h) if h else ("unit", u) if u else ("record", i)
        for i, (h, u) in enumerate(zip(holding, unit, strict=True))
    ]
