"""What to do next, for somebody who works in Python."""

from collections.abc import Mapping, Sequence

from tableseal.audit.errors import OptionName
from tableseal.audit.said import InFile, Spelling, Step

PROTECTED, KEPT = "result.save('protected.csv')", "result.save_confidential('kept.json')"


class InPython(Spelling):
    """Advice in calls and keywords. verb: the function that was called."""

    STEPS: Mapping[Step, str] = {
        "suppress": "ts.suppress",
        "kept": "what `save_confidential` wrote, or the release `.confidential` of a search",
        "kept file": "The release `.confidential` of a search",
        "more sizes": "to_frame() has them all, n= chooses",
        "more rows": "see to_frame(), or save() as .json or .html",
        "explain": "explain=True looks all the same",
        "rules": "the policy of a release, or status= for a column of statuses",
    }

    def __init__(self, verb: str) -> None:
        self._verb = verb

    def option(self, option: OptionName) -> str:
        """`threshold=N`."""
        return option.name if option.given is None else f"{option.name}={_value(option)}"

    def in_file(self, said: InFile) -> str:
        """As a dict: of a keyword, or of a release document."""
        if said.says is None:
            return f"{said.keyword}=" if said.keyword is not None else f"`{said.key}` of a release document"
        says = said.says if isinstance(said.says, str) else repr(dict(said.says))
        if said.keyword is not None:
            return f"{said.keyword}={says}"
        return f"{said.key!r}: {says} in a release document"

    def protecting(self) -> str:
        """See `Asked`."""
        return "ts.suppress(...) of the same, with the same keywords"

    def with_option(self, option: OptionName, without: Sequence[str] = ()) -> str:
        """See `Asked`."""
        return f"ts.{self._verb}(..., {self.option(option)})"

    def writing(self, *, released: bool, kept: bool) -> str:
        """See `Asked`."""
        return " and ".join([PROTECTED] * released + [KEPT] * kept)

    def by_method(self, method: str, keeping: Sequence[str]) -> str:
        """See `Asked`."""
        return f"result = ts.suppress(..., method={method!r}), then {self.writing(released=True, kept=True)}"


def _value(option: OptionName) -> str:
    """Capitals stand for a value; `N,K` for a pair; anything else is a text."""
    given = option.given or ""
    if option.name == "policy":
        return "..."
    if given.isupper():
        return f"({given.replace(',', ', ')})" if "," in given else given
    return repr(given)
