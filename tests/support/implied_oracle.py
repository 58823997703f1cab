"""What a release gives away of combinations that no row lists, by listing every table: shares no code with the package.

The universe. For each measure and variable the *elements* are sets of leaves: atoms (leaves that no used code tells
apart) and every code that is a union of them. A combination is one element of each variable; it counts if some
statement speaks of all its leaves and nothing lists it: no row, and no zero or sum that follows from rows left out.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from oracle import Document, Known, Oracle, Variable, read, variables_of

Parts = tuple[frozenset[str], ...]
"""Leaves of every variable."""

MOST = 20_000
"""Tables that are listed at most."""


@dataclass(frozen=True)
class Implied:
    """A combination that no row lists and that says something.

    low, high: least and largest value over all tables, in units. computed: they are one; narrow: they are not, and
    every value would be sensitive. sensitive: None where no rule can judge it. crossed: of any two of its variables
    that do not stand at everything some statement says more than each alone; what follows of others follows from a
    cell that is sensitive itself. zeros: it consists of zeros that everyone knows, or of parts of them.
    disputed: the microdata have records where there are such zeros, or add up to what is not possible, or numbers of
    contributors contradict each other: what rules make of that is nobody's to say.
    """

    measure: str
    parts: Parts
    low: int
    high: int
    computed: bool
    narrow: bool
    sensitive: bool | None
    crossed: bool
    zeros: bool
    disputed: bool

    @property
    def due(self) -> bool:
        """Whether it has to be found (where it is crossed) or follows from what is found."""
        return self.sensitive is True and not self.zeros and not self.disputed


def implied_cells(document: Document, most: int = MOST) -> list[Implied] | None:
    """All computed and narrow combinations; None if the tables are too many to list, and [] where none fits."""
    oracle = read(document)
    variables = variables_of(document)
    merged, forms = _merged(oracle, document, variables)
    judge, known_zero = _Judge(document, oracle, variables), _KnownZeros(document, oracle, variables)
    values = _values(merged, forms, most)
    if values is None:
        return None
    found = []
    for (measure, parts), possible in values:
        sensitive = judge(measure, parts, possible)
        computed = len(possible) == 1
        narrow = not computed and sensitive is True
        if computed or narrow:
            crossed = _crossed(document, oracle, variables, measure, parts)
            low, high = possible[0], possible[-1]
            zeros = known_zero(measure, parts)
            disputed = known_zero.disputed(measure, parts) or judge.disputed(measure, parts, possible)
            found.append(Implied(measure, parts, low, high, computed, narrow, sensitive, crossed, zeros, disputed))
    return found


def possible_tables(document: Document, most: int = MOST) -> int | None:
    """How many tables fit, over the leaves that statements tell apart; None: more than `most`, or no limit."""
    oracle = read(document)
    merged, _ = _merged(oracle, document, variables_of(document))
    tables = merged.tables(most)
    return None if tables is None else len(tables)


@dataclass(frozen=True)
class _Form:
    """What a combination is a sum of: of merged leaves all, or (whatever else is in them) a part."""

    whole: tuple[bool, ...]
    part: tuple[bool, ...]

    def values(self, tables: np.ndarray) -> list[int]:
        """All values over tables of merged leaves that are not negative; a part may be anything up to the whole."""
        low = tables @ np.array(self.whole, int)
        high = low + tables @ np.array(self.part, int)
        return sorted({v for a, b in zip(low.tolist(), high.tolist(), strict=True) for v in range(a, b + 1)})


def _merged(
    oracle: Oracle, document: Document, variables: Mapping[str, Variable]
) -> tuple[Oracle, dict[tuple[str, Parts], _Form]]:
    """The oracle over leaves that statements tell apart, and the form of every combination over these."""
    grid = list(itertools.product(*(v.leaves for v in variables.values())))
    columns = [(measure, leaf) for measure in oracle.units for leaf in grid]
    _, kind = np.unique(oracle.matrix.T, axis=0, return_inverse=True)
    kind = kind.ravel()
    measure_of = np.array([list(oracle.units).index(measure) for measure, _ in columns])
    silent = ~oracle.matrix.any(axis=0)
    # The same statements, but another measure: told apart all the same.
    groups = sorted({(int(measure_of[j]), int(kind[j])) for j in np.flatnonzero(~silent)})
    members = [np.flatnonzero((measure_of == m) & (kind == k)) for m, k in groups]
    merged = replace(oracle, matrix=oracle.matrix[:, [int(at[0]) for at in members]], forms={})
    seen = {form.tobytes() for form in oracle.forms.values()}
    forms: dict[tuple[str, Parts], _Form] = {}
    for measure in oracle.units:
        elements = [_elements(oracle, document, measure, at, v) for at, v in enumerate(variables.values())]
        for parts in itertools.product(*elements):
            form = np.array(
                [m == measure and all(x in p for x, p in zip(leaf, parts, strict=True)) for m, leaf in columns], float
            )
            if form.tobytes() in seen or form[silent].any():
                continue
            seen.add(form.tobytes())
            whole = tuple(bool(form[at].all()) for at in members)
            part = tuple(bool(form[at].any() and not form[at].all()) for at in members)
            forms[measure, parts] = _Form(whole, part)
    return merged, forms


def _stated(document: Document, oracle: Oracle, measure: str) -> list[tuple[str, ...]]:
    """The codes of all cells of which anything is stated, those in links among them."""
    found = [codes for m, codes in oracle.cells if m == measure]
    variables = variables_of(document)
    for link in document.get("links", ()):
        for _, place in link["terms"]:
            if (place.get("measure") or next(iter(oracle.units))) == measure:
                found.append(tuple(place.get(name, v.total) for name, v in variables.items()))
    return found


def _atoms(oracle: Oracle, document: Document, measure: str, at: int, variable: Variable) -> list[frozenset[str]]:
    """Leaves that no used code tells apart."""
    used = {variable.covers[codes[at]] for codes in _stated(document, oracle, measure)}
    ordered = sorted(used, key=sorted)
    found: dict[tuple[bool, ...], set[str]] = {}
    for leaf in variable.leaves:
        marks = tuple(leaf in code for code in ordered)
        if any(marks):
            found.setdefault(marks, set()).add(leaf)
    return [frozenset(s) for s in found.values()]


def _elements(oracle: Oracle, document: Document, measure: str, at: int, variable: Variable) -> list[frozenset[str]]:
    """Atoms, and what statements speak of in codes: all of it mostly (else nobody has to look at it)."""
    atoms = _atoms(oracle, document, measure, at, variable)
    spoken = {frozenset().union(*(a for a in atoms if a <= code)) for code in variable.covers.values()}
    return sorted({*atoms, *(s for s in spoken if s)}, key=lambda e: (len(e), sorted(e)))


def _values(
    merged: Oracle, forms: Mapping[tuple[str, Parts], _Form], most: int
) -> Iterator[tuple[tuple[str, Parts], list[int]]] | None:
    """The values of every combination over all tables, ascending (a computed one alone where all are too many)."""
    if not merged.nonnegative:
        forms = {name: form for name, form in forms.items() if not any(form.part)}
    tables = merged.tables(most)
    if tables is not None:
        rounded = np.rint(tables).astype(int)
        return ((name, form.values(rounded)) for name, form in forms.items() if len(tables))
    exact = merged.lower == merged.upper
    if merged.nonnegative or not exact.all():
        return None
    # Only equations: a sum has one value exactly if it is a combination of them.
    rank = np.linalg.matrix_rank(merged.matrix)
    solution = np.linalg.lstsq(merged.matrix, merged.lower, rcond=None)[0]
    rows = {name: np.array(form.whole, float) for name, form in forms.items()}
    alone = [
        (name, row) for name, row in rows.items() if np.linalg.matrix_rank(np.vstack([merged.matrix, row])) == rank
    ]
    return ((name, [round(float(row @ solution))]) for name, row in alone)


def _crossed(document: Document, oracle: Oracle, variables: Mapping[str, Variable], measure: str, parts: Parts) -> bool:
    """Whether statements cross any two variables that do not stand at everything."""
    stated = _stated(document, oracle, measure)
    covers = [v.covers for v in variables.values()]
    every = [frozenset().union(*(c[codes[at]] for codes in stated)) for at, c in enumerate(covers)]
    for at, (variable, part) in enumerate(zip(variables.values(), parts, strict=True)):
        if part not in variable.covers.values() and part not in _atoms(oracle, document, measure, at, variable):
            return False
    away = [at for at, (part, whole) in enumerate(zip(parts, every, strict=True)) if part != whole]
    crossing = [{at for at, c in enumerate(covers) if c[codes[at]] != every[at]} for codes in stated]
    return all(any({a, b} <= some for some in crossing) for a, b in itertools.combinations(away, 2))


class _KnownZeros:
    """What consists of zeros that everyone knows: no rule makes it sensitive."""

    def __init__(self, document: Document, oracle: Oracle, variables: Mapping[str, Variable]) -> None:
        records = document.get("microdata", {}).get("cells", {})
        self._records = list(zip(*(records[name] for name in variables), strict=True)) if records else []
        zero = [name for name, known in oracle.cells.items() if known.low == known.high == 0 and _known(known)]
        self._inside = {
            (m, leaf)
            for m, codes in zero
            for leaf in itertools.product(*(v.covers[c] for v, c in zip(variables.values(), codes, strict=True)))
        }

    def __call__(self, measure: str, parts: Parts) -> bool:
        return all((measure, leaf) in self._inside for leaf in itertools.product(*parts))

    def disputed(self, measure: str, parts: Parts) -> bool:
        """Whether a record of a combination lies where everyone knows a zero."""
        return any(
            (measure, leaf) in self._inside and all(code in part for code, part in zip(leaf, parts, strict=True))
            for leaf in self._records
        )


def _known(cell: Known) -> bool:
    """A structural zero, or one that no row lists: a row left out says so, or a total that is computed."""
    return cell.status == "structural_zero" if cell.listed else cell.derived or cell.computed


class _Judge:
    """Whether all values that a combination can have are sensitive; None where no rule can tell."""

    def __init__(self, document: Document, oracle: Oracle, variables: Mapping[str, Variable]) -> None:
        self._document, self._oracle, self._variables = document, oracle, variables
        self._rules: Sequence[Mapping[str, Any]] = document.get("policy", {}).get("primary", ())
        self._contradicted: set[tuple[str, Parts]] = set()
        """Combinations that hang together with numbers of contributors that contradict each other."""
        self._frequencies = {m: self._known_frequencies(m) for m in oracle.units if m not in oracle.counts}

    def __call__(self, measure: str, parts: Parts, possible: Sequence[int]) -> bool | None:
        if not self._rules:
            return None
        count = measure in self._oracle.counts
        microdata = self._document.get("microdata")
        near = all(any(_few(rule, value, value) for rule in self._rules) for value in possible)
        if count and near:
            return True
        if microdata is not None:
            given = self._contributions(microdata, measure, parts)
            if not any(_few(rule, len(given), sum(given)) or _close(rule, given) for rule in self._rules):
                return False
            return len(possible) == 1 or self._inside(possible, given, count=count)
        if count:
            return False
        if len(possible) > 1:
            return None
        counts = self._contributors(measure, parts)
        if counts is None or not all("threshold" in rule for rule in self._rules):
            return None
        verdicts = {any(_few(rule, n, possible[0]) for rule in self._rules) for n in counts}
        return verdicts.pop() if len(verdicts) == 1 else None

    def disputed(self, measure: str, parts: Parts, possible: Sequence[int]) -> bool:
        """Whether the agency's own data contradict the release, or themselves."""
        if (measure, parts) in self._contradicted:
            return True
        microdata = self._document.get("microdata")
        return microdata is not None and sum(self._contributions(microdata, measure, parts)) not in possible

    def _inside(self, possible: Sequence[int], given: Sequence[int], *, count: bool) -> bool:
        """Whether no value is possible beyond what a rule asks for, and not all of that."""
        intruder = self._document.get("intruder", {})
        least = 1 if intruder.get("nonempty") else 0 if intruder.get("nonnegative", True) else None
        ends = []
        for rule in self._rules:
            if count and _few(rule, len(given), sum(given)):
                ends.append((1 if intruder.get("nonempty") else 0, int(rule["threshold"])))
            if _close(rule, given):
                ordered = sorted(map(abs, given), reverse=True)
                distance = -(-(int(rule["p_percent"]) * ordered[0] - 100 * sum(ordered[2:])) // 100)
                low = sum(given) - distance
                ends.append((low if least is None else max(low, least), sum(given) + distance))
        if not ends:
            return False
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        return low <= possible[0] and possible[-1] <= high and (low, high) != (possible[0], possible[-1])

    def _contributions(self, microdata: Mapping[str, Any], measure: str, parts: Parts) -> list[int]:
        rows = microdata["cells"]
        unit = self._oracle.units[measure]
        names = list(self._variables)
        inside = [
            k
            for k in range(len(rows["id"]))
            if all(rows[name][k] in part for name, part in zip(names, parts, strict=True))
        ]
        if "values" not in microdata:
            return [1] * len(inside)
        return [int(Fraction(rows[microdata["values"][measure]][k]) / unit) for k in inside]

    def _known_frequencies(self, measure: str) -> tuple[np.ndarray, np.ndarray] | None:
        """(forms, numbers of contributors) of cells of which tables tell how many contribute, and of known zeros."""
        cells = self._oracle.cells
        zeros = [codes for (m, codes), c in cells.items() if m == measure and c.low == c.high == 0 and _known(c)]
        found: dict[tuple[str, ...], int] = dict.fromkeys(zeros, 0)
        names = list(self._variables)
        for table in self._document["tables"]:
            if table["measure"] != measure or "frequency" not in table:
                continue
            cells, where = table["cells"], table.get("where", {})
            for row, number in enumerate(cells[table["frequency"]]):
                codes = []
                for name in names:
                    chosen = cells[name][row] if name in cells else where.get(name, self._variables[name].total)
                    if isinstance(chosen, list):
                        chosen = _group(self._variables[name], chosen)
                    codes.append(chosen)
                found[tuple(codes)] = int(number)
        if not found:
            return None
        forms = np.array([self._oracle.forms[measure, codes] for codes in found])
        return forms, np.array(list(found.values()), float)

    def _contributors(self, measure: str, parts: Parts) -> list[int] | None:
        """The number that follows from those of cells, as a list of one."""
        known = self._frequencies.get(measure)
        if known is None:
            return None
        forms, numbers = known
        grid = list(itertools.product(*(v.leaves for v in self._variables.values())))
        form = np.array(
            [
                m == measure and all(x in p for x, p in zip(leaf, parts, strict=True))
                for m in self._oracle.units
                for leaf in grid
            ],
            float,
        )
        near = form.astype(bool)
        while True:  # cells that hang together with the combination: contradictions elsewhere do not matter
            beside = forms[:, near].any(axis=1)
            reached = near | forms[beside].any(axis=0)
            if (reached == near).all():
                break
            near = reached
        forms, numbers = forms[beside], numbers[beside]
        if not len(forms):
            return None
        if np.abs(forms @ np.linalg.lstsq(forms, numbers, rcond=None)[0] - numbers).max() > 1e-7:
            self._contradicted.add((measure, parts))
            return None
        weights, *_ = np.linalg.lstsq(forms.T, form, rcond=None)
        if np.abs(forms.T @ weights - form).max() > 1e-7:
            return None
        return [round(float(weights @ numbers))]


def _group(variable: Variable, codes: Sequence[str]) -> str:
    members = frozenset().union(*(variable.covers[c] for c in codes))
    return next(code for code, covered in variable.covers.items() if covered == members)


def _few(rule: Mapping[str, Any], contributors: int, value: int) -> bool:
    """The threshold rule."""
    if "threshold" not in rule:
        return False
    if contributors == value == 0:
        return bool(rule.get("zeros", False))
    return contributors < int(rule["threshold"])


def _close(rule: Mapping[str, Any], given: Sequence[int]) -> bool:
    """The p% rule."""
    if "p_percent" not in rule or not given:
        return False
    ordered = sorted(map(abs, given), reverse=True)
    return ordered[0] > 0 and 100 * sum(ordered[2:]) < int(rule["p_percent"]) * ordered[0]
