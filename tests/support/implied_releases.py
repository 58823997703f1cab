"""Random small releases that leave something out: rows, categories, differences of groups; with rules that judge it."""

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from oracle import Document, Variable, variables_of
from random_releases import SCHEMAS, Maker

MORE_SCHEMAS: Sequence[Sequence[Sequence[int]]] = (
    *SCHEMAS,
    ((0, 1), (1, 2), (2, 3)),
    ((0, 1, 2), (2, 3)),
    ((0, 1), (2, 3)),
    ((0, 1, 2, 3),),
)
"""Up to four variables."""


class LeavingOut(Maker):
    """As `Maker`, with truths everywhere, policies, and more left out."""

    def __init__(self, random: Random, *, base: int = 16) -> None:
        super().__init__(
            random,
            base=base,
            largest=random.choice([3, 3, 6, 9]),
            rounded=random.choice([0, 0, 0, 20, 60]),
            damaged=0,
            truths=100,
            schema=random.choice(MORE_SCHEMAS),
        )

    def document(self) -> Document:
        """One release."""
        document = super().document()
        self._rules(document)
        variables = variables_of(document)
        for at in range(self.random.choice([0, 0, 1, 2, 2])):
            table = self._group_table(f"q{at}", document, variables)
            if table is not None:
                document["tables"].append(table)
        for table in document["tables"]:
            if self.chance(60):
                self._publish_more(table)
            if self.chance(50):
                self._leave_out(table)
        document["tables"] = [t for t in document["tables"] if t["cells"]["value"]] or document["tables"][:1]
        if not document["tables"][0]["cells"]["value"]:
            return self.document()
        self._agency(document, variables)
        return document

    def _rules(self, document: Document) -> None:
        counts = [m for m, said in document["measures"].items() if said["kind"] == "count"]
        intruder = document.setdefault("intruder", {})
        intruder["insiders"] = []  # outsiders alone are compared
        intruder.pop("coalition", None)
        if counts:
            intruder.pop("nonnegative", None)
        rule: dict[str, Any] = {"threshold": str(self.random.choice([2, 3, 3, 4, 5]))}
        if self.chance(20):
            rule["zeros"] = True
        document["policy"] = {"primary": [rule]}

    def _group_table(self, name: str, document: Document, variables: Mapping[str, Variable]) -> dict[str, Any] | None:
        """A query about a group of leaves (or about everything but some), by another variable or by none."""
        random = self.random
        wide = [v for v, known in variables.items() if len(known.leaves) > 2]
        if not wide:
            return None
        grouped = random.choice(wide)
        leaves = list(variables[grouped].leaves)
        members = random.sample(leaves, random.randint(2, len(leaves)))
        where: dict[str, Any] = {grouped: sorted(members)}
        others = [v for v in variables if v != grouped]
        across = random.choice([*others, None])
        for other in others:
            if other != across and variables[other].total is None:
                where[other] = random.choice(variables[other].leaves)
        measure = random.choice(list(document["measures"]))
        unit = Fraction(document["measures"][measure].get("unit", "1"))
        codes = [None] if across is None else [c for c in variables[across].covers if self.chance(85)]
        cells: dict[str, list[Any]] = {} if across is None else {across: []}
        cells |= {"value": [], "status": [], "truth": []}
        for code in codes:
            place = {} if across is None else {across: code}
            true = self._true(measure, place, where, variables, self.hidden)
            withheld = self.chance(12)
            if across is not None:
                cells[across].append(code)
            cells["value"].append(None if withheld else _text(true * unit))
            cells["status"].append(random.choice(["primary", "secondary"]) if withheld else "published")
            cells["truth"].append(_text(true * unit))
        said = {"where": where, "status": "status", "truth": "truth", "absent": {"leaves": "not_released"}}
        return {"name": name, "measure": measure, "cells": cells, **said} if codes else None

    def _publish_more(self, table: dict[str, Any]) -> None:
        """Most of what is withheld, so that not too many tables fit."""
        cells = table["cells"]
        for row, status in enumerate(cells["status"]):
            if "rounding" not in table and status in ("primary", "secondary", "withheld") and self.chance(70):
                cells["status"][row], cells["value"][row] = "published", cells["truth"][row]

    def _leave_out(self, table: dict[str, Any]) -> None:
        """Some rows, or all of one code."""
        cells = table["cells"]
        columns = [c for c in cells if c not in ("value", "status", "truth", "lo", "hi")]
        count = len(cells["value"])
        gone = set(self.random.sample(range(count), min(count, self.random.randint(1, 2))))
        if columns and self.chance(40):
            column = cells[self.random.choice(columns)]
            code = self.random.choice(column)
            gone = {k for k, other in enumerate(column) if other == code}
        absent = dict(table.get("absent", {}))
        zeros = all(cells["truth"][k] == "0" for k in gone)
        absent["leaves"] = "zero" if zeros and absent.get("leaves") != "not_released" else "not_released"
        if self.chance(70):
            absent["totals"] = "not_released"
        table["absent"] = absent
        for column in cells:
            cells[column] = [entry for k, entry in enumerate(cells[column]) if k not in gone]

    def _agency(self, document: Document, variables: Mapping[str, Variable]) -> None:
        """Frequencies or microdata, which magnitudes need and counts may have."""
        magnitudes = [m for m, said in document["measures"].items() if said["kind"] == "magnitude"]
        rounded = any("rounding" in t for t in document["tables"])
        negative = document["intruder"].get("nonnegative") is False
        known = {
            place: 0 if value == 0 else self.random.choice([1, 1, 2, 3, 6]) for place, value in self.hidden.items()
        }
        if len(document["measures"]) == 1 and self.chance(40 if magnitudes else 15) and not rounded and not negative:
            self._microdata(document, known)
            return
        for table in document["tables"]:
            if table["measure"] in magnitudes:
                table["frequency"] = "f"
                table["absent"] = {**table.get("absent", {}), "totals": "not_released"}  # a sum has no frequency
                table["cells"]["f"] = [
                    str(self._number(table, row, variables, known)) for row in range(len(table["cells"]["value"]))
                ]

    def _number(
        self, table: Mapping[str, Any], row: int, variables: Mapping[str, Variable], known: Mapping[Any, int]
    ) -> int:
        codes = {name: table["cells"][name][row] for name in variables if name in table["cells"]}
        return self._true(table["measure"], codes, table.get("where", {}), variables, known)

    def _microdata(self, document: Document, known: Mapping[tuple[str, ...], int]) -> None:
        [measure] = document["measures"]
        names = list(document["variables"])
        count = document["measures"][measure]["kind"] == "count"
        unit = Fraction(document["measures"][measure].get("unit", "1"))
        cells: dict[str, list[Any]] = {name: [] for name in (*names, "id", *([] if count else ["m"]))}
        for (_, *place), value in self.hidden.items():
            for share in [1] * value if count else self._shares(value, known[(measure, *place)]):
                for name, code in zip(names, place, strict=True):
                    cells[name].append(code)
                cells["id"].append(f"u{len(cells['id'])}")
                if not count:
                    cells["m"].append(_text(share * unit))
        if not cells["id"]:
            return
        document["microdata"] = {"cells": cells, "id": "id", **({} if count else {"values": {measure: "m"}})}
        if not count and self.chance(50):
            document["policy"]["primary"].append({"p_percent": str(self.random.choice([10, 20, 50]))})

    def _shares(self, value: int, parts: int) -> list[int]:
        cuts = sorted(self.random.randint(0, value) for _ in range(min(parts, value) - 1))
        return [b - a for a, b in itertools.pairwise([0, *cuts, value])] if value else []


def _text(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else str(float(value))
