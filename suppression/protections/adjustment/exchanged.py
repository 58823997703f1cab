"""Changes of a part by exchanges: relations always hold, and cells are brought within their limits.

From no change at all, in which all relations hold, exchanges (`exchange_choice`) of any amount are made where they
bring cells nearer to what they need, or make changes smaller; some that do not, with a probability that falls with
what they cost for each unit moved, and with time (simulated annealing). So amounts of all sizes cool down together.
"""

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.amount_moves import Needs, exchange
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.exchange_choice import desk_of, places_of
from tableseal.suppression.protections.exchanges import spent_of
from tableseal.suppression.protections.grid import Grids

WARM = 1.0
"""What an exchange may cost at first for each unit that it moves, in mean costs of a cell, about."""

PRICE, DEAREST = 0.3, 4.0
"""Of a unit by which a cell is outside its limits, in what one unit costs in all cells of an exchange."""

TRIES, TIMED = 200, 5
"""Of each cell, in the mean; times so many, at most, where a time limit ends them (turnover of 979 cells: changes of
61,000; with 500 in place of 200, 58,700; bound of the linear program 53,491)."""

ROUNDS, AT_ONCE = 40, 200_000
"""Steps of cooling down, at least; tries between two looks at the clock, at most."""

AFTERWARDS, WHILE_WARM = 20, 0.9
"""Rounds without warmth for cells that are still outside; of a time limit, what is for all others."""


def exchanged(part: Part, grids: Grids, limits: Limits, say: Progress) -> tuple[Ints, Ints]:
    """int64 (cells), whole changes with which all relations hold; int64: cells that are not within their limits.

    Always the same, unless a time limit makes it faster. part: a whole one. grids: of its cells, in their order.
    """
    run, moves = Runner(compiled=True), part.moves
    least, most = moves.within(np.where(moves.up, 1, -1))
    least, most = np.where(moves.open, -moves.down_most, least), np.where(moves.open, moves.up_most, most)
    low = np.where(moves.open, -moves.down_least, least) - least
    high = np.where(moves.open, moves.up_least, least) - least
    step = -least
    wrong = (step < 0) | (step > most - least) | ((low < step) & (step < high))
    places = run.arrays(places_of(step, most - least, wrong, 1))
    needs, own, desk = run.arrays(Needs(-least, low, high, part.weights)), run.arrays(grids), desk_of(grids)
    warm, k, cooled = limits.share(WHILE_WARM), 0, 0.0
    whole = warm.seconds_left()
    times = TIMED if np.isfinite(whole) else 1
    rounds = times * max(ROUNDS, TRIES * len(part) // AT_ONCE)
    tries = times * TRIES * len(part) // rounds
    while cooled < 1 or (places.told[0] and k < rounds + AFTERWARDS and limits.seconds_left() > 0):
        price = PRICE * (DEAREST / PRICE) ** min(1.0, 2 * cooled)
        run(exchange, own, places, needs, desk, tries, price, WARM * (1 - cooled) ** 2)
        k += 1
        spent = spent_of(warm, whole)
        if spent >= k / rounds:
            limits.reached.add("time")
        cooled = min(1.0, max(k / rounds, spent))
        say("sensitive cells that have not moved enough", int(places.told[0]), len(part))
    outside: Ints = np.sort(places.wrong[: places.told[0]])
    return places.step + least, outside
