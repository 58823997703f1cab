"""Rules said with the question itself: `--threshold 5`, in place of a policy file.

This is the one place that a rule which may be said so is declared: a field of `GivenRules`, with the words of its
option and (`AsRule`) what a policy file, a form and a first release file say of it. Options of the command and over
HTTP, keywords of Python, the form for marking columns and what `tableseal init` writes are made from that. It is here
and not with the rules because these load numpy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import MaxLen

from tableseal.api.options.option import Declared, Option, Options, declared
from tableseal.api.options.texts import pairs
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from fractions import Fraction

    from tableseal.audit.model import Policy

    # Who calls from Python passes numbers, which become the texts that options are.
    Whole = int | str | None
    Number = float | Fraction | str | None
    Pairs = tuple[float, float] | Sequence[tuple[float, float]] | tuple[str, ...] | str | None
else:
    Whole = Number = str | None
    Pairs = tuple[str, ...]


@dataclass(frozen=True)
class Asks:
    """One number of a rule, as a form asks for it. part: its key inside the rule in a policy file; empty: the number
    stands behind the key of the rule itself."""

    label: str
    hint: str
    part: str = ""


@dataclass(frozen=True)
class AsRule:
    """What is said of an option that is a rule; its name is the key of the rule in policy files.

    expected: what it may say. such: the numbers of an example. told: what the example means, for a first release file.
    asked: the numbers. python: what Python takes; said: its help there, if it is another one.
    """

    expected: str
    such: tuple[str, ...]
    told: str
    asked: tuple[Asks, ...]
    python: Any
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class GivenRules(Options):
    """Rules that together are the policy; where none is given, the policy of the release decides."""

    threshold: Annotated[
        Whole,
        Option("Fewer than N contributors (counts: a value below N) are sensitive. Instead of a policy.", metavar="N"),
        MaxLen(40),
        AsRule(
            "a whole number of at least 1, such as 5",
            ("5",),
            "fewer than 5 contributors (counts: values from 1 to 4) are sensitive",
            (Asks("Fewest contributors", "A cell with fewer is sensitive; of counts: a smaller value."),),
            int | str | None,
        ),
    ] = None
    p_percent: Annotated[
        Number,
        Option("Magnitudes: p% rule, with P in percent. Instead of a policy.", metavar="P"),
        MaxLen(40),
        AsRule(
            "a percentage above 0, such as 10",
            ("10",),
            "magnitudes: the second largest contributor estimates the largest to within 10%",
            (
                Asks(
                    "p% rule: p",
                    "No contributor may estimate another to p percent. Needs the two largest contributions.",
                ),
            ),
            float | str | None,
        ),
    ] = None
    dominance: Annotated[
        Pairs,
        Option(
            "Magnitudes: the N largest contributions exceed K percent. Instead of a policy.",
            metavar="N,K",
        ),
        AsRule(
            "N,K with a whole number N of at least 1 and a percentage K above 0 and at most 100, such as 1,85",
            ("1", "85"),
            "magnitudes: the largest contribution is more than 85% of the value",
            (
                Asks("Dominance: n", "The n largest contributions ...", "n"),
                Asks("Dominance: k in percent", "... may not make up more than k percent.", "k"),
            ),
            tuple[float, float] | list[tuple[float, float]] | str | None,
            "(n, k): sensitive if the n largest contributions exceed k percent; or a list of such pairs.",
        ),
    ] = ()

    def documents(self) -> list[tuple[OptionName, Mapping[str, object]]]:
        """(option as it was given, rule as a policy file writes it).

        Raises
        ------
        InputError: a rule of two numbers without a comma.
        """
        found: list[tuple[OptionName, Mapping[str, object]]] = []
        for one, rule in said_rules():
            given = getattr(self, one.name)
            for text in given if one.several else () if given is None else (given,):
                numbers = [text]
                if len(rule.asked) > 1:
                    ((first, second),) = pairs((text,), one.name, f"{one.option.metavar}, such as {_such(rule)}", ",")
                    numbers = [first.strip(), second.strip()]
                found.append((OptionName(one.name, text), document_of_rule(one.name, rule, numbers)))
        return found

    def to_policy(self) -> "Policy | None":
        """The policy that these rules are, None if there are none.

        Raises
        ------
        InputError: names the option, what it says and what it may say.
        """
        documents = self.documents()
        if not documents:
            return None
        from tableseal.audit.io import policy_from_document

        expected = {one.name: rule.expected for one, rule in said_rules()}
        for option, document in documents:
            try:
                policy_from_document({"primary": [document]})
            except InputError:
                raise InputError(expected=expected[option.name], at=option) from None
        return policy_from_document({"primary": [document for _, document in documents]})

    def instead_of(self, file: Path | None) -> "Path | Policy | None":
        """What goes before the policy of a release: a policy file, or these rules.

        Raises
        ------
        InputError: there are both; rules that say nothing sensible.
        """
        given = self.to_policy()
        if given is None:
            return file
        if file is not None:
            (option, _), *_ = self.documents()
            text = ("rules are in the policy file already; give either ", OptionName("policy"), " or rules, not both.")
            raise InputError(*text, at=option)
        return given


def rule_note(one: Declared) -> AsRule | None:
    """What an option says of itself as a rule; None: it is none."""
    return next((note for note in one.bounds if isinstance(note, AsRule)), None)


@cache
def said_rules() -> tuple[tuple[Declared, AsRule], ...]:
    """The rules that may be said with the question, in order."""
    return tuple((one, note) for one in declared(GivenRules) if (note := rule_note(one)) is not None)


def document_of_rule(key: str, rule: AsRule, numbers: list[str]) -> dict[str, object]:
    """A rule with these numbers as a policy file writes it."""
    parts = {asked.part: number for asked, number in zip(rule.asked, numbers, strict=True)}
    return {key: parts.get("", parts)}


def form_fields() -> Iterator[tuple[str, str, Asks]]:
    """(name of the field in a form, key of the rule, what is asked) of every number: threshold, dominance_n, ..."""
    for one, rule in said_rules():
        for asked in rule.asked:
            yield "_".join(filter(None, (one.name, asked.part))), one.name, asked


def in_release_file() -> str:
    """The rules that may be chosen, as lines of a policy that are comments, each with an example and what it means."""
    shown = []
    for one, rule in said_rules():
        inside = ", ".join(f"{asked.part}: {number}" for asked, number in zip(rule.asked, rule.such, strict=True))
        shown.append(f"#    - {one.name}: {f'{{{inside}}}' if rule.asked[0].part else rule.such[0]}".ljust(36))
    return "\n".join(f"{line}# {rule.told}" for line, (_, rule) in zip(shown, said_rules(), strict=True))


def _such(rule: AsRule) -> str:
    return ",".join(rule.such)
