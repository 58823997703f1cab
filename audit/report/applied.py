"""By which rule a release was judged, or that nothing judged it, in words. Loads nothing: pages of the service say it,
too."""

from collections import Counter
from collections.abc import Iterable, Sequence

WHAT_TO_SAY = (
    "say what is sensitive: --threshold N (--p-percent P, --dominance N,K, --policy FILE), a policy in the release "
    "file, or a column of statuses"
)
"""What to do where nothing was judged."""


def verdict_word(verdict: str, judged: bool | None) -> str:
    """What a verdict is called: "safe", "not judged". judged: None where there is no report."""
    return "not judged" if judged is False else verdict


def applied_words(rules: Sequence[str], judged: bool) -> str:
    """By which rules a release was judged: "Rule: threshold 5; p% 10."."""
    if rules:
        return f"Rule: {'; '.join(rules)}."
    return "No rule: the statuses in the file decide what is sensitive." if judged else "No rule, and no status."


def applied_to_each(releases: Iterable[tuple[Sequence[str], bool]]) -> list[str]:
    """By which rules several releases, each (rules, judged), were judged: a line for all, or one with a number for each
    kind."""
    found = Counter(applied_words(rules, judged) for rules, judged in releases)
    if len(found) == 1:
        return list(found)
    return [f"{count:,} {'release' if count == 1 else 'releases'}: {words}" for words, count in sorted(found.items())]
