"""Controlled tabular adjustment: the nearest tables that add up in which every sensitive cell moves far enough.

A sensitive cell goes up or down by at least its protection level; all others move as little as possible so that all
tables add up. Readers are told by how much a published value may differ from the true one: a share of it.

What is published lies between the true table v and its mirror 2 x - v, which adds up like v, differs from x by the same
amounts and, as limits are shares of what is published, fits all that readers are told. So nobody can tell which of the
two is true, not even who knows that sensitive cells moved by at least their level: what stays possible of a sensitive
cell spans twice its move.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from tableseal.audit.errors import InputError, LimitError, OptionName
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.linear.naming import decimal, place_of, plural
from tableseal.audit.model import Amounts, Policy, Release, Rounding
from tableseal.audit.model.amounts import LIMIT
from tableseal.suppression.protections.adjustment.choose import Chosen, choose
from tableseal.suppression.protections.adjustment.limits import known_upper, moves_of, refuse_zeros
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.parts import parts
from tableseal.suppression.protections.adjustment.weights import WORDS, Cost, weights_of
from tableseal.suppression.protections.grid import Grids, grids_of
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class TabularAdjustment:
    """share: a published value differs from the true one by at most this share of itself. range: or by at most this, in
    the measures' own numbers. cost: what a change by one unit costs: 1 (unit), less the larger the value (inverse), or
    what the release says (column)."""

    share: Fraction
    range: int = 0
    cost: Cost = "unit"

    def __post_init__(self) -> None:
        if not 0 < self.share < 1 or (self.share * 10**6).denominator != 1:
            expected = "above 0 and below 1, with at most 6 decimals"
            raise InputError(expected=expected, at=OptionName("share", decimal_text(self.share)))
        if self.range < 0:
            raise InputError(expected="0 or more", at=OptionName("range", str(self.range)))
        if self.cost not in WORDS:
            raise InputError(found=f'"{self.cost}"', expected=f"one of {', '.join(WORDS)}", at=OptionName("cost"))

    def units(self, release: Release) -> dict[str, int]:
        """The range in units of each measure.

        Raises
        ------
        InputError: beyond what values can be.
        """
        found = {name: int(Fraction(self.range) // measure.unit) for name, measure in release.measures.items()}
        for name, units in found.items():
            if units > LIMIT:
                expected = f"at most {decimal(LIMIT, release.measures[name].unit)}"
                raise InputError(expected=expected, at=OptionName("range", str(self.range)))
        return found


def adjust(subject: Subject, settings: TabularAdjustment, tools: Tools) -> Changed:
    """Nothing is drawn: the same release gives the same tables, but for a time limit.

    Raises
    ------
    InputError: values that may be negative, a sensitive cell that cannot move far enough within the limits, or no table
        that adds up within them. LimitError: none was found in time.
    """
    subject.refuse_negative("tabular-adjustment")
    units = settings.units(subject.release)
    reach, sensitivity = subject.bases(units), subject.sensitivity(tools.policy)
    rules = tools.policy or subject.release.policy or Policy()
    refuse_zeros(subject, sensitivity, protection=rules.require.protection)
    moves = moves_of(subject, sensitivity, settings.share, reach)
    moved, found = np.zeros(len(subject.equations.value), np.int64), []
    weights = weights_of(subject, settings.cost)
    pieces = parts(subject, moves, weights)
    for k, (cells, part) in enumerate(pieces):
        tools.progress("parts", k, len(pieces))
        chosen = choose(part, partial(grids_behind, subject, cells), tools.limits, tools.progress)
        if chosen.moved is None:
            _refuse(subject, cells, part, chosen)
        else:
            moved[cells] = chosen.moved
            found.append(chosen)
    mirrored = _mirrored(subject, moved)
    moved = moved[: len(subject.cells)]
    shown = subject.value + moved
    best = Optimised(
        "optimal" if all(chosen.optimal for chosen in found) else "feasible",
        int((np.abs(moved) * weights).sum()),
        sum(chosen.bound for chosen in found),
        MIRROR if mirrored else "",
        WORDS[settings.cost],
    )
    which = moves.sensitive
    return Changed(
        shown=Amounts(shown, np.ones(len(shown), np.bool_)),
        rounding=lambda table: Rounding(1, "adjusted", (), units[table.measure], share=settings.share),
        additive=True,
        optimised=best,
        upper=known_upper(shown, reach) if reach.any() else None,
        details=(
            f"{plural(int(which.sum()), 'sensitive cell')}: {(moved[which] > 0).sum():,} up, "
            f"{(moved[which] < 0).sum():,} down; {(~which & (moved != 0)).sum():,} other cells moved",
        ),
    )


MIRROR = (
    "Proved: the table as far on the other side of the published one fits all that readers know, too; what stays "
    "possible of a sensitive cell spans twice its change, also for those who know that it moved by at least its level"
)


def _mirrored(subject: Subject, moved: Ints) -> bool:
    """Whether the mirror of the true table could be true, for all that everybody knows. moved: int64 (columns of the
    equations)."""
    cells, equations = subject.cells, subject.equations
    mirror = equations.value + 2 * moved
    low, high, own = cells.known_lower, cells.known_upper, mirror[: len(cells)]
    known = (~low.known | (own >= low.units)) & (~high.known | (own <= high.units))
    sums = equations.matrix @ mirror
    fits = (sums >= equations.lower) & (sums <= equations.upper)
    return bool(known.all() and fits.all() and (mirror >= 0).all())


def grids_behind(subject: Subject, cells: Ints) -> Grids | None:
    """Of cells that hang together, then base cells that no table lists; None: they make no grids."""
    n = len(subject.cells)
    unlisted = subject.equations.further[cells[cells >= n] - n]
    return grids_of(
        subject.system, subject.cells.codes, subject.cells.measure.astype(np.int64), cells[cells < n], unlisted
    )


def _refuse(subject: Subject, cells: Ints, part: Part, chosen: Chosen) -> None:
    lacking = cells[chosen.lacking]
    lacking = lacking[lacking < len(subject.cells)]
    if not chosen.infeasible:
        text = "no table that adds up, in which sensitive cells move far enough, was found"
        if len(lacking):
            place = place_of(subject.release, subject.cells, int(lacking[0]))
            text += f"; of {plural(len(lacking), 'cell')}, the first {place}, no change within the limits was"
        raise LimitError(f"{text}; give more time, or say a larger share or range.")
    if len(lacking):
        text = "no table within these limits adds up: what sensitive cells have to move leaves no change to this cell"
        raise InputError(
            f"{text} (proved); say a larger share or range.",
            at=place_of(subject.release, subject.cells, int(lacking[0])),
        )
    which = cells[part.moves.sensitive]
    more = f" and of {plural(len(which) - 1, 'sensitive cell')} that hang together with it" if len(which) > 1 else ""
    text = f"no table within these limits adds up with the changes of this cell{more}; say a larger share or range."
    raise InputError(text, at=place_of(subject.release, subject.cells, int(which[0])))
