"""The names of the methods that change values, what each does, in words, and its settings. Loads nothing: options and
forms say it, too."""

from collections.abc import Mapping

from tableseal.audit.language import words_of

WORDS: Mapping[str, str] = words_of(
    {
        "conventional-rounding": "each cell to its nearest multiple of the base",
        "controlled-rounding": "multiples of the base that add up over all tables",
        "perturbation": "counts become others by a matrix of probabilities",
        "post-randomisation": "categories of records become others by a matrix of probabilities",
        "random-controlled-rounding": "multiples of the base that add up over all tables, drawn at random",
        "random-rounding": "each cell up or down at random, without bias",
        "record-swapping": "households exchange their regions with others that are alike",
        "sampling": "a random sample of the records is drawn, and tables are estimated from it",
        "semi-controlled-rounding": "the same, and the total, or a margin, is a rounding of itself and adds up",
        "small-count-rounding": "only published counts below the base disappear; tables add up",
        "noise": "all that a contributor gives, by one factor of its own; tables add up",
        "tabular-adjustment": "tables that add up in which sensitive cells move by what protects them",
        "cell-key": "each count by the key of its cell, the same in every table",
        "redesign": "categories are combined until nothing is sensitive, for the least loss",
        "cell-key-magnitudes": "each sum by the key of its cell and its largest contributions, the same in every table",
        "synthetic": "inner cells are drawn anew, from all tables with the true margins",
    }
)

NEEDS: Mapping[str, tuple[str, ...]] = {
    "conventional-rounding": ("base",),
    "controlled-rounding": ("base",),
    "post-randomisation": ("variable",),
    "random-controlled-rounding": ("base",),
    "random-rounding": ("base",),
    "record-swapping": ("variable", "rate"),
    "sampling": ("share",),
    "semi-controlled-rounding": ("base",),
    "small-count-rounding": ("base",),
    "noise": ("share", "least"),
    "tabular-adjustment": ("share",),
}
"""Method -> settings without which it cannot be; methods that need none are left out (a test compares)."""

TAKES: Mapping[str, tuple[str, ...]] = {
    "perturbation": ("stay", "reach", "invariant", "draws", "margins", "by"),
    "post-randomisation": ("stay", "invariant", "draws", "by"),
    "record-swapping": ("similar", "anonymity", "risk_by", "carry"),
    "semi-controlled-rounding": ("by",),
    "noise": ("shape", "balanced"),
    "tabular-adjustment": ("range", "cost"),
    "cell-key": (
        "range",
        "variance",
        "never",
        "unchanged",
        "modulus",
        "unbiased_from",
        "withhold_below",
        "additive",
        "missing_keys",
    ),
    "cell-key-magnitudes": (
        "range",
        "variance",
        "modulus",
        "scale",
        "weights",
        "small_share",
        "large_share",
        "point",
        "power",
        "more",
        "zero_keys",
        "missing_keys",
    ),
    "redesign": ("loss", "neighbours"),
}
"""Method -> settings that it has besides, likewise."""
