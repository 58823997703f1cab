"""All tables of whole numbers that fit sums of cells: counted up to a limit, and the least value of every cell.

Intervals of cells are narrowed by the sums until nothing changes; what is left falls into parts that have no sum in
common. In each part values are tried for one cell after the other, row by row, smallest first, with everything narrowed
after each (a search in depth that takes back what it tried). Rows are those of the finest table: of a two-way table
what is left of the columns then always fits the rows that are left, so nothing is tried in vain. A cell whose least
value is not shown by tables found so far is asked for by itself: is there a table in which it is smaller?
"""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import integers


class Sums(NamedTuple):
    """The system of an area: cells x >= 0, each of whose sums over a row is a published count.

    start, cells: those of row r are cells[start[r]:start[r + 1]]. at, rows: those of cell c are rows[at[c]:at[c + 1]].
    value: of each row. low, high: of each cell, what is known. least, most: of each row, the sums of these.
    column, old_low, old_high: what was changed, in order, so that it can be taken back; used[0]: how much of it. queue,
    waiting: rows that are to be looked at again.
    """

    start: Cells
    cells: Cells
    at: Cells
    rows: Cells
    value: Cells
    low: Cells
    high: Cells
    least: Cells
    most: Cells
    column: Cells
    old_low: Cells
    old_high: Cells
    used: Cells
    queue: Cells
    waiting: Cells


COUNT, NODES, COMPLETE = 0, 1, 2
"""Of a search: tables found, values tried, 1 if that are all tables."""


@kernel
def narrow(s: Sums, cell: int, low: int, high: int, queued: int) -> int:
    """Change what is known of a cell; gives the new number of waiting rows."""
    used = s.used[0]
    s.column[used], s.old_low[used], s.old_high[used] = cell, s.low[cell], s.high[cell]
    s.used[0] = used + 1
    up, down = low - s.low[cell], high - s.high[cell]
    s.low[cell], s.high[cell] = low, high
    for k in range(s.at[cell], s.at[cell + 1]):
        row = s.rows[k]
        s.least[row] += up
        s.most[row] += down
        if s.waiting[row] == 0:
            s.waiting[row] = 1
            s.queue[queued] = row
            queued += 1
    return queued


@kernel
def settle(s: Sums, queued: int) -> int:
    """Narrow until nothing changes; 0 if no table is left. queued: waiting rows."""
    possible = 1
    while queued > 0:
        queued -= 1
        row = s.queue[queued]
        s.waiting[row] = 0
        room, need = s.value[row] - s.least[row], s.most[row] - s.value[row]
        if room < 0 or need < 0:
            possible = 0
        if possible == 0:
            continue  # only to leave no row waiting
        for k in range(s.start[row], s.start[row + 1]):
            cell = s.cells[k]
            low, high = s.low[cell], s.high[cell]
            if high - low > room or high - low > need:
                queued = narrow(s, cell, max(low, high - need), min(high, low + room), queued)
                # Its own row has changed, too; it waits again, and its room and need are the same until then.
                if s.low[cell] > s.high[cell]:
                    possible = 0
                    break
    return possible


@kernel
def take_back(s: Sums, mark: int) -> None:
    """Undo all changes but the first `mark`."""
    used = s.used[0]
    while used > mark:
        used -= 1
        cell = s.column[used]
        up, down = s.old_low[used] - s.low[cell], s.old_high[used] - s.high[cell]
        s.low[cell], s.high[cell] = s.old_low[used], s.old_high[used]
        for k in range(s.at[cell], s.at[cell + 1]):
            s.least[s.rows[k]] += up
            s.most[s.rows[k]] += down
    s.used[0] = used


@kernel
def next_cell(s: Sums, part: Cells, first: int, last: int) -> int:
    """Position in a part of the first cell with several values left; -1 if there is none."""
    for k in range(first, last):
        if s.low[part[k]] < s.high[part[k]]:
            return k
    return -1


