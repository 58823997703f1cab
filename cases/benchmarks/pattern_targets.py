"""What the searches for secondary cells are to reach: a cost, a proved gap, seconds; never an unsafe pattern."""

from dataclasses import dataclass

from cases.benchmarks.rows import Pattern, Results
from cases.benchmarks.targets import NO, UNKNOWN, YES

OPTIMAL, HEURISTIC = "tableseal_optimal", "tableseal_heuristic"


@dataclass(frozen=True)
class Cheap:
    """One search on one table.

    most: cost that is not to be exceeded, None: any. gap: the largest share of the cost that may stay unproved, None:
    any. seconds: CPU seconds.
    """

    instance: str
    most: float | None
    gap: float | None
    seconds: float
    method: str = OPTIMAL

    @property
    def words(self) -> str:
        """The target in words."""
        cost = "a safe pattern" if self.most is None else f"cost at most {self.most:,.0f}"
        proved = "" if self.gap is None else ", proved optimal" if self.gap == 0 else f", gap at most {self.gap:.0%}"
        return f"{self.instance}: {cost}{proved}, {self.seconds:g} s"

    def check(self, results: Results) -> tuple[str, str]:
        """What was measured, and whether it is met; a pattern that GLPK does not call safe misses all."""
        made = results.pattern(self.instance, self.method)
        if made is None or made.status == "missing":
            return UNKNOWN, UNKNOWN
        if made.cost is None:
            return f"nothing within {made.limit:g} s" if made.status == "limit" else made.status, NO
        unproved = gap(made)
        proved = "" if unproved is None else ", optimal" if unproved == 0 else f", gap {unproved:.2%}"
        unsafe = f", {made.underprotected} under-protected" if made.underprotected else ""
        met = (
            not unsafe
            and (self.most is None or made.cost <= self.most)
            and (self.gap is None or (unproved is not None and unproved <= self.gap))
            and made.cpu <= self.seconds
        )
        return f"{made.cost:,.0f}{proved}, {made.cpu:.3g} s{unsafe}", YES if met else NO


def gap(made: Pattern) -> float | None:
    """Share of the cost that is not proved to be needed; None where the program proves nothing."""
    if made.cost is None or made.bound is None:
        return None
    return max(0.0, made.cost - made.bound) / made.cost if made.cost else 0.0


BEST_KNOWN = {
    "m2d_30": 2_731,
    "f2d_30": 18,
    "f2d_30s": 50,
    "f3d_6": 295,
    "f3d_10": 223,
    "fh2d_mid": 666,
    "mh2d_mid": 502_806,
    "fh3d_small": 1_449,
}
"""Cost of the cheapest pattern that anybody found before, for tables that take seconds."""

CHEAPEST_OF_OTHERS = {"mh3d_mid": 2_181_368, "mh2d_big": 9_016_925, "fh2d_big": 10_392}
"""Cost of the cheapest pattern of gconfid or tau-ARGUS, for tables too large for their optimal methods; the first two
leave cells under-protected."""

PATTERN_TARGETS = (
    *(Cheap(name, most, 0.0, 5) for name, most in BEST_KNOWN.items()),
    Cheap("f3d_10s", 490, 0.0, 60),
    Cheap("mh3d_small", 1_064_738, 0.0, 60),
    Cheap("fh3d_mid", 3_713, 0.01, 120),
    *(Cheap(name, most - 1, 0.03, 120) for name, most in CHEAPEST_OF_OTHERS.items()),
    Cheap("lf_mid", 384, None, 30),
    Cheap("lm_mid", 300_047, None, 30),
    Cheap("f3d_20", None, 0.2, 300),
    Cheap("hierL_sparse", None, None, 120, HEURISTIC),
)
