"""Rules over cells that no row lists."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Policy
from tableseal.audit.rules.assess import assess_facts
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.sensitivity import Sensitivity


def assess_unlisted(facts: Facts, policy: Policy) -> tuple[Sensitivity, NDArray[np.bool_]]:
    """What the rules say of cells of status `missing`, and which of them any rule could judge.

    A rule judges where its data are there: a threshold where it is known how many contribute or what they weigh (of a
    count that says so: its value), the others where microdata give every contribution. Rules about whole
    lines of a table (attribute) say nothing of single combinations.

    facts: of the cells; `counted` and `weighed` say which counts say so.

    Raises
    ------
    As `assess`.
    """
    rules = tuple(rule for rule in policy.primary if not rule.of_lines)
    judged = np.zeros(len(facts.cells), np.bool_)
    for rule in rules:
        own = facts.at(rule.level)
        judged |= own.of_kinds(rule.kinds) & (own.covered if rule.of_records else rule.known(own))
    return assess_facts(facts, replace(policy, primary=rules)), judged
