"""By which rule a release was judged, or that nothing judged it, in words. Loads nothing: pages of the service say it,
too."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tableseal.audit.errors import OptionName
from tableseal.audit.language import gettext as _
from tableseal.audit.language import ngettext, numerals, phrase, plurals_of, put
from tableseal.audit.said import Do, Said

RULE_IT = (
    *("say what is sensitive: ", OptionName("threshold", "N"), " (", OptionName("p_percent", "P"), ", "),
    *(OptionName("dominance", "N,K"), ", ", OptionName("policy", "FILE"), "), "),
)
"""What to do where nothing was judged, with options as data; other ways to say it follow."""

WHAT_TO_SAY = Said(*RULE_IT, Do("rules"))
"""The same with these."""


AS_LISTED: Final = "safe as listed"
"""What is safe is called where cells that no row lists can be computed and no rule could judge them."""


def verdict_word(verdict: str, judged: bool | None) -> str:
    """What a verdict is called: "safe", "not judged". judged: None where there is no report."""
    return "not judged" if judged is False else verdict


def shouted(word: str) -> str:
    """A verdict as a text begins with it: "UNSAFE", "SAFE as listed"."""
    return AS_LISTED.replace("safe", "SAFE") if word == AS_LISTED else word.upper()


def word_of(said: Mapping[str, Any]) -> str:
    """What the verdict of an answer in JSON is called (a batch, a release of one, a publication); of answers that were
    kept before they said so, their verdict."""
    return said.get("called") or verdict_word(said["verdict"], said.get("judged"))


def counts_words(counts: Mapping[str, int]) -> str:
    """How many releases of a batch have which verdict: "2 safe (1 as listed), 0 unsafe, 1 undecided (1 not judged), 0
    failed"."""
    within = {"safe": ("safe_as_listed", "as listed"), "undecided": ("not_judged", "not judged")}
    said = []
    for verdict in ("safe", "unsafe", "undecided", "failed"):
        key, words = within.get(verdict, ("", ""))
        more = f" ({numerals(f'{counts[key]:,}')} {_(words)})" if counts.get(key) else ""
        said.append(f"{numerals(f'{counts[verdict]:,}')} {_(verdict)}{more}")
    return ", ".join(said)


def applied_words(rules: Sequence[str], judged: bool) -> str:
    """By which rules a release was judged: "Rule: threshold 5; p% 10."."""
    if rules:
        return put("Rule: {rules}.", rules="; ".join(map(phrase, rules)))
    if judged:
        return _("No rule: the statuses, roundings and intervals in the file decide what is sensitive.")
    return _("No rule, and no status.")


def applied_to_each(releases: Iterable[tuple[Sequence[str], bool]]) -> list[str]:
    """By which rules several releases, each (rules, judged), were judged: a line for all, or one with a number for each
    kind."""
    found = Counter(applied_words(rules, judged) for rules, judged in releases)
    if len(found) == 1:
        return list(found)
    return [f"{releases_words(count)}: {words}" for words, count in sorted(found.items())]


def releases_words(count: int) -> str:
    """ "1 release", "2,000 releases"."""
    return ngettext(*_RELEASES[0], count).format(n=numerals(f"{count:,}"))


_RELEASES = plurals_of((("{n} release", "{n} releases"),))
