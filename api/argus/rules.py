"""<SAFETYRULE> -> the policy that it is here, and what it says of single cells.

Of several P, NK (two and two), FREQ and REQ (one and one) the first are for individual contributors and the others for
holdings, each with its own numbers; one whose first number is 0 is off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from tableseal.audit.errors import InputError
from tableseal.audit.io.argus.commands import RuleCall, SafetyRule
from tableseal.audit.io.numbers import exact

_INDIVIDUAL: Final = {"P": 2, "NK": 2, "FREQ": 1, "REQ": 1, "ZERO": 1, "WGT": 1, "MIS": 1, "MAN": 1}
"""Rule -> how many of its calls are for individual contributors; as many more are for holdings."""
_OF_HOLDINGS: Final = ("P", "NK", "FREQ", "REQ")


@dataclass(frozen=True)
class Settings:
    """What a <SAFETYRULE> says.

    primary: rules as a policy says them. manual: percent of the value that must stay possible on each side of a cell
    that is unsafe by hand. zero: distance above a zero that somebody contributes to (None: it is safe). weighted:
    sampling weights count. missing_safe: cells with a missing code are safe. notes: what is not as it was there.
    """

    primary: tuple[dict[str, Any], ...] = ()
    manual: Fraction = Fraction(0)
    zero: Fraction | None = None
    weighted: bool = False
    missing_safe: bool = False
    request: bool = False
    notes: tuple[str, ...] = ()


def settings_of(said: SafetyRule | None, *, holdings: bool, counts: bool) -> Settings:
    """What a <SAFETYRULE> says; nothing: statuses decide.

    holdings: the data say who belongs to a holding; else individual contributors are all there are. counts: the table
    counts contributors.

    Raises
    ------
    InputError: too many calls of a rule, numbers that mean nothing, rules on contributions of a table of counts.
    """
    primary: list[dict[str, Any]] = []
    single: dict[str, Fraction] = {}
    notes: list[str] = []
    asked = False
    times: dict[str, int] = {}
    for call in said.rules if said is not None else ():
        number = times[call.name] = times.get(call.name, 0) + 1
        most = _INDIVIDUAL[call.name] * (2 if call.name in _OF_HOLDINGS else 1)
        if number > most:
            raise InputError(f"{call.name} is there {number} times, expected at most {most}.", at=call.at)
        if counts and call.name in ("P", "NK", "ZERO", "REQ"):
            raise InputError(f"{call.name} judges contributions, and the table counts contributors.", at=call.at)
        level = "unit" if holdings and number <= _INDIVIDUAL[call.name] else "holding"
        if call.name not in _OF_HOLDINGS:
            single[call.name] = _single(call)
            continue
        rule = _rule(call, notes)
        if rule is not None:
            primary.append(rule if level == "holding" or "request" in rule else rule | {"level": level})
            asked |= "request" in rule
    return Settings(
        tuple(_without_units(primary)),
        single.get("MAN", Fraction(0)),
        single.get("ZERO"),
        bool(single.get("WGT")),
        bool(single.get("MIS")),
        asked,
        tuple(notes),
    )


def _rule(call: RuleCall, notes: list[str]) -> dict[str, Any] | None:
    """As a policy says it; None: it is off."""
    first, *rest = call.numbers
    if not first:
        return None
    match call.name:
        case "P":
            coalition = _whole(call, rest[-1], "contributors who act together") if rest else 1
            q = rest[0] if len(rest) == 2 else Fraction(100)
            together = {"coalition": coalition} if coalition > 1 else {}
            if q == 100:
                return {"p_percent": exact(first), **together}
            return {"pq": {"p": exact(first), "q": exact(q)}, **together}
        case "NK":
            return {"dominance": {"n": _whole(call, first, "n"), "k": exact(rest[0])}}
        case "FREQ":
            return {"threshold": _whole(call, first, "frequency"), "protection_percent": exact(rest[0])}
    percent = min(call.numbers[:2])
    if call.numbers[0] != call.numbers[1]:
        notes.append(f"REQ has one percentage for all who ask; the smaller one, {exact(percent)}, is taken")
    if len(call.numbers) == 4 and call.numbers[2]:
        notes.append("REQ applies whatever the number of contributors")
    return {"request": {"percent": exact(percent)}, "protection_percent": exact(call.numbers[-1])}


def _without_units(rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rule for individuals and for holdings is one rule at each level; doubles are left out."""
    return [rule for at, rule in enumerate(rules) if rule not in rules[:at]]


def _single(call: RuleCall) -> Fraction:
    value = call.numbers[0]
    if call.name in ("WGT", "MIS") and value not in (0, 1):
        raise InputError(found=f"{call.name}({exact(value)})", expected="0 or 1", at=call.at)
    if value < 0:
        raise InputError(found=f"{call.name}({exact(value)})", expected="a number of at least 0", at=call.at)
    return value


def _whole(call: RuleCall, value: Fraction, what: str) -> int:
    if value.denominator != 1 or value < 1:
        expected = f"a whole number of at least 1 ({what})"
        raise InputError(found=f"{exact(value)} in {call.name}", expected=expected, at=call.at)
    return int(value)
