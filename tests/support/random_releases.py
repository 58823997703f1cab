"""Random small releases as documents, made from a hidden table so that most of them are possible."""

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from oracle import Document, Variable, rounded_from, variables_of

SHAPES: Sequence[Mapping[str, Any]] = (
    {"total": "T", "codes": ["1", "2"]},
    {"total": "T", "codes": ["1", "2", "3"]},
    {"codes": ["1", "2"]},
    {"total": "T", "tree": {"A": ["1", "2"], "B": ["3"]}},
    {"total": "T", "tree": {"A": {"A1": ["1", "2"]}, "B": ["3", "4"]}},
    {"total": "T", "trees": [{"A": ["1", "2"], "B": ["3"]}, {"P": ["1"], "Q": ["2", "3"]}]},
    {"total": "T", "trees": [{"A": ["1", "2"], "B": ["3", "4"]}, {"Q": ["2", "3"]}]},
    {"codes": ["3"], "tree": {"A": ["1", "2"]}},
)
"""Flat, without total, nested with one-child levels, several groupings (crossing, partial)."""

SCHEMAS: Sequence[Sequence[Sequence[int]]] = (
    ((0,),),
    ((0, 1),),
    ((0, 1), (0,)),
    ((0, 1), (1, 2)),
    ((0, 1), (1, 2), (0, 2)),
    ((0, 1, 2),),
    ((0, 1), (2,)),
    ((0, 1), (0, 1)),
)
"""Which variables each table crosses: alone, linked in chains and triangles, not linked at all."""


