"""Which code of a classification is its total: by its name or by arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.errors import InputError
from audit.io.numbers import decimal_text
from audit.io.wording import listing, quoted

NAMES = frozenset(
    ("total", "t", "tot", "all", "_t", "sum", "insgesamt", "gesamt", "ensemble", "totale", "i alt", "totalt")
)
"""Codes that name a total in data files, compared without regard to case."""


@dataclass(frozen=True)
class Check:
    """Sums compared for one candidate: how many agreed, and the first that did not."""

    agreed: int
    failure: str | None


def find_total(
    source: str,
    variable: str,
    classifications: Mapping[str, Sequence[str]],
    values: Sequence[Fraction | None],
) -> tuple[str | None, str]:
    """The total of one classification and the reason for taking it, or (None, reason).

    Parameters
    ----------
    classifications: variable -> code of each row.
    values: published value of each row, None where it is withheld or not known.

    Raises
    ------
    InputError: the code that is called a total is not the sum of the others, or several codes could be the total.
    """
    others = [codes for name, codes in classifications.items() if name != variable]
    lines: dict[tuple[str, ...], dict[str, Fraction | None]] = {}
    for row, code in enumerate(classifications[variable]):
        lines.setdefault(tuple(codes[row] for codes in others), {})[code] = values[row]
    codes = list(dict.fromkeys(classifications[variable]))
    named = [code for code in codes if code.strip().casefold() in NAMES]
    checks = {code: _check(code, lines) for code in named or codes}
    fitting = [code for code, check in checks.items() if check.agreed and check.failure is None]
    advice = f"write a release file whose variable {variable} says `total:` (and `tree:` if its codes are nested)"
    if len(named) == 1 and checks[named[0]].failure is not None:
        raise InputError(
            f"{source}, column {quoted(variable)}: code {quoted(named[0])} is called a total but is not the sum of "
            f"the other codes ({checks[named[0]].failure}); {advice}."
        )
    if len(named) == 1:
        reason = "its name" + (", and it is the sum of the others" if fitting else "; no sum could be checked")
        return named[0], reason
    if len(fitting) > 1 or (len(named) > 1 and not fitting):
        raise InputError(
            f"{source}, column {quoted(variable)}: several codes may be the total "
            f"({listing(fitting or named)}); {advice}."
        )
    if not fitting:
        return None, "no code is the sum of the others"
    if not named and checks[fitting[0]].agreed < 2:
        raise InputError(
            f"{source}, column {quoted(variable)}: code {quoted(fitting[0])} equals the sum of the other codes, but "
            f"only once, which may be chance; {advice}."
        )
    return fitting[0], "it is the sum of the others"


def _check(code: str, lines: Mapping[tuple[str, ...], Mapping[str, Fraction | None]]) -> Check:
    agreed, failure = 0, None
    for line in lines.values():
        total = line.get(code)
        parts = [value for other, value in line.items() if other != code]
        known = [value for value in parts if value is not None]
        if total is None or len(parts) < 2 or len(known) < len(parts):
            continue
        expected = sum(known, Fraction())
        if expected != total:
            failure = failure or f"expected {decimal_text(expected)}, found {decimal_text(total)}"
        elif total:
            agreed += 1
    return Check(agreed, failure)
