"""What attacks on a changed release brought: how many true counts come back."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from tableseal.audit.attacks.outcome import Targets
from tableseal.audit.codec.kinds import Count, Digest, Rounded


@dataclass(frozen=True)
class Tally:
    """How many of some true counts come back."""

    counts: Annotated[Count, "True counts that were aimed at."]
    exact: Annotated[Count, "Of these come back exactly."]
    within_one: Annotated[Count, "Come back within 1 (the exact ones included)."]


@dataclass(frozen=True)
class Tallies:
    """The same of all counts, of zeros, and of small counts."""

    all: Tally
    zeros: Annotated[Tally, "True zeros."]
    small: Annotated[Tally, "True counts from 1 to below the threshold."]


@dataclass(frozen=True)
class Point:
    """A range of changes, or a base, and how many counts come back where all counts are changed anew by it."""

    range: Annotated[Count, "No count changes by more; or the base of the rounding."]
    counts: Annotated[Count, "True counts that were aimed at, over all draws."]
    exact: Annotated[Count, "Of these come back exactly."]
    small: Annotated[Count, "Likewise, of true counts from 1 to below the threshold."]
    unaided: Annotated[
        Count, "Published values that are the true counts anyway, where guesses count; 0 where something is proved."
    ]

    @property
    def share(self) -> Fraction:
        """Of the true counts, how many come back exactly that the published values do not tell anyway."""
        return Fraction(max(self.exact - self.unaided, 0), max(self.counts, 1))


@dataclass(frozen=True)
class Curve:
    """How wide the range, or how large the base, would have to be."""

    by: Annotated[
        Literal["range", "base"],
        "base: counts were rounded one by one, and are rounded to other bases; range: noise of other ranges is drawn.",
    ]
    points: tuple[Point, ...]
    enough: Annotated[
        int | None,
        "Least range tried at which at most the tolerated share comes back exactly (of guesses: more than published "
        "values tell anyway); null: the widest is not enough.",
    ]


@dataclass(frozen=True)
class Replayed:
    """One attack."""

    attack: str
    targets: Annotated[
        Targets,
        "published: true counts behind published ones; unlisted: counts that no table lists and that are left over.",
    ]
    proved: Annotated[
        Tallies | None,
        "What the stated scheme proves: exact, one value is left; within_one, a range of three at most. null: the "
        "attack proves nothing.",
    ]
    guessed: Annotated[Tallies, "How near the attacker's best guess is."]
    example: Annotated[str | None, "Arithmetic of the count that tells most; null: none comes back."]
    range_at_least: Annotated[
        Count | None,
        "How wide the range of changes is at least, found from published values alone; null: not looked for.",
    ]
    curve: Annotated[Curve | None, "By the range of changes; null: not asked for, or nothing to aim at."]


@dataclass(frozen=True)
class AttackReport:
    """What a release with changed counts still gives away. Confidential: it rests on true counts."""

    schema: ClassVar[Literal["tableseal/attack/1"]] = "tableseal/attack/1"
    title: str
    release_sha256: Digest
    threshold: Annotated[Count, "Counts from 1 to below this are small."]
    tolerated: Annotated[Rounded, "Share of counts that may come back, for curves."]
    seed: Annotated[Count, "Of the draws of curves."]
    draws: Annotated[Count, "For each range of a curve."]
    stated: Annotated[tuple[str, ...], "How readers are told that counts were changed, table by table."]
    largest_change: Annotated[Rounded, "Largest difference between a published and a true count."]
    as_published: Annotated[Tallies, "How near published values are to the true counts, without any attack."]
    attacks: tuple[Replayed, ...]
    stopped_by: Annotated[
        Literal["time"] | None,
        "time: bounds may be wider than they need be, and curves shorter; null: nothing was cut.",
    ] = None
