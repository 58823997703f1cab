"""The attacks by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tableseal.audit.attacks.averaging import averaging
from tableseal.audit.attacks.differences import differences
from tableseal.audit.attacks.geographies import geographies
from tableseal.audit.attacks.means import means
from tableseal.audit.attacks.outcome import Outcome
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.attacks.sums import sums
from tableseal.audit.language import words_of


@dataclass(frozen=True)
class Attack:
    """run: what the attack brings. lacking: what a release has none of on which the attack finds nothing to aim at."""

    run: Callable[[Subject], Outcome]
    lacking: str


_COUNTS, _CATEGORIES, _STATISTICS, _AREAS = words_of(
    (
        "changed counts",
        "categories that hold others and are not their sum",
        "statistics of changed counts",
        "areas that cover another one and reach beyond it",
    )
)

ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "sums": Attack(sums, _COUNTS),
        "differences": Attack(differences, _CATEGORIES),
        "averaging": Attack(averaging, _COUNTS),
        "means": Attack(means, _STATISTICS),
        "geographies": Attack(geographies, _AREAS),
    }
)
"""In the order in which they are replayed."""
