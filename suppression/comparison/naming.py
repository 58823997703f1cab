"""Methods as a comparison names them: patterns by their name, methods that change values with their settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, get_args, get_origin, get_type_hints

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Release
from tableseal.audit.wording import quoted, suggestion
from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.methods import METHODS as CHANGING
from tableseal.suppression.protections.methods import settings_of
from tableseal.suppression.search.method import Search
from tableseal.suppression.search.methods import METHODS, method_named
from tableseal.suppression.search.rank import Budget, Rank

SHORT: Mapping[str, str] = {"rounding": "random-rounding"}
"""Short names: `rounding:5` is random-rounding to base 5."""

EITHER, SEVERAL, TOGETHER = "|", ";", "+"
"""Between values that are compared (`rate=0.1|0.2`), between several values of one setting (`rate=0.1;0.2`), and
between variables of a profile (`similar=age+sex`): commas are taken."""

PROFILES = "similar"
"""The setting whose values are lists of variables."""

_OPTION = OptionName("methods")


@dataclass(frozen=True)
class Changing:
    """A method that changes values, by its settings (see `suppression.protections.methods`)."""

    settings: object


def names_in(text: str) -> list[str]:
    """The methods of a list with commas; settings, which hold `=`, belong to the method before them.

    Examples
    --------
    >>> names_in("optimal, cell-key:range=5,variance=3,rounding:3")
    ['optimal', 'cell-key:range=5,variance=3', 'rounding:3']
    """
    found: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if found and "=" in part and ":" not in part:
            found[-1] += f",{part}"
        elif part:
            found.append(part)
    return found


def each_value(name: str) -> list[str]:
    """A method with `|` between values of its settings, as one method for each of them, the last setting fastest.

    Examples
    --------
    >>> each_value("perturbation:stay=0.4|0.6,reach=2|4")[1:3]
    ['perturbation:stay=0.4,reach=4', 'perturbation:stay=0.6,reach=2']
    >>> each_value("random-rounding:3|5")
    ['random-rounding:3', 'random-rounding:5']
    """
    word, behind, said = name.partition(":")
    if EITHER not in said:
        return [name]
    settings = []
    for part in said.split(","):
        key, sign, value = part.partition("=")
        first, values = (f"{key}{sign}", value) if sign else ("", part)
        settings.append([f"{first}{one.strip()}" for one in values.split(EITHER)])
    return [f"{word}{behind}{','.join(chosen)}" for chosen in product(*settings)]


def named_methods(
    names: Sequence[str], release: Release | None, budget: Budget, margins: bool
) -> dict[str, Search | Changing]:
    """What each name stands for: a search for a pattern, or the settings of a method that changes values.

    release: None: only what is wrong for every release is looked at. budget, margins: of searches for rank.

    Raises
    ------
    InputError: no name, one twice, one of no method; settings that are none, a base that is none for this release.
    """
    if not names:
        text = f"no method to compare; expected some of {', '.join(METHODS)}, {', '.join(_written())}."
        raise InputError(text, at=_OPTION)
    found: dict[str, Search | Changing] = {}
    for name in (one for several in names for one in each_value(several)):
        if name in found:
            raise InputError(f'method "{name}" is named twice.', at=_OPTION)
        word = SHORT.get(name.partition(":")[0], name.partition(":")[0])
        if word in CHANGING:
            found[name] = Changing(_settings(name, word, release))
        else:
            search = method_named(name, _OPTION.name, _written())
            found[name] = replace(search, budget=budget, margins=margins) if isinstance(search, Rank) else search
    return found


def _written() -> list[str]:
    """How methods that change values are written."""
    based = [name for name, method in CHANGING.items() if issubclass(method.settings, RoundingSettings)]
    return [
        *(f"{name}:BASE" for name in (*SHORT, *based)),
        *(f"{n}:NAME=VALUE,..." for n in CHANGING if n not in based),
    ]


def _settings(name: str, word: str, release: Release | None) -> object:
    """The settings behind a name.

    Raises
    ------
    InputError: that are none; says the name.
    """
    hints = get_type_hints(CHANGING[word].settings)
    given: dict[str, Any] = {}
    _, behind, said = name.partition(":")
    for part in said.split(",") if behind else ():
        key, sign, value = part.partition("=")
        key, value = (key.strip().replace("-", "_"), value) if sign else ("base", part)
        if not sign and key not in hints:
            text = f"{quoted(part)} stands alone; write NAME=VALUE, with the settings {', '.join(hints)}."
            raise InputError(text, at=replace(_OPTION, given=name))
        if key not in hints:
            hint = suggestion(key, hints)
            text = f"there is no setting {quoted(key)}{hint}; settings are {', '.join(hints)}."
            raise InputError(text, at=replace(_OPTION, given=name))
        text = value.strip().replace(TOGETHER, ",") if key == PROFILES else value.strip()
        given[key] = _value(name, hints[key], text)
    try:
        settings = settings_of(word, given)
        if release is not None and isinstance(settings, RoundingSettings):
            settings.units(release)
    except InputError as error:
        own = error.option is not None and error.option.name != "base"  # a base stands alone behind the name
        found = "" if error.found is None or not own else f"found {error.found}, "
        wanted = f"{found}expected {error.expected}." if error.expected else str(error)
        wanted = f"{error.option}: {wanted}" if own and error.expected else wanted
        raise InputError(wanted, at=replace(_OPTION, given=name)) from None
    return settings


def _value(name: str, hint: Any, text: str) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_value(name, get_args(hint)[0], one.strip()) for one in text.split(SEVERAL))
    kinds = get_args(hint) or (hint,)
    if bool in kinds:
        if text not in ("yes", "no"):
            raise InputError(found=quoted(text), expected="yes or no", at=replace(_OPTION, given=name))
        return text == "yes"
    if int in kinds and Fraction not in kinds:
        try:
            return int(text)
        except ValueError:
            at = replace(_OPTION, given=name)
            raise InputError(found=quoted(text), expected="a whole number", at=at) from None
    return text
