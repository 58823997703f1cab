"""What is told of a table that was asked for."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

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
    answer: Annotated[
        Answer | None, "The table; of a share, the units that it counts; of a mean, the sums.", PUBLIC, SPARSE
    ] = None
    whole: Annotated[Answer | None, "Of a share or a mean, the units of which it is one.", PUBLIC, SPARSE] = None
    refusal: Annotated[Refusal | None, PUBLIC, SPARSE] = None

    @derived(after="statistic")
    def outcome(self) -> Annotated[Literal["answered", "refused"], PUBLIC]:
        """Whether a table is given."""
        return "refused" if self.refusal is not None else "answered"

    @derived(after="whole")
    def shares(self) -> Annotated[tuple[float | None, ...], "Of each cell of the table.", PUBLIC]:
        """Published counts over published counts, and nothing else; null where the published whole is 0."""
        return () if self.answer is None or self.statistic != "share" else self._ratios(self.answer.shown)

    @derived(after="shares")
    def means(self) -> Annotated[tuple[float | None, ...], "Of each cell of the table.", PUBLIC]:
        """Published sums over published counts, and nothing else; null where the published count is 0."""
        if self.answer is None or self.answer.unit is None or self.statistic != "mean":
            return ()
        unit = self.answer.unit
        return self._ratios(self.answer.shown.astype(np.float64) * unit.numerator / unit.denominator)

    @property
    def below(self) -> NDArray[np.int64]:
        """int64 (cells of the table): published units of which shares and means are made; empty: it is neither."""
        if self.answer is None or self.whole is None:
            return np.zeros(0, np.int64)
        kept = [
            [whole.index(code) for code in codes]
            for codes, whole in zip(self.answer.codes, self.whole.codes, strict=True)
        ]
        found: NDArray[np.int64] = self.whole.shown.reshape([len(codes) for codes in self.whole.codes])
        return found[np.ix_(*kept)].ravel()

    def _ratios(self, above: NDArray[Any]) -> tuple[float | None, ...]:
        found = ratios(above.astype(np.float64), self.below.astype(np.float64))
        return tuple(None if np.isnan(value) else value for value in found.tolist())
