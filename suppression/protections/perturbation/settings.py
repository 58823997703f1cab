"""What is said of a perturbation of counts, and the matrix that follows from it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import decimal
from tableseal.audit.model import Release
from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.protections.perturbation.draws import Draws

Margins = Literal["added", "restored", "apart"]

LARGEST_REACH = 1_000


@dataclass(frozen=True)
class Perturbation:
    """How counts are perturbed.

    Attributes
    ----------
    stay, reach: of the built-in matrix (see `Counts.spread`); a release with a matrix of its own (`transition`) needs
        neither.
    invariant: the matrix is made invariant, so that as many cells are expected to have each count as before.
    draws: quotas: as many cells as expected go from one count to another; independent: each cell on its own.
    margins: added: inner cells are perturbed, and all others are added up from them. restored: inner cells are then
        fitted to the true values of all others, which are published. apart: every published cell on its own.
    by: a variable; cells of each of its codes have a matrix and quotas of their own.
    """

    stay: Fraction | None = None
    reach: int | None = None
    invariant: bool = True
    draws: Draws = "quotas"
    margins: Margins = "added"
    by: str | None = None

    def __post_init__(self) -> None:
        check_stay(self.stay)
        check_draws(self.draws, made_invariant=self.invariant)
        if self.margins not in get_args(Margins):
            raise InputError(expected=" or ".join(get_args(Margins)), at=OptionName("margins", self.margins))
        if self.reach is not None and not 1 <= self.reach <= LARGEST_REACH:
            raise InputError(expected=f"from 1 to {LARGEST_REACH:,}", at=OptionName("reach", str(self.reach)))

    def matrix(self, release: Release) -> Counts:
        """How counts change.

        Raises
        ------
        InputError: neither a matrix nor what makes the built-in one, or both.
        """
        own = release.transition
        for name in ("stay", "reach"):
            said = getattr(self, name) is not None
            if said and own is not None:
                text = "the release has a matrix of its own (`transition`); leave one of them out."
                raise InputError(text, at=OptionName(name))
            if not said and own is None:
                text = ", or the release a matrix of its own (`transition`)."
                raise InputError("needs ", OptionName(name), text, at=OptionName("method", "perturbation"))
        if own is not None:
            return Counts(own.rows, own.cycle)
        assert self.stay is not None
        assert self.reach is not None
        return Counts.spread(self.stay, self.reach)


def check_stay(share: Fraction | None) -> None:
    """Refuse what is no probability of staying, or 1.

    Raises
    ------
    InputError: it is.
    """
    if share is not None and not 0 <= share < 1:
        raise InputError(expected="a share from 0 to below 1", at=OptionName("stay", decimal(1, share)))


def check_draws(draws: str, *, made_invariant: bool) -> None:
    """Refuse a way to draw that there is not, and quotas of a matrix that is not invariant.

    Raises
    ------
    InputError: it is one.
    """
    if draws not in get_args(Draws):
        raise InputError(expected=" or ".join(get_args(Draws)), at=OptionName("draws", draws))
    if draws == "quotas" and not made_invariant:
        text = "quotas, which keep how many there are of each, need an invariant matrix; say "
        raise InputError(text, OptionName("draws", "independent"), ".", at=OptionName("invariant", "no"))
