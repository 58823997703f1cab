"""All rules of a policy over all cells of a release."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Amounts, Policy, Release
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, around
from tableseal.audit.rules.registry import judged_by
from tableseal.audit.rules.sensitivity import Sensitivity
from tableseal.audit.wording import quoted, suggestion

_POLICY = Place("policy")


def assess(release: Release, cells: Cells, policy: Policy) -> Sensitivity:
    """Judge every cell by every rule of the policy, and add the protection distances given per cell.

    Parameters
    ----------
    release: for measures, variables, microdata and what the intruder knows.
    cells: the release's distinct cells, with what the tables give.
    policy: its `primary` rules, in the order in which they are to be named.

    Cells that are published by consent are judged by no rule, and nothing is required of them.

    Returns
    -------
    Which cells are sensitive by a rule, the first rule that says so, and the interval that must stay
    possible: the union of what the rules and the given distances require.

    Raises
    ------
    InputError: a rule lacks its data for a cell, a rule has a meaningless parameter, or a cell with given
        distances has no true value.
    LimitError: amounts beyond 2^62 units.
    """
    return assess_facts(Facts(release, cells), policy)


def assess_facts(facts: Facts, policy: Policy) -> Sensitivity:
    """`assess`, of what the agency knows of the cells."""
    release, cells = facts.release, facts.cells
    check_variables(policy, release.variables)
    judgements = [judged_by(rule, facts.at(rule.level)) for rule in policy.primary]
    sensitive = np.zeros(len(cells), dtype=np.bool_)
    first = np.zeros(len(cells), dtype=np.int64)
    for number, judgement in enumerate(judgements, start=1):
        by_rule = judgement.sensitive & ~cells.consent
        first[by_rule & ~sensitive] = number
        sensitive |= by_rule
    judgements.append(_given_distances(facts, sensitive))
    lower, upper = (Amounts(a.units, a.known & ~cells.consent) for a in _union(judgements))
    if release.intruder.knows_rule:
        # Nobody can be made to doubt what everybody knows.
        low, high = cells.known_lower, cells.known_upper
        lower = Amounts(np.where(low.known, np.maximum(lower.units, low.units), lower.units), lower.known)
        upper = Amounts(np.where(high.known, np.minimum(upper.units, high.units), upper.units), upper.known)
    rules = tuple(rule.name for rule in policy.primary)
    names = np.array([None, *rules], dtype=object)
    sliding, asked = cells.protection_sliding, sensitive | facts.marked
    width = Amounts(np.where(asked, sliding.units, 0), sliding.known & asked)
    return Sensitivity(sensitive, lower, upper, width, tuple(names[first].tolist()), rules)


def check_variables(policy: Policy, variables: Collection[str], where: Place = _POLICY) -> None:
    """Refuse rules that name variables which the release does not have; where: the policy.

    Raises
    ------
    InputError: names the rule, the variable, and those that there are.
    """
    for rule in policy.primary:
        for name in rule.variables:
            if name not in variables:
                expected = f"one of {', '.join(map(quoted, variables))}"
                text = f'rule "{rule.text}" is given the variable "{name}", which the release does not have'
                text += f"{suggestion(name, variables)}; expected {expected}."
                raise InputError(text, at=where, found=quoted(name), expected=expected)


def _given_distances(facts: Facts, sensitive: NDArray[np.bool_]) -> Judgement:
    """Protection distances given per cell, for the cells that are sensitive by rule or by status."""
    below, above = facts.cells.protection_lower, facts.cells.protection_upper
    required = (below.known | above.known) & (sensitive | facts.marked)
    lacking = np.flatnonzero(required & ~facts.value.known)
    if len(lacking):
        raise InputError(
            f"{facts.place(int(lacking[0]))}: the required protection is a distance from the true value, "
            'which is not known; add a column of true values and name it as "truth".',
            places=[place_of(facts.release, facts.cells, int(lacking[0]))],
        )
    return around(facts, np.zeros_like(sensitive), required, below.units, above.units)


def _union(judgements: list[Judgement]) -> tuple[Amounts, Amounts]:
    """Lowest lower and highest upper end of all that is required."""
    lower, upper = judgements[0].lower, judgements[0].upper
    for judgement in judgements[1:]:
        lower = _merged(lower, judgement.lower, np.minimum(lower.units, judgement.lower.units))
        upper = _merged(upper, judgement.upper, np.maximum(upper.units, judgement.upper.units))
    return lower, upper


def _merged(a: Amounts, b: Amounts, both: NDArray[np.int64]) -> Amounts:
    units = np.where(a.known & b.known, both, np.where(a.known, a.units, b.units))
    known = a.known | b.known
    return Amounts(np.where(known, units, 0), known)
