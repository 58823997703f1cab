"""Rules said with the question itself: `--threshold 5`, in place of a policy file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.model import Policy


class GivenRules(BaseModel):
    """Rules that together are the policy; where none is given, the policy of the release decides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threshold: Annotated[
        str | None,
        Field(max_length=40, description="Fewest contributors (counts: smallest value) that are not sensitive."),
    ] = None
    p_percent: Annotated[str | None, Field(max_length=40, description="p% rule for magnitudes: its P, in percent.")] = (
        None
    )
    dominance: Annotated[
        tuple[str, ...],
        Field(description="N,K: sensitive if the N largest contributions exceed K percent. May be repeated."),
    ] = ()

    def alone(self) -> "GivenRules":
        """These rules without what else was said with them."""
        return GivenRules(**self.model_dump(include=set(GivenRules.model_fields)))

    def documents(self) -> list[tuple[str, Mapping[str, object]]]:
        """(option as it was given, rule as a policy file writes it).

        Raises
        ------
        InputError: `dominance` without a comma.
        """
        found: list[tuple[str, Mapping[str, object]]] = []
        if self.threshold is not None:
            found.append((f"--threshold {self.threshold}", {"threshold": self.threshold}))
        if self.p_percent is not None:
            found.append((f"--p-percent {self.p_percent}", {"p_percent": self.p_percent}))
        for text in self.dominance:
            n, comma, k = text.partition(",")
            if not comma:
                raise InputError(f"--dominance {text}: expected N,K, such as 1,85.")
            found.append((f"--dominance {text}", {"dominance": {"n": n.strip(), "k": k.strip()}}))
        return found

    def policy(self) -> "Policy | None":
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
                raise InputError(f"{option}: expected {_EXPECTED[next(iter(document))]}.") from None
        return policy_from_document({"primary": [document for _, document in documents]})


_EXPECTED = {
    "threshold": "a whole number of at least 1, such as 5",
    "p_percent": "a percentage above 0, such as 10",
    "dominance": "N,K with a whole number N of at least 1 and a percentage K above 0 and at most 100, such as 1,85",
}


def policy_of(rules: GivenRules, file: Path | None) -> "Path | Policy | None":
    """What goes before the policy of a release: a policy file, or the given rules.

    Raises
    ------
    InputError: both are given; rules that say nothing sensible.
    """
    given = rules.policy()
    if given is None:
        return file
    if file is not None:
        (option, _), *_ = rules.documents()
        raise InputError(f"{option}: rules are in the policy file already; give either --policy or rules, not both.")
    return given
