"""Random two-way tables of weighted counts with rows left out, and what these give away."""

from collections.abc import Collection
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
from scipy.optimize import linprog

ROWS, COLUMNS = "AB", "xyz"
TOTAL = "T"
WEIGHTS = ("0.25", "1", "7.5", "40", "300.125")

Place = tuple[str, str]


class WeightedTable:
    """Values are sums of weights, rounded; respondents and weights stand in columns of the agency's."""

    def __init__(self, random: Random, *, most_left_out: int = 2) -> None:
        inner = list(product(ROWS, COLUMNS))
        people = {place: [Fraction(w) for w in random.choices(WEIGHTS, k=random.randint(0, 6))] for place in inner}
        self.respondents = self._with_totals({place: Fraction(len(own)) for place, own in people.items()})
        self.weights = self._with_totals({place: sum(own, Fraction()) for place, own in people.items()})
        rounded = {place: Fraction(round(self.weights[place])) for place in inner}
        self.value = self._with_totals(rounded)
        self.left_out = set(random.sample(inner, random.randint(1, most_left_out)))

    @staticmethod
    def _with_totals(inner: dict[Place, Fraction]) -> dict[Place, Fraction]:
        def total(a: str, b: str) -> Fraction:
            return sum((n for (i, j), n in inner.items() if a in (i, TOTAL) and b in (j, TOTAL)), Fraction())

        return {(a, b): total(a, b) for a, b in product(ROWS + TOTAL, COLUMNS + TOTAL)}

    def document(self, rule: dict[str, Any], *, kind: str = "count", column: bool = True) -> dict[str, Any]:
        """A release file; column: with the agency's column that the rule asks for."""
        listed = [place for place in self.value if place not in self.left_out]
        key, stated = self._stated(rule)
        cells: dict[str, list[Any]] = {
            "a": [a for a, _ in listed],
            "b": [b for _, b in listed],
            "value": [int(self.value[place]) for place in listed],
        }
        table: dict[str, Any] = {"name": "t", "absent": {"leaves": "not_released"}, "cells": cells}
        if column:
            cells["n"] = [str(float(stated[place])) for place in listed]
            if key == "frequency":
                cells["n"] = [int(stated[place]) for place in listed]
            table[key] = "n"
        return {
            "tableseal": 1,
            "kind": kind,
            **({"unit": 1} if kind == "magnitude" else {}),
            "variables": {"a": {"total": TOTAL, "codes": list(ROWS)}, "b": {"total": TOTAL, "codes": list(COLUMNS)}},
            "tables": [table],
            "policy": {"primary": [rule]},
        }

    def given_away(self, rule: dict[str, Any]) -> set[Place]:
        """Cells left out that the published totals give, and of which the rule finds too little behind them."""
        open_, found = set(self.left_out), set()
        while True:
            alone = {
                place
                for place in open_
                if not any(other != place and other[0] == place[0] for other in open_)
                or not any(other != place and other[1] == place[1] for other in open_)
            }
            if not alone:
                break
            open_, found = open_ - alone, found | alone
        _, stated = self._stated(rule)
        some = {p for p in found if rule.get("zeros") or stated[p] > 0 or self.value[p] != 0}
        return {p for p in some if stated[p] < rule["threshold"]}

    def possible(self, place: Place, shown: Collection[Place]) -> tuple[float, float]:
        """The least and the largest value of an inner cell, by linear programming, if these cells are published."""
        inner = list(product(ROWS, COLUMNS))
        sums = [[float(a in (i, TOTAL) and b in (j, TOTAL)) for i, j in inner] for a, b in shown]
        values = [float(self.value[p]) for p in shown]
        goal = np.array([float(p == place) for p in inner])
        ends = [linprog(sign * goal, A_eq=sums, b_eq=values) for sign in (1, -1)]
        assert all(end.status in (0, 3) for end in ends)
        return tuple(sign * end.fun if end.status == 0 else np.inf for sign, end in zip((1, -1), ends, strict=True))

    def _stated(self, rule: dict[str, Any]) -> tuple[str, dict[Place, Fraction]]:
        weighted = rule.get("of") == "weighted"
        return ("weighted", self.weights) if weighted else ("frequency", self.respondents)
