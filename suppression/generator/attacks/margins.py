"""Sums against totals: all margins are asked for, and everything is bounded together.

Parts and totals are changed independently of each other, so that together they leave less than each alone: the attack
by which tables of a census were reconstructed from what was published of them (arXiv 2312.11283).
"""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from tableseal.audit.hypercube.question import Grouping, Question
from tableseal.suppression.generator.attacks.bounds import bounded
from tableseal.suppression.generator.attacks.user import Claim, Target, User


def margins(user: User, targets: Sequence[Target], random: np.random.Generator) -> list[Claim]:
    """Every table by every set of variables and of their levels, the small ones first."""
    levels = [
        [Grouping(v, one.codes, one.of_leaf) for one in variable.levels] for v, variable in enumerate(user.variables)
    ]
    questions = [
        Question(axes)
        for number in range(1, len(levels) + 1)
        for chosen in combinations(levels, number)
        for axes in product(*chosen)
    ]
    for question in sorted(questions, key=lambda one: one.size):
        user.ask(question)
    return bounded(user, targets)