@kernel
def tables(
    s: Sums, part: Cells, first: int, last: int, most: int, most_nodes: int, minimum: Cells, stack: Cells, result: Cells
) -> None:
    """Tables of the cells part[first:last], at most so many, with so many values tried; what is known is as before.

    minimum: lowered to the least value of each cell in the tables that are found. stack: room for three numbers for
    each cell. result: see COUNT.
    """
    begin = s.used[0]
    depth, count, nodes, complete = 0, 0, 0, 1
    while True:
        place = next_cell(s, part, stack[3 * depth - 3] if depth > 0 else first, last)
        if place >= 0:
            cell = part[place]
            stack[3 * depth], stack[3 * depth + 1], stack[3 * depth + 2] = place, s.used[0], s.low[cell]
            depth += 1
            nodes += 1
            possible = settle(s, narrow(s, cell, s.low[cell], s.low[cell], 0))
        else:
            count += 1
            for k in range(first, last):
                minimum[part[k]] = min(minimum[part[k]], s.low[part[k]])
            possible = 0
        if count >= most or nodes > most_nodes:
            complete = 0
            break
        while possible == 0 and depth > 0:
            depth -= 1
            cell, value = part[stack[3 * depth]], stack[3 * depth + 2]
            take_back(s, stack[3 * depth + 1])
            nodes += 1
            possible = settle(s, narrow(s, cell, value + 1, s.high[cell], 0)) if value < s.high[cell] else 0
        if possible == 0:
            break
    take_back(s, begin)
    result[COUNT], result[NODES], result[COMPLETE] = count, nodes, complete


@kernel
def smaller(
    s: Sums, part: Cells, first: int, last: int, most_nodes: int, minimum: Cells, open_cells: Cells, stack: Cells
) -> None:
    """Lower the minimum of each cell of a part as far as tables go. open_cells: set to 1 where the limit leaves it
    open whether there is a smaller value."""
    result = integers(3, 0)
    for k in range(first, last):
        cell = part[k]
        while minimum[cell] > s.low[cell]:
            begin = s.used[0]
            result[COUNT], result[COMPLETE] = 0, 1
            if settle(s, narrow(s, cell, s.low[cell], minimum[cell] - 1, 0)) == 1:
                tables(s, part, first, last, 1, most_nodes, minimum, stack, result)
            take_back(s, begin)
            if result[COUNT] == 0:
                open_cells[cell] = 1 - result[COMPLETE]
                break


@kernel
def parts(s: Sums, part: Cells, starts: Cells) -> int:
    """Cells with several values left, those together that share a row directly or through others: those of part p are
    part[starts[p]:starts[p + 1]]. Cells of a part
    are in ascending order. Gives the number of parts."""
    cells = len(s.low)
    label, looked = integers(cells, -1), integers(len(s.value), 0)
    number = 0
    for seed in range(cells):
        if label[seed] >= 0 or s.low[seed] == s.high[seed]:
            continue
        label[seed] = number
        part[0] = seed  # to be looked at
        at, filled = 0, 1
        while at < filled:
            cell = part[at]
            at += 1
            for k in range(s.at[cell], s.at[cell + 1]):
                row = s.rows[k]
                if looked[row] == 1:
                    continue
                looked[row] = 1
                for j in range(s.start[row], s.start[row + 1]):
                    other = s.cells[j]
                    if label[other] < 0 and s.low[other] < s.high[other]:
                        label[other] = number
                        part[filled] = other
                        filled += 1
        starts[number + 1] = filled
        number += 1
    starts[0] = 0
    next_place = integers(number + 1, 0)
    for p in range(number):
        starts[p + 1] += starts[p]
        next_place[p] = starts[p]
    for cell in range(cells):
        if label[cell] >= 0:
            part[next_place[label[cell]]] = cell
            next_place[label[cell]] += 1
    return number


@kernel
def explore(
    s: Sums,
    most: int,
    most_nodes: int,
    part: Cells,
    starts: Cells,
    found: Cells,
    complete: Cells,
    minimum: Cells,
    open_cells: Cells,
    stack: Cells,
) -> int:
    """All of it; gives the number of parts, -1 if no table fits.

    most: tables of a part that are counted. part, starts: see `parts`. found, complete: of each part, how many tables
    and whether that are all. minimum: of each cell, its least value, where open_cells does not say that it may be
    less.
    """
    rows = len(s.value)
    for row in range(rows):
        s.queue[row], s.waiting[row] = row, 1
    if settle(s, rows) == 0:
        return -1
    number = parts(s, part, starts)
    for cell in range(len(s.low)):
        minimum[cell] = s.low[cell] if s.low[cell] == s.high[cell] else s.high[cell]
    result = integers(3, 0)
    for p in range(number):
        first, last = starts[p], starts[p + 1]
        tables(s, part, first, last, most, most_nodes, minimum, stack, result)
        found[p], complete[p] = result[COUNT], result[COMPLETE]
        if result[COMPLETE] == 1 and result[COUNT] == 0:
            return -1
        if result[COMPLETE] == 0 and result[COUNT] == 0:
            for k in range(first, last):
                open_cells[part[k]] = 1
        elif result[COMPLETE] == 0:
            smaller(s, part, first, last, most_nodes, minimum, open_cells, stack)
    return number
