"""What the engine is to reach, and whether it does: ratios within one run, seconds, shares, memory."""

from dataclasses import dataclass
from typing import Protocol

from cases.benchmarks import scaling
from cases.benchmarks.competitors import BY_NAME, OURS
from cases.benchmarks.competitors.tableseal_bounds import OPEN
from cases.benchmarks.rows import Results

SOLVER_STEPS = ("probe", "simplex", "integer programs", "joint integer programs", "witness rounds", "relax and fix")
"""Steps of `audit.bounds` that call a linear or integer programming solver."""

YES, NO, UNKNOWN = "yes", "**no**", "–"


class Target(Protocol):
    """Something to reach, in words, and (what was measured, whether it is met)."""

    @property
    def words(self) -> str: ...

    def check(self, results: Results) -> tuple[str, str]: ...


@dataclass(frozen=True)
class Ratio:
    """Our bounds alone are so many times faster than a competitor."""

    instance: str
    competitor: str
    times: float

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.instance}: {self.times:g} times faster than {BY_NAME[self.competitor].title}"

    def check(self, results: Results) -> tuple[str, str]:
        """A competitor that was stopped takes at least its limit."""
        ours, other = results.row(self.instance, OURS), results.row(self.instance, self.competitor)
        if ours is None or other is None or ours.seconds is None:
            return UNKNOWN, UNKNOWN if ours is None or other is None else NO
        if other.seconds is not None:
            ratio = other.seconds / ours.seconds
            return f"{ratio:.3g} times", YES if ratio >= self.times else NO
        if other.status == "limit":
            ratio = other.limit / ours.seconds
            return f"> {ratio:.3g} times", YES if ratio >= self.times else UNKNOWN
        return UNKNOWN, UNKNOWN


@dataclass(frozen=True)
class Seconds:
    """Our bounds alone take no longer."""

    instance: str
    seconds: float

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.instance}: all bounds in {self.seconds:g} s"

    def check(self, results: Results) -> tuple[str, str]:
        """CPU seconds; stopped at the limit is missed."""
        ours = results.row(self.instance, OURS)
        if ours is None:
            return UNKNOWN, UNKNOWN
        if ours.seconds is None:
            return f"> {ours.limit:g} s" if ours.status == "limit" else ours.status, NO
        return f"{ours.seconds:.3g} s", YES if ours.seconds <= self.seconds else NO


@dataclass(frozen=True)
class Exact:
    """A share of all ends is proved and attained."""

    instance: str
    share: float

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.instance}: {100 * self.share:g}% of all ends proved and attained"

    def check(self, results: Results) -> tuple[str, str]:
        """Whole numbers on both sides."""
        ours = results.row(self.instance, OURS)
        if ours is None:
            return UNKNOWN, UNKNOWN
        if ours.exact is None:
            return ours.status, NO
        return f"{100 * ours.exact:.5g}%", YES if ours.exact >= self.share else NO


@dataclass(frozen=True)
class WithoutSolver:
    """A share of all ends is closed by our own methods, no solver called."""

    instance: str
    share: float

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.instance}: {100 * self.share:g}% of all ends closed without a solver"

    def check(self, results: Results) -> tuple[str, str]:
        """Steps that call a solver, and what is left open, do not count."""
        ours = results.row(self.instance, OURS)
        if ours is None or not ours.methods:
            return UNKNOWN, UNKNOWN
        share = sum(share for step, share in ours.methods.items() if step not in (*SOLVER_STEPS, OPEN))
        return f"{100 * share:.4g}%", YES if share >= self.share else NO


@dataclass(frozen=True)
class Command:
    """The command, from start to exit, takes no longer and holds no more memory."""

    point: str
    title: str
    seconds: float
    megabytes: float

    @property
    def words(self) -> str:
        """The target in words."""
        return f"{self.title}, start to exit: {self.seconds:g} s, {self.megabytes:,.0f} MB"

    def check(self, results: Results) -> tuple[str, str]:
        """CPU seconds of the process."""
        point = results.point(self.point)
        if point is None:
            return UNKNOWN, UNKNOWN
        if point.cpu is None or point.peak_mb is None:
            return f"> {point.limit:g} s" if point.status == "limit" else point.status, NO
        met = point.cpu <= self.seconds and point.peak_mb <= self.megabytes
        return f"{point.cpu:.3g} s, {point.peak_mb:,.0f} MB", YES if met else NO


_PEERS_PATTERNS = ("fh3d_mid:gconfid", "mh3d_mid:gconfid", "mh3d_mid:tauargus_mod", "mh2d_big:tauargus_mod")

TARGETS: tuple[Target, ...] = (
    *(Ratio(name, "gconfid", 100) for name in _PEERS_PATTERNS),
    *(Ratio(name, "pytauargus", 50) for name in _PEERS_PATTERNS),
    *(WithoutSolver(name, 0.95) for name in (*_PEERS_PATTERNS, "hierM", "hierL")),
    Ratio("hierL", "glpk_components", 10),
    Seconds("hierL", 1),
    Seconds("2d300", 1),
    Exact("2d300", 1),
    Ratio("3d20", "glpk_components", 7),
    Seconds("3d20", 3),
    Exact("3d40", 0.999),
    Seconds("3d40", 120),
    Command("size6", "a million cells", 60, 4096),
    Command("trees7", "ten million cells, three trees", 360, 12288),
    Command(scaling.START, "100 cells", 1, 4096),
)
