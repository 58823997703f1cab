"""Rules said with the question itself: `--threshold 5`, in place of a policy file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import MaxLen

from tableseal.api.options.option import Option, Options
from tableseal.api.options.texts import pairs
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.audit.model import Policy


@dataclass(frozen=True, kw_only=True)
class GivenRules(Options):
    """Rules that together are the policy; where none is given, the policy of the release decides."""

    threshold: Annotated[
        str | None,
        Option("Fewer than N contributors (counts: a value below N) are sensitive. Instead of a policy.", metavar="N"),
        MaxLen(40),
    ] = None
    p_percent: Annotated[
        str | None,
        Option("Magnitudes: p% rule, with P in percent. Instead of a policy.", metavar="P"),
        MaxLen(40),
    ] = None
    dominance: Annotated[
        tuple[str, ...],
        Option(
            "Magnitudes: the N largest contributions exceed K percent. Instead of a policy.",
            metavar="N,K",
        ),
    ] = ()

    def documents(self) -> list[tuple[OptionName, Mapping[str, object]]]:
        """(option as it was given, rule as a policy file writes it).

        Raises
        ------
        InputError: `dominance` without a comma.
        """
        found: list[tuple[OptionName, Mapping[str, object]]] = []
        if self.threshold is not None:
            found.append((OptionName("threshold", self.threshold), {"threshold": self.threshold}))
        if self.p_percent is not None:
            found.append((OptionName("p_percent", self.p_percent), {"p_percent": self.p_percent}))
        parted = pairs(self.dominance, "dominance", "N,K, such as 1,85", sign=",")
        for text, (n, k) in zip(self.dominance, parted, strict=True):
            rule = {"dominance": {"n": n.strip(), "k": k.strip()}}
            found.append((OptionName("dominance", text), rule))
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

        for option, document in documents:
            try:
                policy_from_document({"primary": [document]})
            except InputError:
                raise InputError(expected=_EXPECTED[option.name], at=option) from None
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


_EXPECTED = {
    "threshold": "a whole number of at least 1, such as 5",
    "p_percent": "a percentage above 0, such as 10",
    "dominance": "N,K with a whole number N of at least 1 and a percentage K above 0 and at most 100, such as 1,85",
}
