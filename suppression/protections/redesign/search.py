"""The design that loses least: all of them in the order of their loss as long as that is affordable.

Combining more never loses less (`loss`), so the first safe design in this order is the best one, whatever the rules.
Where a published cell is sensitive by a rule that looks at nothing but the cell, every safe design must do away with
it: only steps that may do so are taken. Before, designs are found step by step, each of which does away with most cells
that are in the way for what it loses; where that ends without one, all categories are combined; then what turns out
not to be needed is taken back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import isinf

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.redesign.design import Bools, Design
from tableseal.suppression.protections.redesign.judged import Judge, Wrong
from tableseal.suppression.protections.redesign.recoded import recodings

Ints = NDArray[np.int64]

MOST = 3_000
"""Designs that are judged, at most, on the way to a proof."""

WEIGHED = 24
"""Steps of the first search that are weighed against each other."""


@dataclass(frozen=True)
class Best:
    """design: safe. loss: of it; bound: no safe design loses less."""

    design: Design
    loss: int
    bound: int


@dataclass
class Search:
    """One search. limits: at which it ends with the best it has."""

    judge: Judge
    loss_of: Callable[[Design], int | None]
    limits: Limits
    tell: Progress
    judged: dict[Design, Wrong | None] = field(default_factory=dict)

    def best(self) -> Best | None:
        """The best design, or a good one with a bound. None: there is none, which is proved."""
        first = self._descent()
        if first is None:
            first = self._coarsest()
        if first is not None:
            first = self._taken_back(first)
        return self._in_order(first)

    def _wrong(self, design: Design, *, whole: bool = False) -> Wrong | None:
        """whole: however long it takes."""
        if design not in self.judged:
            left = self.limits.seconds_left()
            self.judged[design] = self.judge.wrong(design, None if whole or isinf(left) else left)
            self.tell("designs", len(self.judged), 0)
        return self.judged[design]

    def _steps(self, design: Design, wrong: Wrong) -> list[Design]:
        """What may come next on the way to a safe design, without those that are not allowed."""
        space = self.judge.space
        if not wrong.sure:
            return [*dict.fromkeys(space.steps(design))]
        ways = (
            dict.fromkeys(step for v, code in enumerate(cell) for step in space.steps_away(design, v, code))
            for cell in wrong.codes[:64].tolist()
        )
        return [*min(ways, key=len)]

    def _descent(self) -> Design | None:
        """A safe design, or None: none was found. Nothing is proved."""
        design: Design = ()
        while not self.limits.out_of_time():
            wrong = self._wrong(design)
            if wrong is None:
                return design
            following = self._without(design, wrong)
            if following is None:
                return None
            design = following
        return None

    def _coarsest(self) -> Design | None:
        """What publishes nothing but totals, where that is safe: it takes one audit, however little time there was."""
        design = self.judge.space.coarsest()
        return design if self.loss_of(design) is not None and self._wrong(design, whole=True) is None else None

    def _without(self, design: Design, wrong: Wrong) -> Design | None:
        """A design without the cells that are in the way; without half of them, if it is not sure that these are. None:
        no step is left."""
        left, at = wrong.codes, design
        enough = 0 if wrong.sure else len(left) // 2
        while len(left) > enough and not self.limits.out_of_time():
            following = self._next(at, design, left)
            if following is None:
                return None if at == design or wrong.sure else at
            at = following
            left = left[~self._gone(at, design, left)]
        return at

    def _next(self, at: Design, judged: Design, cells: Ints) -> Design | None:
        """The step that does away with most cells in the way for what it loses. cells: codes of the judged design."""
        space, here = self.judge.space, self.loss_of(at) or 0
        ways: dict[Design, None] = {}
        for v, code in self._often(cells):
            old = len(space.trees[v].hierarchy.codes)
            now = code if code < old else old + at.index(judged[code - old])
            ways.update(dict.fromkeys(space.steps_away(at, v, now)))
            if len(ways) >= WEIGHED:
                break
        weighed = []
        for step in ways or dict.fromkeys(space.steps(at)):
            loss = self.loss_of(step)
            if loss is not None:
                gone = int(self._gone(step, judged, cells).sum())
                weighed.append((-gone / max(1, loss - here), loss, step))
        return min(weighed)[2] if weighed else None

    def _often(self, cells: Ints) -> list[tuple[int, int]]:
        """Variables and codes of cells, those that occur most first."""
        found = []
        for v in range(cells.shape[1]):
            codes, number = np.unique(cells[:, v], return_counts=True)
            found += [(-n, v, code) for code, n in zip(codes.tolist(), number.tolist(), strict=True)]
        return [(v, code) for _, v, code in sorted(found)]

    def _gone(self, design: Design, judged: Design, cells: Ints) -> Bools:
        """bool (cells): not published by a design. cells: codes of the judged one."""
        result = np.zeros(len(cells), np.bool_)
        kept = set(design)
        other = np.array([group not in kept for group in judged], np.bool_)
        for v, tree in enumerate(self.judge.space.trees):
            result |= np.concatenate([tree.hidden(design, v), other])[cells[:, v]]
        return result

    def _taken_back(self, design: Design) -> Design:
        """What is left when groups that are not needed are taken apart, those first that lose most."""
        alone = {group: self.loss_of((group,)) or 0 for group in design}
        for group in sorted(design, key=lambda one: (-alone[one], one)):
            without = tuple(one for one in design if one != group)
            if self.limits.out_of_time():
                break
            if self.loss_of(without) is not None and self._wrong(without) is None:
                design = without
        return design

    def _in_order(self, found: Design | None) -> Best | None:
        """Designs in the order of their loss. found: a safe one."""
        most = None if found is None else self.loss_of(found)
        queue: list[tuple[int, Design]] = [(0, ())]
        seen: set[Design] = {()}
        number = 0
        while queue:
            loss, design = queue[0]
            if found is not None and most is not None and loss >= most:
                return Best(found, most, most)
            if number >= MOST or self.limits.out_of_time():
                break
            heappop(queue)
            number += 1
            wrong = self._wrong(design)
            if wrong is None:
                return Best(design, loss, loss)
            for step in self._steps(design, wrong):
                if step not in seen:
                    seen.add(step)
                    further = self.loss_of(step)
                    if further is not None and (most is None or further < most):
                        heappush(queue, (further, step))
        if found is not None and most is not None:
            return Best(found, most, queue[0][0] if queue else most)
        if queue:
            raise LimitError("no safe design was found within the limits, and none was excluded; give more time.")
        return None


def losses(judge: Judge, name: str) -> Callable[[Design], int | None]:
    """What designs lose, each computed once; None: one hides a cell that must be published."""
    loss, known = judge.loss(name), dict[Design, int | None]()

    def of(design: Design) -> int | None:
        if design not in known:
            by = recodings(judge.space, design)
            known[design] = None if judge.hides_duty(by) else loss.of(by)
        return known[design]

    return of