class Maker:
    """Makes one document; every choice comes from `random`."""

    def __init__(
        self,
        random: Random,
        *,
        base: int = 12,
        largest: int = 3,
        rounded: int = 25,
        linked: int = 15,
        damaged: int = 15,
        truths: int = 20,
        nonnegative: bool = False,
        schema: Sequence[Sequence[int]] | None = None,
        shapes: Sequence[Mapping[str, Any]] | None = None,
        first_shape: Mapping[str, Any] | None = None,
        coefficients: Sequence[int] = (1, 1, -1, 2, -3),
    ) -> None:
        """base: most base cells of a measure; largest: largest base cell; rounded, linked, damaged,
        truths: percentages; nonnegative: never negative; schema: variables of each table; shapes: their
        classifications; first_shape: that of the first one; coefficients: of links."""
        self.random, self.base, self.largest = random, base, largest
        self.rounded, self.linked, self.damaged = rounded, linked, damaged
        self.truths, self.nonnegative = truths, nonnegative
        self.schema, self.shapes, self.first_shape = schema, shapes, first_shape
        self.coefficients = coefficients
        self.hidden: dict[tuple[str, ...], int] = {}
        """(measure, leaf of every variable) -> value, in units, behind the latest document."""

    def chance(self, percent: int) -> bool:
        """True in that many percent of the cases."""
        return self.random.randrange(100) < percent

    def document(self) -> Document:
        """One release."""
        random = self.random
        schema = self.schema or random.choice(SCHEMAS)
        two = self.chance(15) and max(v for table in schema for v in table) < 2
        shapes = self.shapes or self._shapes(
            1 + max(v for table in schema for v in table), self.base // 2 if two else self.base
        )
        # A code that stands in two variables is allowed and must not confuse anything.
        variables = {f"v{i}": dict(shape) for i, shape in enumerate(shapes)}
        measures: dict[str, Any] = {"n": {"kind": "count"}}
        if self.chance(20) and not two:
            measures = {"m": {"kind": "magnitude", "unit": random.choice(["0.1", "5", "1"])}}
        elif two:
            measures = {"m": {"kind": "magnitude", "unit": random.choice(["0.1", "1"])}, "n": {"kind": "count"}}
        document: Document = {"tableseal": "1", "measures": measures, "variables": variables, "tables": []}
        intruder: dict[str, Any] = {}
        if self.chance(15):
            intruder["nonempty"] = True
        if self.chance(8) and not self.nonnegative:
            intruder["nonnegative"] = False
        if self.chance(15):
            intruder["coalition"] = random.choice([2, 3])
        if intruder:
            document["intruder"] = intruder
        known = variables_of(document)
        self.hidden = hidden = self._hidden(known, measures)
        for at, crossed in enumerate(schema):
            table = self._table(at, crossed, known, measures, hidden)
            if table is not None:
                document["tables"].append(table)
        if not document["tables"]:
            return self.document()
        if two or self.chance(self.linked):
            document["links"] = [self._link(known, measures, hidden, two) for _ in range(random.randint(1, 2))]
        if self.chance(self.damaged):
            self._damage(document)
        return document

    def _shapes(self, count: int, room: int) -> list[Mapping[str, Any]]:
        if self.first_shape is not None:
            room = max(room, 16)
        while True:
            chosen = [self.random.choice(SHAPES) for _ in range(count)]
            if self.first_shape is not None:
                chosen[0] = self.first_shape
            size = 1
            for shape in chosen:
                size *= len(variables_of({"variables": {"v": shape}, "tables": []})["v"].leaves)
            if size <= room:
                return chosen

    def _hidden(self, variables: Mapping[str, Variable], measures: Mapping[str, Any]) -> dict[tuple[str, ...], int]:
        grid = itertools.product(measures, *(v.leaves for v in variables.values()))
        return {place: self.random.choice([0, 0, 1, 1, 2, self.largest]) for place in grid}

    def _table(
        self,
        at: int,
        crossed: Sequence[int],
        variables: Mapping[str, Variable],
        measures: Mapping[str, Any],
        hidden: Mapping[tuple[str, ...], int],
    ) -> dict[str, Any] | None:
        random = self.random
        measure = random.choice(list(measures))
        names = list(variables)
        table: dict[str, Any] = {"name": f"t{at}", "measure": measure, "cells": {}}
        where: dict[str, Any] = {}
        axes: list[list[str]] = []
        columns = []
        for i, name in enumerate(names):
            variable = variables[name]
            if i in crossed:
                columns.append(name)
                axes.append(self._codes(variable))
            elif variable.total is None or self.chance(12):
                codes = [c for c in variable.covers if c != variable.total]
                if variable.total is not None and len(variable.leaves) > 2 and self.chance(40):
                    where[name] = random.sample(list(variable.leaves), 2)
                else:
                    where[name] = random.choice(codes)
        if where:
            table["where"] = where
        unit = Fraction(measures[measure].get("unit", "1"))
        rounding = None
        if self.chance(self.rounded):
            base = random.choice([2, 3, 3, 4, 5])
            method = random.choice(["conventional", "random", "controlled", "up", "down"])
            rounding = (base, method)
            table["rounding"] = {"base": str(base * unit), "method": method}
        if self.chance(65):
            totals = "compute" if rounding is None and self._simple(axes, columns, variables) else "not_released"
            table["absent"] = {"leaves": random.choice(["zero", "not_released", "not_released"]), "totals": totals}
        withheld, missing = random.choice([(15, 0), (35, 5), (60, 10), (0, 0)])
        data: dict[str, list[Any]] = {name: [] for name in (*columns, "value", "status", "lo", "hi")}
        truths: list[Any] = []
        for codes in itertools.product(*axes):
            true = self._true(measure, dict(zip(columns, codes, strict=True)), where, variables, hidden)
            if self.chance(60 if true == 0 else 2):
                continue
            status = "published"
            if self.chance(withheld):
                status = random.choice(["primary", "secondary", "withheld"])
            elif self.chance(missing):
                status = "missing"
            elif true == 0 and self.chance(20):
                status = "structural_zero"
            elif self.chance(4):
                status = random.choice(["frozen", "must_publish"])
            shown = true if rounding is None else self._rounded(true, *rounding)
            silent = status in ("primary", "secondary", "withheld", "missing")
            for name, code in zip(columns, codes, strict=True):
                data[name].append(code)
            keep = rounding is None and self.chance(50)
            data["value"].append(None if silent and not keep else _text(shown, unit))
            data["status"].append(status)
            bounded = silent and self.chance(15)
            data["lo"].append(_text(max(0, true - random.randint(0, 1)), unit) if bounded and self.chance(60) else None)
            data["hi"].append(_text(true + random.randint(0, 2), unit) if bounded and self.chance(70) else None)
            truths.append(_text(true, unit))
        if not truths:
            return None
        if self.chance(self.truths):
            data["truth"] = truths
            table["truth"] = "truth"
        table["status"] = "status"
        for name, column in (("lower", "lo"), ("upper", "hi")):
            if any(v is not None for v in data[column]):
                table[name] = column
            else:
                del data[column]
        table["cells"] = data
        return table

    def _codes(self, variable: Variable) -> list[str]:
        every = list(variable.covers)
        leaves = list(variable.leaves)
        groups = [c for c in every if c not in leaves and c != variable.total]
        total = [] if variable.total is None else [variable.total]
        menu = [every, every, [*total, *leaves], leaves, [*total, *groups], self.random.sample(every, len(every) - 1)]
        return self.random.choice([m for m in menu if m])

    def _simple(self, axes: Sequence[Sequence[str]], columns: Sequence[str], variables: Mapping[str, Variable]) -> bool:
        """No two listed codes mean the same (else it is open which of the two is added up)."""
        for name, axis in zip(columns, axes, strict=True):
            covered = [variables[name].covers[c] for c in (*axis, *variables[name].leaves)]
            if len(set(covered)) < len({*axis, *variables[name].leaves}):
                return False
        return True

    def _true(
        self,
        measure: str,
        codes: Mapping[str, str],
        where: Mapping[str, Any],
        variables: Mapping[str, Variable],
        hidden: Mapping[tuple[str, ...], int],
    ) -> int:
        wanted = []
        for name, variable in variables.items():
            chosen = codes.get(name, where.get(name, variable.total))
            members = [chosen] if isinstance(chosen, str) else chosen
            wanted.append(frozenset().union(*(variable.covers[c] for c in members)))
        return sum(
            value
            for (m, *place), value in hidden.items()
            if m == measure and all(p in w for p, w in zip(place, wanted, strict=True))
        )

    def _rounded(self, true: int, base: int, method: str) -> int:
        down = true // base * base
        spans = {v: rounded_from(v, base, method, True) for v in (down, down + base)}
        fits = [v for v, (low, high) in spans.items() if low <= true <= high]
        return self.random.choice(fits)

    def _link(
        self,
        variables: Mapping[str, Variable],
        measures: Mapping[str, Any],
        hidden: Mapping[tuple[str, ...], int],
        across: bool,
    ) -> dict[str, Any]:
        random = self.random
        terms: list[Any] = []
        value = Fraction(0)
        for k in range(random.randint(2, 3)):
            measure = list(measures)[k % len(measures)] if across else random.choice(list(measures))
            place = {n: random.choice(list(v.covers)) for n, v in variables.items()}
            coefficient = random.choice(self.coefficients)
            true = self._true(measure, place, {}, variables, hidden)
            value += coefficient * true * Fraction(measures[measure].get("unit", "1"))
            terms.append([str(coefficient), {"measure": measure, **place}])
        kind = random.choice(["equal", "between", "low", "high"])
        link: dict[str, Any] = {"terms": terms}
        if kind in ("between", "low", "equal"):
            link["lower"] = str(value - (0 if kind == "equal" else Fraction(random.randint(0, 4), 3)))
        if kind in ("between", "high", "equal"):
            link["upper"] = str(value + (0 if kind == "equal" else Fraction(random.randint(0, 4), 3)))
        return link

    def _damage(self, document: Document) -> None:
        """Change one published value, so that the release is (mostly) impossible."""
        table = self.random.choice(document["tables"])
        cells = table["cells"]
        rows = [i for i, s in enumerate(cells["status"]) if s == "published"]
        if not rows:
            return
        row = self.random.choice(rows)
        unit = Fraction(document["measures"][table["measure"]].get("unit", "1"))
        step = Fraction(table["rounding"]["base"]) if "rounding" in table else unit
        value = max(Fraction(0), Fraction(cells["value"][row]) + self.random.choice([-1, 1, 2]) * step)
        cells["value"][row] = _text(int(value / unit), unit)
        if "truth" in cells and "rounding" not in table:
            cells["truth"][row] = cells["value"][row]


def _text(units: int, unit: Fraction) -> str:
    return str(units * unit) if (units * unit).denominator == 1 else str(float(units * unit))
