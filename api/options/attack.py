"""Options of `tableseal attack`."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le, MaxLen

from tableseal.api.options.option import Option, Options
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.language import words_of
from tableseal.audit.wording import quoted

if TYPE_CHECKING:
    from tableseal.audit.attacks.replay import AttackSettings

MEANINGS = words_of(
    {
        "sums": "parts against totals, all intervals together",
        "differences": "nested or shifted categories",
        "averaging": "many estimates of one count",
        "means": "statistics beside counts",
        "geographies": "areas that cover others",
    }
)
"""Attack -> what it does."""


@dataclass(frozen=True, kw_only=True)
class AttackOptions(Options):
    """What may be said about attacks besides the release."""

    attacks: Annotated[
        tuple[str, ...],
        Option("Only this attack.", metavar="NAME", choices=MEANINGS, names=("--with", "--attacks")),
    ] = ()
    curve: Annotated[
        bool,
        Option(
            "How wide the range of changes would have to be, by drawing changes anew.",
            off="Leave out how wide the range of changes would have to be.",
        ),
    ] = True
    tolerate: Annotated[
        str | None,
        Option("Share of counts that may come back, for the curves (default: 0).", metavar="SHARE"),
        MaxLen(40),
    ] = None
    widest: Annotated[int, Option("Widest range that is tried.", metavar="D"), Ge(1), Le(10_000)] = 24
    draws: Annotated[int, Option("Draws of changes for each range.", metavar="N"), Ge(1), Le(1_000)] = 5
    seed: Annotated[int, Option("Seed of the draws.", metavar="S"), Ge(0)] = 0

    time_limit: Annotated[
        float | None, Option("Seconds after which bounds stay as they are and curves end.", metavar="S"), Ge(0)
    ] = None

    def settings(self) -> "AttackSettings":
        """How attacks are replayed.

        Raises
        ------
        InputError: a share that is none.
        """
        from tableseal.audit.attacks.replay import AttackSettings

        return AttackSettings(
            attacks=self.attacks,
            tolerated=_share(self.tolerate),
            curve=self.curve,
            widest=self.widest,
            draws=self.draws,
            seed=self.seed,
            time_limit=self.time_limit,
        )


def _share(text: str | None) -> Fraction:
    from tableseal.audit.io.numbers import decimal

    try:
        share = decimal(text or "0")
    except ValueError:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(found=quoted(text), expected="a share from 0 to 1", at=OptionName("tolerate"))
    return share
