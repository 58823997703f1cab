"""Check the proof of an audit with nothing but this file, Python, the proof and the canonical JSON release.

    python verify.py PROOF RELEASE.json       exit code 0: accepted, 1: refused, 2: not a proof or not a release

All is in units of the measures and in exact fractions. A *leaf* is one leaf code for every variable; a cell is the sum
of the leaves below its codes. What the release says of cells, and its links, are *statements* low <= sum <= high, which
this file reads from the release by itself. Accepted is a proof in which
1. no value lies beyond an outer end: multipliers y of statements leave in cell - sum of y * statement no negative
   coefficient on any leaf (none at all if values may be negative), so cell >= sum of y * (low if y > 0 else high),
   rounded up; an upper end is the same of -cell. Or so in two cases: a sum of leaves is <= at, or >= at + 1, unless
   multipliers show that a case holds no table;
2. an attained end is reached by a table of leaves that satisfies every statement. The reference table is checked in
   full, others are changes to it: a statement that no changed leaf belongs to stays satisfied;
3. an end without limit has a direction that can be added to the reference table for ever;
4. every listed cell without one published value has a claim; so may others have. Ends not proved are counted.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import product
from math import ceil, inf
from pathlib import Path
from typing import Any

Cell = tuple[str, ...]  # measure, code of every variable; with leaf codes: a leaf
Region = tuple[frozenset[str], ...]  # measure, leaf codes of every variable
Ends = tuple[Any, Any]  # low, high: fractions; -inf and inf where there is no limit
Statement = tuple[list[tuple[Any, Any]], Ends]  # cells (or lists of leaf codes) with their coefficients, and ends
SHOWN = {"published", "consent", "must_publish", "frozen", "structural_zero"}
SIDES = (("lower", 1), ("upper", -1))


class RefusedError(Exception):
    """The proof does not prove what it claims; the text is the reason."""


def demand(holds: bool, reason: str) -> None:
    if not holds:
        raise RefusedError(reason)


def covers_of(variable: Any) -> dict[str, frozenset[str]]:
    """Code -> the leaf codes below it. Below a code of a tree stand nothing (null), a list of codes, or a tree."""
    covers = {code: frozenset([code]) for code in variable["codes"]}

    def walk(code: str, inside: Any) -> frozenset[str]:
        if inside is not None:
            below = inside if isinstance(inside, dict) else dict.fromkeys(inside)
            covers[code] = frozenset().union(*(walk(child, deeper) for child, deeper in below.items()))
        return covers[code]

    for code, inside in (branch for tree in variable.get("trees", []) for branch in tree.items()):
        walk(code, inside)
    whole = {variable.get("total"): frozenset().union(*covers.values()) or frozenset([variable.get("total")])}
    return covers | (whole if "total" in variable else {})


class Release:
    """What a canonical release says of cells and links."""

    def __init__(self, document: Any) -> None:
        self.variables = document["variables"]
        self.covers = [covers_of(variable) for variable in self.variables.values()]
        self.units = {measure: Fraction(entry["unit"]) for measure, entry in document["measures"].items()}
        self.nonnegative = document["intruder"]["nonnegative"] is True
        self.absent: list[Any] = []  # measure, listed cells, codes: other combinations of these codes are zero
        self.said: dict[Cell, Ends] = defaultdict(lambda: (-inf, inf))
        status: dict[Cell, set[str]] = defaultdict(set)
        for table in document["tables"]:
            self.read_table(table, status)
        demand(document["intruder"].get("prior") is None, "an intruder's prior rests on true values")
        silent = {cell for cell, words in status.items() if not words & SHOWN}
        for cell in silent if document["intruder"]["nonempty"] is True else ():
            self.say(cell, 1 if status[cell] - {"missing"} else -inf, inf)
        self.open = silent | {cell for cell in status if len(set(self.bounds(cell))) > 1}
        self.links: list[Statement] = []
        for link in document.get("links", []):
            cells = [(at["measure"], *(at[name] for name in self.variables)) for _, at in link["terms"]]
            terms = [(c, Fraction(x) * self.units[c[0]]) for c, (x, _) in zip(cells, link["terms"], strict=True)]
            low, high = (Fraction(link[end]) if end in link else None for end in ("lower", "upper"))
            self.links.append((terms, (-inf if low is None else low, inf if high is None else high)))

    def say(self, cell: Cell, low: Any, high: Any) -> None:
        self.said[cell] = max(self.said[cell][0], low), min(self.said[cell][1], high)

    def read_table(self, table: Any, status: dict[Cell, set[str]]) -> None:
        columns, unit, derived = table["cells"], self.units[table["measure"]], table.get("derived", {})
        rows, where, rounding = len(columns[table["value"]]), table.get("where", {}), table.get("rounding", {})
        codes = [columns.get(name) or rows * [where.get(name, v.get("total"))] for name, v in self.variables.items()]
        spelled = [[inf if n is None else Fraction(n) / unit for n in entry] for entry in rounding.get("ranges", [])]
        base, ranges = Fraction(rounding.get("base", unit)) / unit, {x: (low, high) for x, low, high in spelled}
        ways: Any = {"conventional": (base // 2, (base - 1) // 2), "up": (base - 1, 0), "down": (0, base - 1)}
        below, above = ways.get(rounding.get("method"), (base - 1, base - 1))
        cells: list[Cell] = [(table["measure"], *row) for row in zip(*codes, strict=True)]
        said = [columns.get(table.get(key), rows * [None]) for key in ("status", "value", "lower", "upper")]
        for cell, word, *numbers in zip(cells, *said, strict=True):
            value, low, high = (None if x is None else Fraction(x) / unit for x in numbers)
            status[cell].add(word)
            self.say(cell, -inf if low is None else low, inf if high is None else high)
            if word == "structural_zero":
                self.say(cell, 0, 0)
            elif word in SHOWN and value is not None:
                self.say(cell, *ranges.get(value, (value - below, value + above)))
        for *sum_codes, x in derived.get("totals", []):  # totals without a row that everyone can add up
            status[total := (table["measure"], *sum_codes)].add("published")
            self.say(total, Fraction(x) / unit, Fraction(x) / unit)
        if "zeros" in derived:  # combinations of these codes that have no row are zero
            self.absent.append((table["measure"], set(cells), [set(derived["zeros"][name]) for name in self.variables]))

    def bounds(self, cell: Cell) -> Ends:
        """What is said of a cell, by rows or because a table that could list it has no row for it."""
        low, high = self.said.get(cell, (-inf, inf))
        for measure, listed, finest in self.absent:
            if measure == cell[0] and cell not in listed and all(map(set.__contains__, finest, cell[1:])):
                low, high = max(low, 0), min(high, 0)
        return max(low, 0) if self.nonnegative else low, high

    def region(self, cell: Any) -> Region:
        """A measure and, for every variable, the leaves below a code, or the leaf codes of a list."""
        at = zip(self.covers, cell[1:], strict=True)
        return frozenset(cell[:1]), *(covers[c] if isinstance(c, str) else frozenset(c) for covers, c in at)


def never_negative(terms: list[tuple[Region, Any]], nonnegative: bool, v: int = 0) -> bool:
    """On every leaf the weights of the regions it lies in add up to at least 0 (to 0 if values may be negative).
    Variable by variable (the first is the measure), leaf codes that no region tells apart are looked at once."""
    if all(weight >= 0 for _, weight in terms) and (nonnegative or not terms):
        return True
    if v == len(terms[0][0]):
        total = sum(weight for _, weight in terms)
        return bool(total >= 0 if nonnegative else total == 0)
    inside: dict[str, set[frozenset[str]]] = defaultdict(set)
    for cover in {region[v] for region, _ in terms}:
        for leaf in cover:
            inside[leaf].add(cover)
    kinds = set(map(frozenset, inside.values()))
    return all(never_negative([t for t in terms if t[0][v] in kind], nonnegative, v + 1) for kind in kinds)


class Checker:
    """Checks one proof against one release."""

    def __init__(self, proof: Any, release: Release) -> None:
        self.proof, self.release, self.base = proof, release, dict[Cell, Any]()
        self.above = cache(lambda v, leaf: [code for code, cover in release.covers[v].items() if leaf in cover])
        said = [(s, s if isinstance(s, int) else 0) for s in proof["statements"]]  # cells, or numbers of links (from 1)
        self.statements = [release.links[n - 1] if n else ([(s, 1)], release.bounds(tuple(s))) for s, n in said]
        self.reference = self.leaves(proof["reference"])
        if proof["tables"] or proof["rays"]:
            self.base = self.fit(self.reference, everything=True)
        tables = [self.leaves(table) for table in proof["tables"]]
        self.whole = [all(x.denominator == 1 for x in (self.reference | table).values()) for table in tables]
        self.changes = [self.fit({c: x - self.reference.get(c, 0) for c, x in t.items()}) for t in tables]
        whole = all(x.denominator == 1 for x in self.reference.values())
        demand(whole or not proof["rays"], "the reference table is not of whole units")
        self.rays = [self.fit(self.leaves(ray), ray=True) for ray in proof["rays"]]

    def leaves(self, records: Any) -> dict[Cell, Any]:
        """Records [measure, leaf codes, value]."""
        found = {tuple(leaf): x if isinstance(x, int) else Fraction(x) for *leaf, x in records}
        for leaf, value in found.items():
            demand(self.release.region(leaf) == tuple(frozenset([c]) for c in leaf), f"{leaf} has codes of sums")
            demand(value >= 0 or not self.release.nonnegative, f"a table is negative at {leaf}")
        return found

    def fit(self, leaves: Mapping[Cell, Any], everything: bool = False, ray: bool = False) -> dict[Cell, Any]:
        """What leaves add to cells, once it is sure that they break no statement (of those they touch, or of all)."""
        change, base = defaultdict[Cell, Any](int), {} if ray else self.base
        for leaf, x in leaves.items():
            for codes in product(*(self.above(v, code) for v, code in enumerate(leaf[1:]))):
                change[leaf[0], *codes] += x
        cells = {*change, *self.release.said} if everything else set(change)
        links = [link for link in self.release.links if everything or any(cell in cells for cell, _ in link[0])]
        for terms, ends in [([(cell, 1)], self.release.bounds(cell)) for cell in cells] + links:
            total = sum(w * (base.get(cell, 0) + change.get(cell, 0)) for cell, w in terms)
            low, high = (0 if ray and abs(end) != inf else end for end in ends)
            demand(low <= total <= high, f"a table does not fit what is said of {terms[0][0]}")
        return change

    def least(self, node: Any, form: Mapping[Region, Any], cases: list[Any]) -> Any:
        """What a proof shows the form to be at least, in these cases; inf: no table is left."""
        if "split" in node:
            part, at = [(region, 1) for region in node["split"]], int(node["at"])
            low = self.least(node["low"], form, [*cases, (part, (-inf, at))])
            return min(low, self.least(node["high"], form, [*cases, (part, (at + 1, inf))]))
        rest, total = defaultdict[Region, Any](int, {} if node["empty"] else form), 0
        for n, multiplier in node["y"]:  # statements of the list: 0, 1, ...; cases, the outermost first: -1, -2, ...
            y = multiplier if isinstance(multiplier, int) else Fraction(multiplier)
            terms, ends = cases[-1 - n] if n < 0 else self.statements[n]
            bound = ends[0] if y > 0 else ends[1]
            demand(abs(bound) != inf, "a multiplier uses an end that its statement does not have")
            total += y * bound
            for cell, weight in terms:
                rest[self.release.region(cell)] -= y * weight
        demand(never_negative(list(rest.items()), self.release.nonnegative), "multipliers leave a negative coefficient")
        demand(total > 0 or not node["empty"], "multipliers do not show that a case is empty")
        return inf if node["empty"] else ceil(total)

    def claim(self, cell: Cell, sign: int, end: Any) -> tuple[int, int]:
        """Check one end; which of its two halves (outer, attained) are proved."""
        if "outer" in end:
            least = self.least(end["proof"], {self.release.region(cell): sign}, [])
            demand(least >= sign * Fraction(end["outer"]), "the multipliers prove less")
        for kind in {"attained", "continuous"} & set(end):
            (value, n), base = end[kind], self.base.get(cell, 0)
            demand(base + self.changes[n].get(cell, 0) == Fraction(value), "the table does not reach it")
            demand(self.whole[n] or kind == "continuous", "the table is not of whole units")
        if "ray" in end:
            demand(sign * self.rays[end["ray"]].get(cell, 0) < 0, "the direction does not lead there")
        return "outer" in end or "ray" in end, "attained" in end or "ray" in end


def check(proof_file: bytes, release_file: bytes) -> dict[str, int]:
    """Ends that are proved, attained, and claimed without proof. ValueError: not a proof or not a release."""
    try:
        proof, document, digest = json.loads(proof_file), json.loads(release_file), sha256(release_file).hexdigest()
        demand(proof["schema"] == "tableseal/proof/1", "another kind of file")
        demand(proof["release"]["sha256"] == digest, "of another release, or this one is not in canonical form")
        checker = Checker(proof, Release(document))
        missing = checker.release.open - {tuple(map(str, claim["cell"])) for claim in proof["claims"]}
        demand(not missing, f"no claim of {min(missing, default=())}")
        ends = [checker.claim(tuple(c["cell"]), sign, c[side]) for c in proof["claims"] for side, sign in SIDES]
        count = {"ends": len(ends), "proved": sum(p for p, _ in ends), "attained": sum(a for _, a in ends)}
        demand(count == proof["counts"], "the proof proves more or less than it states")
        return count
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"not in the form of a proof or of a canonical release ({error!r})") from error


def main(files: list[str]) -> int:
    try:
        count = check(*(Path(file).read_bytes() for file in files))
        print("Accepted: {proved} of {ends} ends proved, {attained} attained.".format(**count))
        return 0
    except RefusedError as reason:
        print(f"Refused: {reason}.")
        return 1
    except (OSError, TypeError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
