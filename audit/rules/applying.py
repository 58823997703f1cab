"""Whether every rule of a policy has something to judge in a release."""

from tableseal.audit.errors import InputError
from tableseal.audit.model import RULE_IDLE, Note, Policy, Release
from tableseal.audit.rules.facts import MAGNITUDES, Kind
from tableseal.audit.rules.rule import Rule
from tableseal.audit.wording import listing

_WORDS: dict[Kind, str] = {"count": "counts", "magnitude": "magnitudes"}


def idle_rules(release: Release, policy: Policy) -> tuple[Rule, ...]:
    """The rules that look at no table of a release, because of what it tabulates."""
    kinds = _kinds(release)
    return tuple(rule for rule in policy.primary if not rule.kinds & kinds)


def refuse_idle(release: Release, policy: Policy) -> None:
    """Refuse rules that would judge nothing: all of a policy, or one whose data the release has all the same.

    Raises
    ------
    InputError: names them, what they look at, and what to write.
    """
    idle = idle_rules(release, policy)
    if any(table.contributors for table in release.tables) and (unused := [r for r in idle if r.kinds == MAGNITUDES]):
        idle, beside = tuple(unused), ", though tables name contributors"
    elif idle and len(idle) == len(policy.primary):
        beside = ""
    else:
        return
    judged = " or ".join(sorted({_WORDS[kind] for rule in idle for kind in rule.kinds}))
    names = listing(rule.name for rule in idle)
    raise InputError(
        f"{names}: judges {judged} only, and all here are {_words_of(release)}{beside}; mend the `kind` of the values, "
        "or leave such rules out.",
        at="policy",
        keys=("kind",),
    )


def idle_notes(release: Release, policy: Policy) -> tuple[Note, ...]:
    """What is to be said of rules that judge nothing beside others that do."""
    idle = idle_rules(release, policy)
    if not idle:
        return ()
    text = f"{listing(rule.name for rule in idle)}: judged nothing here, where all are {_words_of(release)}."
    return (Note(RULE_IDLE, text, len(idle)),)


def _kinds(release: Release) -> set[Kind]:
    return {release.measures[table.measure].kind for table in release.tables}


def _words_of(release: Release) -> str:
    return " and ".join(_WORDS[kind] for kind in sorted(_kinds(release)))
