"""The methods that change values, by name."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import Any, get_args, get_type_hints

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.numbers import rational
from tableseal.audit.wording import quoted, suggestion
from tableseal.suppression.protections.cell_key import change_by_cell_keys
from tableseal.suppression.protections.cell_key_magnitudes import change_magnitudes
from tableseal.suppression.protections.cell_keys.magnitude_settings import MagnitudeKeySettings
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings
from tableseal.suppression.protections.controlled_rounding import ControlledRounding, round_controlled
from tableseal.suppression.protections.conventional_rounding import ConventionalRounding, round_conventionally
from tableseal.suppression.protections.method import Method
from tableseal.suppression.protections.noise import Noise, add_noise
from tableseal.suppression.protections.perturbation.categories import PostRandomisation, post_randomise
from tableseal.suppression.protections.perturbation.counts import perturb
from tableseal.suppression.protections.perturbation.settings import Perturbation
from tableseal.suppression.protections.random_controlled_rounding import (
    RandomControlledRounding,
    round_controlled_at_random,
)
from tableseal.suppression.protections.random_rounding import RandomRounding, round_at_random
from tableseal.suppression.protections.redesign.redesign import Redesign, redesign
from tableseal.suppression.protections.sampling import Sampling, sample_records
from tableseal.suppression.protections.semi_controlled_rounding import SemiControlledRounding, round_semi_controlled
from tableseal.suppression.protections.small_count_rounding import SmallCountRounding, round_small_counts
from tableseal.suppression.protections.statement import written
from tableseal.suppression.protections.swapping.swap import RecordSwapping, swap
from tableseal.suppression.protections.synthetic import Synthetic, synthesise
from tableseal.suppression.protections.tabular_adjustment import TabularAdjustment, adjust

METHODS: Mapping[str, Method] = {
    "conventional-rounding": Method(round_conventionally, ConventionalRounding, draws=False, decided=True),
    "controlled-rounding": Method(round_controlled, ControlledRounding, draws=False, decided=True),
    "perturbation": Method(perturb, Perturbation, draws=True),
    "post-randomisation": Method(post_randomise, PostRandomisation, draws=True),
    "random-controlled-rounding": Method(round_controlled_at_random, RandomControlledRounding, draws=True),
    "random-rounding": Method(round_at_random, RandomRounding, draws=True),
    "record-swapping": Method(swap, RecordSwapping, draws=True),
    "sampling": Method(sample_records, Sampling, draws=True),
    "semi-controlled-rounding": Method(round_semi_controlled, SemiControlledRounding, draws=True),
    "small-count-rounding": Method(round_small_counts, SmallCountRounding, draws=False, decided=True),
    "noise": Method(add_noise, Noise, draws=True),
    "tabular-adjustment": Method(adjust, TabularAdjustment, draws=False),
    "cell-key": Method(change_by_cell_keys, CellKeySettings, draws=False),
    "redesign": Method(redesign, Redesign, draws=False),
    "cell-key-magnitudes": Method(change_magnitudes, MagnitudeKeySettings, draws=False),
    "synthetic": Method(synthesise, Synthetic, draws=True),
}
"""A new method is a file beside this one, its line here and its words in `names`."""


LARGEST = 10**15
"""No number among settings is larger, and no fraction of one has a larger denominator."""


def method_named(name: str) -> Method:
    """The method of that name.

    Raises
    ------
    InputError: there is none.
    """
    if name not in METHODS:
        text = f"there is no such method{suggestion(name, METHODS)}; methods are {', '.join(METHODS)}."
        raise InputError(text, at=OptionName("method", name))
    return METHODS[name]


def method_of(settings: object) -> tuple[str, Method]:
    """The method whose settings these are, with its name.

    Raises
    ------
    TypeError: settings of none.
    """
    for name, method in METHODS.items():
        if type(settings) is method.settings:
            return name, method
    raise TypeError(f"{type(settings).__name__}: settings of no method that changes values")


def settings_of(name: str, given: Mapping[str, Any]) -> object:
    """The settings of a method from options; those that are None, or empty, were not said.

    Raises
    ------
    InputError: there is no such method, an option that the method does not have, one that it needs, no number.
    """
    settings = method_named(name).settings
    hints = get_type_hints(settings)
    said = {option: value for option, value in given.items() if value not in (None, ())}
    for option, value in said.items():
        if option not in hints:
            owners = ", ".join(other for other, m in METHODS.items() if option in get_type_hints(m.settings))
            raise InputError(f"is for {owners}.", at=OptionName(option, written(value)))
    for field in fields(settings):
        if field.default is MISSING and field.name not in said:
            raise InputError("needs ", OptionName(field.name), ".", at=OptionName("method", name))
    return settings(**{option: _as(hints[option], option, value) for option, value in said.items()})


def _as(hint: Any, option: str, value: Any) -> Any:
    """Numbers that are written as text, exactly; none is beyond what can be reckoned with.

    Raises
    ------
    InputError: no number, or one that is too large or too fine.
    """
    if isinstance(value, tuple | list):
        return tuple(_as(get_args(hint)[0], option, one) for one in value)
    if isinstance(value, str) and Fraction in (hint, *get_args(hint)):
        try:
            value, said = rational(value), value
        except ValueError:
            raise InputError(found=quoted(value), expected="a number", at=OptionName(option)) from None
        if abs(value) > LARGEST or value.denominator > LARGEST:
            expected = "a number between -10^15 and 10^15, with at most 15 decimals"
            raise InputError(found=quoted(said), expected=expected, at=OptionName(option))
    elif isinstance(value, int) and abs(value) > LARGEST:
        raise InputError(expected=f"at most {LARGEST:,}", at=OptionName(option, str(value)))
    return value
