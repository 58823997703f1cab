"""What a release gives away of combinations that no row lists, by listing every table: shares no code with the package.

The universe. For each measure and variable the *elements* are sets of leaves: every code and every atom (leaves
that no used code tells apart). A combination is one element of each variable; it counts if the released statements
speak of it (it splits no leaves that no statement tells apart) and nothing lists it: no row, and no zero or sum that
follows from rows left out.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from oracle import Document, Oracle, Variable, read, variables_of

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
    cell that is sensitive itself.
    """

    measure: str
    parts: Parts
    low: int
    high: int
    computed: bool
    narrow: bool
    sensitive: bool | None
    crossed: bool


def implied_cells(document: Document, most: int = MOST) -> list[Implied] | None:
    """All computed and narrow combinations; None if the tables are too many to list, and [] where none fits."""
    oracle = read(document)
    variables = variables_of(document)
    merged, forms = _merged(oracle, document, variables)
    judge = _Judge(document, oracle, variables)
    values = _values(merged, forms, most)
    if values is None:
        return None
    found = []
    for (measure, parts), possible in values:
        sensitive = judge(measure, parts, possible)
        computed = len(possible) == 1
        narrow = not computed and measure in oracle.counts and sensitive is True
        if computed or narrow:
            crossed = _crossed(document, oracle, variables, measure, parts)
            low, high = possible[0], possible[-1]
            found.append(Implied(measure, parts, low, high, computed, narrow, sensitive, crossed))
    return found


def possible_tables(document: Document, most: int = MOST) -> int | None:
    """How many tables fit, over the leaves that statements tell apart; None: more than `most`, or no limit."""
    oracle = read(document)
    merged, _ = _merged(oracle, document, variables_of(document))
    tables = merged.tables(most)
    return None if tables is None else len(tables)


def _merged(
    oracle: Oracle, document: Document, variables: Mapping[str, Variable]
) -> tuple[Oracle, dict[tuple[str, Parts], np.ndarray]]:
    """The oracle over leaves that statements tell apart, and the form of every combination over these."""
    grid = list(itertools.product(*(v.leaves for v in variables.values())))
    columns = [(measure, leaf) for measure in oracle.units for leaf in grid]
    _, kind = np.unique(oracle.matrix.T, axis=0, return_inverse=True)
    kind = kind.ravel()
    measure_of = np.array([list(oracle.units).index(measure) for measure, _ in columns])
    # The same statements, but another measure: told apart all the same.
    groups = sorted({(int(measure_of[j]), int(kind[j])) for j in range(len(columns)) if oracle.matrix[:, j].any()})
    members = [np.flatnonzero((measure_of == m) & (kind == k)) for m, k in groups]
    representatives = [int(at[0]) for at in members]
    merged = replace(oracle, matrix=oracle.matrix[:, representatives], forms={})
    listed = {_short(form, members) for form in oracle.forms.values()}
    forms: dict[tuple[str, Parts], np.ndarray] = {}
    seen = set(listed)
    for measure in oracle.units:
        elements = [_elements(oracle, document, measure, at, v) for at, v in enumerate(variables.values())]
        for parts in itertools.product(*elements):
            form = np.array(
                [m == measure and all(x in p for x, p in zip(leaf, parts, strict=True)) for m, leaf in columns], float
            )
            short = _short(form, members)
            if short is None or short in seen or not any(short):
                continue
            if form[[not oracle.matrix[:, j].any() for j in range(len(columns))]].any():
                continue
            seen.add(short)
            forms[measure, parts] = np.array(short)
    return merged, forms


def _short(form: np.ndarray, members: Sequence[np.ndarray]) -> tuple[float, ...] | None:
    """The form over merged leaves; None if it splits some."""
    if any(len(np.unique(form[at])) > 1 for at in members):
        return None
    return tuple(float(form[at[0]]) for at in members)


def _stated(document: Document, oracle: Oracle, measure: str) -> list[tuple[str, ...]]:
    """The codes of all cells of which anything is stated, those in links among them."""
    found = [codes for m, codes in oracle.cells if m == measure]
    variables = variables_of(document)
    for link in document.get("links", ()):
        for _, place in link["terms"]:
            if (place.get("measure") or next(iter(oracle.units))) == measure:
                found.append(tuple(place.get(name, v.total) for name, v in variables.items()))
    return found


