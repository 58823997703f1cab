"""A release document read a second time, without the package: its statements over the full cross-classification.

Deliberately slow and plain: sets of leaves, one dense row per statement, every table of whole units listed. Nothing
of `audit.linear` is used, so that a mistake there cannot hide here. Documents are of the narrow kind that
`random_releases` makes: inline cells, columns value, truth, status, lo and hi.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

import numpy as np
from scipy.optimize import linprog

Document = dict[str, Any]
Codes = tuple[str, ...]
Cell = tuple[str, Codes]
"""(measure, code of every variable)"""

RELEASED = ("published", "must_publish", "frozen")
WITHHELD = ("primary", "secondary", "withheld")
MOST_TABLES = 150_000
FAR = 1e5
"""Values of these tests stay far below this: a bound near it is none."""


@dataclass(frozen=True)
class Variable:
    """A classification as sets: code -> the leaves it covers."""

    total: str | None
    leaves: tuple[str, ...]
    covers: Mapping[str, frozenset[str]]


@dataclass
class Known:
    """What is said of one cell: an interval, in units, and the statuses of the rows that list it."""

    low: float = -inf
    high: float = inf
    listed: list[str] = field(default_factory=list)
    truth: float | None = None
    """What the agency knows of it: of two rows the first."""
    exact: bool = False
    """Some row states the exact value."""
    derived: bool = False
    """The exact value follows from absent rows; beside rows that all withhold it, the cell still counts as withheld."""
    computed: bool = False
    """A total that a table releases without a row."""

    def add(self, low: float, high: float) -> None:
        self.low, self.high = max(self.low, low), min(self.high, high)

    @property
    def open(self) -> bool:
        if not self.listed or self.exact or self.computed:
            return False
        return not (self.derived and self.status in (*RELEASED, "structural_zero"))

    @property
    def status(self) -> str:
        """Most revealing of the listed statuses; withheld ones only if nothing is released. What is released is bound
        by every table that releases it."""
        order = (
            "published",
            "must_publish",
            "frozen",
            "structural_zero",
            "missing",
            "secondary",
            "withheld",
            "primary",
        )
        places = [order.index(s) for s in (*self.listed, *(["published"] if self.computed else []))]
        if min(places) < len(RELEASED):
            return order[max(place for place in places if place < len(RELEASED))]
        return order[min(places) if min(places) <= 3 else max(places)]

    @property
    def sensitive(self) -> bool:
        return any(s in ("primary", "withheld") for s in self.listed) or self.status in RELEASED


@dataclass(frozen=True)
class Oracle:
    """lower <= matrix @ x <= upper over the full base; cells: what each listed cell is a sum of."""

    matrix: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    nonnegative: bool
    cells: Mapping[Cell, Known]
    forms: Mapping[Cell, np.ndarray]
    units: Mapping[str, Fraction]
    counts: frozenset[str]
    """Measures that count units."""

    @property
    def open_cells(self) -> list[Cell]:
        return [cell for cell, known in self.cells.items() if known.open]

    def rank(self) -> int:
        """Rank of everything that is known exactly."""
        equations = self.matrix[self.lower == self.upper]
        return int(np.linalg.matrix_rank(equations)) if len(equations) else 0

    def linear(self, cost: np.ndarray) -> float | None:
        """Least value over real tables; -inf without a limit, None if no table fits."""
        return _linear(self, cost)

    def box(self) -> tuple[list[int], list[int]] | None:
        """Whole-unit bounds of every base cell over real tables; None if some cell has none."""
        lows, highs = [], []
        for j in range(self.matrix.shape[1]):
            unit = np.eye(self.matrix.shape[1])[j]
            quick = _quick_upper(self, j)
            high = quick if quick is not None else _negated(_linear(self, -unit))
            low = 0.0 if self.nonnegative and quick is not None else _linear(self, unit)
            if low is None or high is None:
                return [1] * self.matrix.shape[1], [0] * self.matrix.shape[1]  # nothing fits
            if low == -inf or high == inf:
                return None
            lows.append(ceil(low - 1e-6))
            highs.append(floor(high + 1e-6))
        return lows, highs

    def tables(self, limit: int = MOST_TABLES) -> np.ndarray | None:
        """Every table of whole units that fits, one a row; None if there are infinitely or very many."""
        box = self.box()
        if box is None:
            return None
        lows, highs = box
        least = np.where(self.matrix > 0, self.matrix * lows, self.matrix * highs)
        most = np.where(self.matrix > 0, self.matrix * highs, self.matrix * lows)
        points = np.zeros((1, 0))
        for j in range(self.matrix.shape[1]):
            values = np.arange(lows[j], highs[j] + 1)
            if len(points) * len(values) > 4 * limit:
                return None
            points = np.column_stack([np.repeat(points, len(values), axis=0), np.tile(values, len(points))])
            sums = points @ self.matrix[:, : j + 1].T
            fits = (sums + least[:, j + 1 :].sum(axis=1) <= self.upper) & (
                sums + most[:, j + 1 :].sum(axis=1) >= self.lower
            )
            points = points[fits.all(axis=1)]
            if len(points) > limit:
                return None
        return points


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def _quick_upper(oracle: Oracle, j: int) -> float | None:
    """Upper bound of a base cell from one row of non-negative entries."""
    if not oracle.nonnegative:
        return None
    usable = (oracle.matrix >= 0).all(axis=1) & (oracle.matrix[:, j] > 0) & np.isfinite(oracle.upper)
    if not usable.any():
        return None
    return max(0.0, float((oracle.upper[usable] / oracle.matrix[usable, j]).min()))


def _linear(oracle: Oracle, cost: np.ndarray) -> float | None:
    equal = oracle.lower == oracle.upper
    at_most, at_least = ~equal & np.isfinite(oracle.upper), ~equal & np.isfinite(oracle.lower)
    # Unbounded problems confuse the solver's presolve: a far box tells them from infeasible ones.
    found = linprog(
        cost,
        A_ub=np.vstack([oracle.matrix[at_most], -oracle.matrix[at_least]]),
        b_ub=np.concatenate([oracle.upper[at_most], -oracle.lower[at_least]]),
        A_eq=oracle.matrix[equal] if equal.any() else None,
        b_eq=oracle.lower[equal] if equal.any() else None,
        bounds=(0 if oracle.nonnegative else -FAR, FAR),
    )
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return -inf if found.fun < -FAR / 100 else float(found.fun)


def variables_of(document: Document) -> dict[str, Variable]:
    """Every classification of a document, subpopulation groups included."""
    result = {name: _variable(spec) for name, spec in document["variables"].items()}
    for table in document["tables"]:
        for name, codes in table.get("where", {}).items():
            if isinstance(codes, list):
                result[name], _ = _with_group(result[name], codes)
    return result


def _variable(spec: Mapping[str, Any]) -> Variable:
    below: dict[str, set[str]] = {}
    listed: dict[str, None] = dict.fromkeys(spec.get("codes", ()))
    for tree in [spec["tree"]] if "tree" in spec else spec.get("trees", ()):
        _walk(tree, None, below, listed)

    def leaves(code: str) -> frozenset[str]:
        if code not in below:
            return frozenset([code])
        return frozenset().union(*(leaves(child) for child in below[code]))

    covers = {code: leaves(code) for code in listed}
    every = tuple(code for code in listed if code not in below)
    total = spec.get("total")
    if total is not None:
        covers[total] = frozenset(every)
    return Variable(total, every, covers)


def _walk(node: Any, parent: str | None, below: dict[str, set[str]], listed: dict[str, None]) -> None:
    for code in node:
        listed[code] = None
        if parent is not None:
            below.setdefault(parent, set()).add(code)
        if isinstance(node, dict):
            _walk(node[code], code, below, listed)


def _with_group(variable: Variable, codes: Sequence[str]) -> tuple[Variable, str]:
    members = frozenset().union(*(variable.covers[c] for c in codes))
    for code, covered in variable.covers.items():
        if covered == members:
            return variable, code
    ordered = [c for c in variable.covers if c in codes]
    name = "+".join(ordered)
    return Variable(variable.total, variable.leaves, {**variable.covers, name: members}), name


def read(document: Document) -> Oracle:
    """All statements of a document over the full base."""
    variables = variables_of(document)
    units = {name: Fraction(m.get("unit", "1")) for name, m in document["measures"].items()}
    grid = list(itertools.product(*(v.leaves for v in variables.values())))
    base = [(measure, leaf) for measure in units for leaf in grid]

    def form(cell: Cell) -> np.ndarray:
        measure, codes = cell
        wanted = [v.covers[code] for v, code in zip(variables.values(), codes, strict=True)]
        return np.array(
            [float(m == measure and all(part in w for part, w in zip(leaf, wanted, strict=True))) for m, leaf in base]
        )

    intruder = document.get("intruder", {})
    nonnegative = intruder.get("nonnegative", True)
    cells: dict[Cell, Known] = {}
    for table in document["tables"]:
        _read_table(document, table, variables, units, nonnegative, cells)
    if intruder.get("nonempty"):
        for known in cells.values():
            if known.listed and known.status in WITHHELD:
                known.add(1, inf)
    forms = {cell: form(cell) for cell in cells}
    # In tenths, the finest unit of these tests: whole numbers, which floats hold exactly.
    rows = [(10 * forms[cell], 10 * known.low, 10 * known.high) for cell, known in cells.items()]
    for link in document.get("links", ()):
        row = np.zeros(len(base))
        for coefficient, place in link["terms"]:
            measure = place.get("measure") or next(iter(units))
            codes = tuple(place.get(name, v.total) for name, v in variables.items())
            row += float(int(coefficient) * units[measure] * 10) * form((measure, codes))
        low, high = (None if link.get(end) is None else Fraction(link[end]) * 10 for end in ("lower", "upper"))
        rows.append((row, -inf if low is None else float(low), inf if high is None else float(high)))
    return Oracle(
        np.array([row for row, _, _ in rows]).reshape(len(rows), len(base)),
        np.array([low for _, low, _ in rows]),
        np.array([high for _, _, high in rows]),
        nonnegative,
        cells,
        forms,
        units,
        frozenset(name for name, m in document["measures"].items() if m["kind"] == "count"),
    )


def _read_table(
    document: Document,
    table: Mapping[str, Any],
    variables: Mapping[str, Variable],
    units: Mapping[str, Fraction],
    nonnegative: bool,
    cells: dict[Cell, Known],
) -> None:
    measure = table.get("measure") or next(iter(units))
    columns, where = table["cells"], table.get("where", {})
    count = len(columns["value"])
    named = [name for name in variables if name in columns]

    def code_of(name: str, row: int) -> str:
        if name in columns:
            return columns[name][row]
        if name in where:
            chosen = where[name]
            return _with_group(variables[name], chosen)[1] if isinstance(chosen, list) else chosen
        return variables[name].total

    def number(column: str, row: int) -> float:
        text = columns[column][row] if column in columns else None
        if text is None:
            return float("nan")
        value = Fraction(text) / units[measure]
        assert value.denominator == 1, "the documents of these tests are in whole units"
        return float(value)

    rounding = table.get("rounding")
    truth: dict[Codes, float] = {}
    for row in range(count):
        codes = tuple(code_of(name, row) for name in variables)
        status = (columns.get("status") or ["published"] * count)[row] or "published"
        value = number("value", row)
        if status == "published" and np.isnan(value):
            status = "withheld"
        known = cells.setdefault((measure, codes), Known())
        known.listed.append(status)
        if status in RELEASED and rounding:
            base = int(Fraction(rounding["base"]) / units[measure])
            known.add(*rounded_from(int(value), base, rounding["method"], nonnegative))
        elif status in RELEASED:
            known.add(value, value)
            known.exact = True
        elif status == "structural_zero":
            known.add(0, 0)
            known.exact = True
        low, high = number("lo", row), number("hi", row)
        known.add(-inf if np.isnan(low) else low, inf if np.isnan(high) else high)
        own = number("truth", row)
        if status == "structural_zero":
            truth[codes] = 0
        elif not np.isnan(own):
            truth[codes] = own
        elif not rounding and not np.isnan(value):
            truth[codes] = value
        if known.truth is None:
            known.truth = truth.get(codes)
    _complete(table, variables, named, measure, truth, cells)


def rounded_from(value: int, base: int, method: str, nonnegative: bool) -> tuple[float, float]:
    """Smallest and largest whole number that the method may turn into the value: tried one by one."""

    def gives(t: int) -> bool:
        down = t // base * base
        up = down if down == t else down + base
        return {
            "conventional": value == (down if 2 * (t - down) < base else up),
            "random": value in (down, up),
            "controlled": value in (down, up),
            "up": value == up,
            "down": value == down,
        }[method]

    fits = [t for t in range(value - 2 * base, value + 2 * base + 1) if gives(t) and (t >= 0 or not nonnegative)]
    return min(fits, default=inf), max(fits, default=-inf)


def _complete(
    table: Mapping[str, Any],
    variables: Mapping[str, Variable],
    named: Sequence[str],
    measure: str,
    truth: Mapping[Codes, float],
    cells: dict[Cell, Known],
) -> None:
    """What `absent` says of combinations without a row."""
    absent = {"leaves": "zero", "totals": "not_released", **table.get("absent", {})}
    listed = _listed(table, variables)
    if not listed:
        return
    axes = []
    for at, (name, variable) in enumerate(variables.items()):
        used = sorted({codes[at] for codes in listed})
        axes.append(_finest(variable, used) if name in named else used)
    zeros = [c for c in itertools.product(*axes) if c not in listed] if absent["leaves"] == "zero" else []
    for codes in zeros:
        _derive(cells, (measure, codes), 0).derived = True
    if absent["totals"] != "compute":
        return
    value = {codes: truth.get(codes) for codes in listed} | dict.fromkeys(zeros, 0.0)
    choices = [
        _sums(variable, axis, {codes[at] for codes in listed}) if name in named else {code: [code] for code in axis}
        for at, ((name, variable), axis) in enumerate(zip(variables.items(), axes, strict=True))
    ]

    def meant(codes: Codes) -> tuple[Any, ...]:
        """An only child is its parent under another name, but no total."""
        at = zip(variables.values(), codes, axes, strict=True)
        return tuple((v.covers[code], code == v.total and code not in axis) for v, code, axis in at)

    taken = {meant(codes) for codes in listed}
    for picks in itertools.product(*(list(c.items()) for c in choices)):
        codes = tuple(code for code, _ in picks)
        if codes in listed or meant(codes) in taken or all(c in axis for c, axis in zip(codes, axes, strict=True)):
            continue
        parts = [value.get(p) for p in itertools.product(*(members for _, members in picks))]
        if all(p is not None for p in parts):
            _derive(cells, (measure, codes), sum(parts)).computed = True


def _derive(cells: dict[Cell, Known], cell: Cell, value: float) -> Known:
    known = cells.setdefault(cell, Known())
    known.add(value, value)
    if known.truth is None:
        known.truth = value
    return known


def _listed(table: Mapping[str, Any], variables: Mapping[str, Variable]) -> set[Codes]:
    columns, where = table["cells"], table.get("where", {})
    result = set()
    for row in range(len(columns["value"])):
        codes = []
        for name, variable in variables.items():
            if name in columns:
                codes.append(columns[name][row])
            elif name in where:
                chosen = where[name]
                codes.append(_with_group(variable, chosen)[1] if isinstance(chosen, list) else chosen)
            else:
                codes.append(variable.total)
        result.add(tuple(codes))
    return result


def _finest(variable: Variable, used: Sequence[str]) -> list[str]:
    """Finest level a table lists: codes with nothing finer inside, and the other leaves of listed sums."""
    covers = variable.covers
    sums = [c for c in used if any(covers[d] < covers[c] for d in used)]
    finest = [c for c in used if c not in sums]
    if sums:
        scope = frozenset().union(*(covers[c] for c in sums))
    else:
        scope = frozenset(variable.leaves) if variable.total is not None else frozenset()
    rest = scope - frozenset().union(*(covers[c] for c in finest))
    return sorted({*finest, *rest})


def _sums(variable: Variable, finest: Sequence[str], listed: set[str]) -> dict[str, list[str]]:
    """Code -> the finest codes it is the disjoint union of: two of them or more, but of a total; groups that only a
    `where` made only if the table lists them."""
    result = {}
    for code, members in variable.covers.items():
        inside: dict[frozenset[str], str] = {}
        for part in finest:
            if variable.covers[part] <= members:
                inside.setdefault(variable.covers[part], part)
        if code in finest:
            result[code] = [code]
        elif "+" not in code or code in listed:
            parts = next((p for p in _choices(list(inside)) if _make_up(p, members)), ())
            if len(parts) > 1 or (parts and code == variable.total):
                result[code] = [inside[p] for p in parts]
    return result


def _choices(sets: Sequence[frozenset[str]]) -> Iterator[tuple[frozenset[str], ...]]:
    for size in range(1, len(sets) + 1):
        yield from itertools.combinations(sets, size)


def _make_up(parts: Sequence[frozenset[str]], members: frozenset[str]) -> bool:
    return sum(map(len, parts)) == len(members) and frozenset().union(*parts) == members


def possible_values(tables: np.ndarray, form: np.ndarray) -> Iterator[int]:
    """Values (in units) that a cell takes over all tables, ascending."""
    yield from np.unique(np.rint(tables @ form)).astype(int).tolist()
