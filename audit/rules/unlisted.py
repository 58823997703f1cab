"""Rules over cells that no row lists."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Attribute, Policy, Request, Threshold
from tableseal.audit.rules.assess import assess_facts
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.sensitivity import Sensitivity


def assess_unlisted(facts: Facts, policy: Policy) -> tuple[Sensitivity, NDArray[np.bool_]]:
    """What the rules say of cells of status `missing`, and which of them any rule could judge.

    A rule judges where its data are there: a threshold where it is known how many contribute or what they weigh (of a
    count that says so: its value), the others where microdata give every contribution. The attribute rule is about
    whole lines of a table and says nothing of single combinations.

    facts: of the cells; `counted` and `weighed` say which counts say so.

    Raises
    ------
    As `assess`.
    """
    rules = tuple(rule for rule in policy.primary if not isinstance(rule, Attribute))
    nobody = np.zeros(len(facts.cells), np.bool_)
    covered = nobody if facts.contributions is None else facts.contributions.covered
    judged = nobody.copy()
    for rule in rules:
        own = facts if isinstance(rule, Request) or rule.level == "holding" else facts.of_units
        if isinstance(rule, Threshold):
            known = own.weighted(rule.count)[0] if rule.of == "weighted" else own.frequency.known
            judged |= known & own.concerned
        else:
            judged |= covered & (own.concerned if isinstance(rule, Request) else own.magnitudes)
    return assess_facts(facts, replace(policy, primary=rules)), judged
