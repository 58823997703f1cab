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


@dataclass(frozen=True)
class Attack:
    """run: what the attack brings. lacking: what a release has none of on which the attack finds nothing to aim at."""

    run: Callable[[Subject], Outcome]
    lacking: str


ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "sums": Attack(sums, "changed counts"),
        "differences": Attack(differences, "categories that hold others and are not their sum"),
        "averaging": Attack(averaging, "changed counts"),
        "means": Attack(means, "statistics of changed counts"),
        "geographies": Attack(geographies, "areas that cover another one and reach beyond it"),
    }
)
"""In the order in which they are replayed."""
