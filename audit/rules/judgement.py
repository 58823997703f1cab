"""What a rule says of every cell."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.naming import decimal
from tableseal.audit.model import Amounts
from tableseal.audit.rules.exact import percentage
from tableseal.audit.rules.facts import Facts


@dataclass(frozen=True)
class Judgement:
    """What one rule says of every cell.

    sensitive: bool (cells). lower, upper: ends of the interval it requires, in units; not known where it requires
    nothing.
    """

    sensitive: NDArray[np.bool_]
    lower: Amounts
    upper: Amounts


def unprotected(sensitive: NDArray[np.bool_]) -> Judgement:
    """A judgement that asks for nothing more than that sensitive cells are not disclosed exactly."""
    return Judgement(sensitive, Amounts.none(len(sensitive)), Amounts.none(len(sensitive)))


def around(
    facts: Facts,
    sensitive: NDArray[np.bool_],
    required: NDArray[np.bool_],
    below: NDArray[np.int64],
    above: NDArray[np.int64],
) -> Judgement:
    """A judgement that asks for distances below and above the true value of the cells in `required`.

    The lower end is cut at 0 where everyone knows that values are not negative, at one unit where everyone knows that
    withheld cells are not empty.
    """
    value = facts.value.units
    lower = value - np.where(required, below, 0)
    if facts.release.intruder.nonnegative:
        lower = np.maximum(lower, int(facts.release.intruder.nonempty))
    upper = value + np.where(required, above, 0)
    return Judgement(sensitive, Amounts(lower, required), Amounts(upper, required))


def percent_text(value: Fraction) -> str:
    """85, 0.3, 1/3."""
    return decimal(value, Fraction(1))


def percent_around(facts: Facts, rule: str, sensitive: NDArray[np.bool_], percent: Fraction | None) -> Judgement:
    """A judgement that asks for a percentage of the true value (rounded up to the unit) on each side; None:
    nothing.

    Raises
    ------
    InputError: a sensitive cell that must be judged has no true value.
    """
    if percent is None:
        return unprotected(sensitive)
    check(percent >= 0, rule, f"a protection_percent of {percent_text(percent)}", "0 or more")
    demand_value(facts, sensitive, rule)
    required = sensitive & facts.value.known
    distance = percentage(percent, np.abs(facts.value.units))
    return around(facts, sensitive, required, distance, distance)


def demand_value(facts: Facts, needed: NDArray[np.bool_], rule: str) -> None:
    """Refuse if one of the cells has no true value.

    Raises
    ------
    InputError: names the cell.
    """
    facts.demand(
        needed & ~facts.value.known,
        rule,
        "the true value",
        'add a column of true values and name it as "truth", or add microdata',
    )


def check(fine: bool, rule: str, found: str, expected: str) -> None:
    """Refuse a rule whose parameters make no sense.

    Raises
    ------
    InputError: names the rule, what was found and what was expected.
    """
    if not fine:
        raise InputError(f'policy: rule "{rule}" has {found}; expected {expected}.')
