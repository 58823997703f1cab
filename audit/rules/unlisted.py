"""Rules over cells that no row lists."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.linear.cells import Cells
from audit.model import Attribute, Policy, Release, Request, Threshold
from audit.rules.assess import assess
from audit.rules.facts import Facts
from audit.rules.sensitivity import Sensitivity


def assess_unlisted(release: Release, cells: Cells, policy: Policy) -> tuple[Sensitivity, NDArray[np.bool_]]:
    """What the rules say of cells of status `missing`, and which of them any rule could judge.

    A rule judges where its data are there: a threshold where it is known how many contribute (of a count: its value),
    the others where microdata give every contribution. The attribute rule is about whole lines of a table and says
    nothing of single combinations.

    Raises
    ------
    As `assess`.
    """
    rules = tuple(rule for rule in policy.primary if not isinstance(rule, Attribute))
    all_facts = Facts(release, cells)
    nobody = np.zeros(len(cells), np.bool_)
    covered = nobody if all_facts.contributions is None else all_facts.contributions.covered
    judged = nobody.copy()
    for rule in rules:
        facts = all_facts if isinstance(rule, Request) or rule.level == "holding" else all_facts.of_units
        if isinstance(rule, Threshold):
            known = facts.weighted(rule.count)[0] if rule.of == "weighted" else facts.frequency.known
            judged |= known & facts.concerned
        else:
            judged |= covered & (facts.concerned if isinstance(rule, Request) else facts.magnitudes)
    return assess(release, cells, replace(policy, primary=rules)), judged
