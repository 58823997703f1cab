"""The primary rules there are: reading of policies, their schema and the words of rules are made from them.

A rule that may be said without a policy (`--threshold 5`) is declared as an option, too: in `api/options/rules.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from tableseal.audit.plugins import blaming, load, names, refusal
from tableseal.audit.rules.attribute import Attribute
from tableseal.audit.rules.dominance import Dominance
from tableseal.audit.rules.entropy import Entropy
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement
from tableseal.audit.rules.pq import PQ
from tableseal.audit.rules.request import Request
from tableseal.audit.rules.rule import Rule, parameters
from tableseal.audit.rules.threshold import Threshold

RULES: tuple[type[Rule], ...] = (Threshold, Dominance, PQ, Entropy, Request, Attribute)

KEYS: Mapping[str, type[Rule]] = {key: rule for rule in RULES for key in rule.policy_keys()}
"""Key in policy files -> rule."""

GROUP: Final = "tableseal.rules"


def rule_of(key: str) -> type[Rule] | None:
    """The rule with that key in policy files: one of ours, or one that an installed package adds; None: there is none.

    Raises
    ------
    PluginError: a package that cannot be loaded, or adds something else than a rule.
    """
    if key in KEYS:
        return KEYS[key]
    found = load(GROUP, key, KEYS)
    if found is None:
        return None
    if not (isinstance(found, type) and issubclass(found, Rule)) or getattr(found, "key", None) != key:
        raise refusal(GROUP, key, f'is no subclass of tableseal.audit.rules.Rule with the key "{key}"')
    try:
        parameters(found)
    except (AttributeError, StopIteration, TypeError, NameError):
        raise refusal(GROUP, key, "has fields that are not annotated with a Parameter") from None
    return found


def judged_by(rule: Rule, facts: Facts) -> Judgement:
    """What a rule says of every cell.

    Raises
    ------
    As Rule.judge. PluginError: a rule that a package adds fails, or gives something else.
    """
    if rule.key in KEYS:
        return rule.judge(facts)
    with blaming(GROUP, rule.key):
        found = rule.judge(facts)
    if not isinstance(found, Judgement) or found.sensitive.shape != (len(facts.cells),):
        raise refusal(GROUP, rule.key, "gives no Judgement of every cell")
    return found


def added_rules() -> Iterator[type[Rule]]:
    """Those that installed packages add."""
    yield from (rule for name in names(GROUP, KEYS) if (rule := rule_of(name)) is not None)