def _elements(oracle: Oracle, document: Document, measure: str, at: int, variable: Variable) -> list[frozenset[str]]:
    """Codes and atoms."""
    used = {variable.covers[codes[at]] for codes in _stated(document, oracle, measure)}
    signature: dict[tuple[bool, ...], set[str]] = {}
    ordered = sorted(used, key=sorted)
    for leaf in variable.leaves:
        marks = tuple(leaf in code for code in ordered)
        if any(marks):
            signature.setdefault(marks, set()).add(leaf)
    elements = {*variable.covers.values(), *(frozenset(s) for s in signature.values())}
    return sorted((e for e in elements if e), key=lambda e: (len(e), sorted(e)))


def _values(
    merged: Oracle, forms: Mapping[tuple[str, Parts], np.ndarray], most: int
) -> Iterator[tuple[tuple[str, Parts], list[int]]] | None:
    """The values of every combination over all tables, ascending (a computed one alone where all are too many)."""
    tables = merged.tables(most)
    if tables is not None:
        rounded = np.rint(tables).astype(int)
        return ((name, np.unique(rounded @ form.astype(int)).tolist()) for name, form in forms.items() if len(tables))
    exact = merged.lower == merged.upper
    if merged.nonnegative or not exact.all():
        return None
    # Only equations: a sum has one value exactly if it is a combination of them.
    rank = np.linalg.matrix_rank(merged.matrix)
    solution = np.linalg.lstsq(merged.matrix, merged.lower, rcond=None)[0]
    alone = [
        (name, form) for name, form in forms.items() if np.linalg.matrix_rank(np.vstack([merged.matrix, form])) == rank
    ]
    return ((name, [round(float(form @ solution))]) for name, form in alone)


def _crossed(document: Document, oracle: Oracle, variables: Mapping[str, Variable], measure: str, parts: Parts) -> bool:
    """Whether statements cross any two variables that do not stand at everything."""
    stated = _stated(document, oracle, measure)
    covers = [v.covers for v in variables.values()]
    every = [frozenset().union(*(c[codes[at]] for codes in stated)) for at, c in enumerate(covers)]
    away = [at for at, (part, whole) in enumerate(zip(parts, every, strict=True)) if part != whole]
    crossing = [{at for at, c in enumerate(covers) if c[codes[at]] != every[at]} for codes in stated]
    return all(any({a, b} <= some for some in crossing) for a, b in itertools.combinations(away, 2))


class _Judge:
    """Whether all values that a combination can have are sensitive; None where no rule can tell."""

    def __init__(self, document: Document, oracle: Oracle, variables: Mapping[str, Variable]) -> None:
        self._document, self._oracle, self._variables = document, oracle, variables
        self._rules: Sequence[Mapping[str, Any]] = document.get("policy", {}).get("primary", ())
        self._frequencies = {m: self._known_frequencies(m) for m in oracle.units if m not in oracle.counts}

    def __call__(self, measure: str, parts: Parts, possible: Sequence[int]) -> bool | None:
        if not self._rules:
            return None
        if measure in self._oracle.counts:
            return all(any(_few(rule, value, value) for rule in self._rules) for value in possible)
        if len(possible) > 1:
            return None
        microdata = self._document.get("microdata")
        if microdata is not None:
            given = self._contributions(microdata, measure, parts)
            return any(_few(rule, len(given), possible[0]) or _close(rule, given) for rule in self._rules)
        counts = self._contributors(measure, parts)
        if counts is None or not all("threshold" in rule for rule in self._rules):
            return None
        verdicts = {any(_few(rule, n, possible[0]) for rule in self._rules) for n in counts}
        return verdicts.pop() if len(verdicts) == 1 else None

    def _contributions(self, microdata: Mapping[str, Any], measure: str, parts: Parts) -> list[int]:
        rows = microdata["cells"]
        unit = self._oracle.units[measure]
        names = list(self._variables)
        inside = [
            k
            for k in range(len(rows["id"]))
            if all(rows[name][k] in part for name, part in zip(names, parts, strict=True))
        ]
        return [int(Fraction(rows[microdata["values"][measure]][k]) / unit) for k in inside]

    def _known_frequencies(self, measure: str) -> tuple[np.ndarray, np.ndarray] | None:
        """(forms, numbers of contributors) of the cells of which tables tell how many contribute."""
        found: dict[tuple[str, ...], int] = {}
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
