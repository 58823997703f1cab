"""What is told of a table that was asked for."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from tableseal.audit.codec.declared import PUBLIC, SPARSE, derived
from tableseal.audit.hypercube.request import Statistic
from tableseal.suppression.generator.result import Answer, Refusal
from tableseal.suppression.protections.cell_keys.counts import ratios


@dataclass(frozen=True)
class TableAnswer:
    """The answer to a request for a table. Values, or the reason why there are none and which tables there would be."""

    schema: ClassVar[Literal["tableseal/table/1"]] = "tableseal/table/1"

    hypercube: Annotated[str, "Its name.", PUBLIC]
    title: Annotated[str, "Of the table, as it was asked for.", PUBLIC]
    statistic: Annotated[Statistic, PUBLIC]
    answer: Annotated[Answer | None, "The table; of a share, the units that it counts.", PUBLIC, SPARSE] = None
    whole: Annotated[Answer | None, "Of a share, the units of which it is one.", PUBLIC, SPARSE] = None
    refusal: Annotated[Refusal | None, PUBLIC, SPARSE] = None

    @derived(after="statistic")
    def outcome(self) -> Annotated[Literal["answered", "refused"], PUBLIC]:
        """Whether a table is given."""
        return "refused" if self.refusal is not None else "answered"

    @derived(after="whole")
    def shares(self) -> Annotated[tuple[float | None, ...], "Of each cell of the table.", PUBLIC]:
        """Published counts over published counts, and nothing else; null where the published whole is 0."""
        if self.answer is None or self.whole is None:
            return ()
        kept = [
            [whole.index(code) for code in codes]
            for codes, whole in zip(self.answer.codes, self.whole.codes, strict=True)
        ]
        below = self.whole.shown.reshape([len(codes) for codes in self.whole.codes])[np.ix_(*kept)].ravel()
        found = ratios(self.answer.shown.astype(np.float64), below.astype(np.float64))
        return tuple(None if np.isnan(value) else value for value in found.tolist())
