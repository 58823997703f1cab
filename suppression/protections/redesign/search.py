"""The design that loses least: all of them in the order of their loss as long as that is affordable.

Combining more never loses less (`loss`), so the first safe design in this order is the best one, whatever the rules.
Where a published cell is sensitive by a rule that looks at nothing but the cell, every safe design must do away with
it: only steps that may do so are taken. Before, designs are found step by step, each of which does away with most cells
that are in the way for what it loses; then what turns out not to be needed is taken back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.redesign.design import Design
from tableseal.suppression.protections.redesign.judged import Judge, Wrong
from tableseal.suppression.protections.redesign.recoded import recodings

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
        if first is not None:
            first = self._taken_back(first)
        return self._in_order(first)

    def _wrong(self, design: Design) -> Wrong | None:
        if design not in self.judged:
            self.judged[design] = self.judge.wrong(design)
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
            following = self._next(design, wrong)
            if following is None:
                return None
            design = following
        return None

    def _next(self, design: Design, wrong: Wrong) -> Design | None:
        """The step that does away with most cells in the way for what it loses."""
        space, here = self.judge.space, self.loss_of(design) or 0
        often: dict[tuple[int, int], int] = {}
        for cell in wrong.codes.tolist():
            for at in enumerate(cell):
                often[at] = often.get(at, 0) + 1
        ways: dict[Design, None] = {}
        for at in sorted(often, key=lambda one: (-often[one], one)):
            ways.update(dict.fromkeys(space.steps_away(design, *at)))
            if len(ways) >= WEIGHED:
                break
        weighed = []
        for step in ways or dict.fromkeys(space.steps(design)):
            loss = self.loss_of(step)
            if loss is not None:
                gone = sum(self._away(design, step, cell) for cell in wrong.codes.tolist())
                weighed.append((-gone / max(1, loss - here), loss, step))
        return min(weighed)[2] if weighed else None

    def _away(self, design: Design, step: Design, cell: list[int]) -> bool:
        """Whether a published cell of the design is no longer published after a step."""
        kept = set(step)
        for v, code in enumerate(cell):
            tree = self.judge.space.trees[v]
            codes = len(tree.hierarchy.codes)
            if code >= codes and design[code - codes] not in kept:
                return True
            if code < codes and bool(tree.hidden(step, v)[code]):
                return True
        return False

    def _taken_back(self, design: Design) -> Design:
        """What is left when groups that are not needed are taken apart, those first that lose most."""
        again = True
        while again and not self.limits.out_of_time():
            again = False
            without = [tuple(g for g in design if g is not group) for group in design]
            ranked = sorted((loss, one) for one in without if (loss := self.loss_of(one)) is not None)
            for _, one in ranked:
                if self.limits.out_of_time():
                    break
                if self._wrong(one) is None:
                    design, again = one, True
                    break
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
