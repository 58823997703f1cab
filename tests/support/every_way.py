"""All that a scheme can give that draws at random, each with its probability: exact expectations, no simulation."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any


class _Path:
    """Answers what was answered before, then yes wherever that is possible, and notes where no was possible, too."""

    def __init__(self, before: list[bool]) -> None:
        self.before, self.taken, self.others = before, list[bool](), list[list[bool]]()
        self.probability = Fraction(1)

    def chance(self, part: int, of: int) -> bool:
        share = Fraction(part, of)
        if len(self.taken) < len(self.before):
            answer = self.before[len(self.taken)]
        else:
            answer = share > 0
            if 0 < share < 1:
                self.others.append([*self.taken, False])
        self.taken.append(answer)
        self.probability *= share if answer else 1 - share
        return answer


def every_way(scheme: Callable[[Callable[[int, int], bool]], Any]) -> Iterator[tuple[Fraction, Any]]:
    """A scheme asks for yes with the probability of one whole number by another, again and again."""
    left: list[list[bool]] = [[]]
    while left:
        path = _Path(left.pop())
        result = scheme(path.chance)
        left += path.others
        yield path.probability, result
