"""What is said of a bare table beside its data, so that it need not be inferred."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tableseal.audit.errors import InputError, unknown
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model import Policy
from tableseal.audit.rules.facts import MAGNITUDES
from tableseal.audit.wording import listing, quoted, suggestion


@dataclass(frozen=True)
class Hints:
    """None and nothing: to be inferred.

    Attributes
    ----------
    table: what the table's entry says, as in a release file (value, status, frequency, contributors, marks, ...).
    primary: column of status words that counts beside the status; the more restrictive word wins.
    variables: columns of codes; the other columns are not looked at.
    totals: classification -> code of its total, None where it is never added up; one code: of each that has it.
    trees: classification -> its nested codes, as `tree` of a release file. kind, unit: what the values are.
    numbers: columns that were numbers before they were text, so that no sign in them separates thousands.
    magnitude: why the values are sums of a variable where no kind is said ("as contributions are asked for").
    """

    table: Mapping[str, Document] = field(default_factory=dict)
    primary: str | None = None
    variables: Sequence[str] | None = None
    totals: Mapping[str, str | None] | str | None = None
    trees: Mapping[str, Document] = field(default_factory=dict)
    kind: str | None = None
    unit: str | None = None
    numbers: frozenset[str] = frozenset()
    magnitude: str | None = None

    def under(self, policy: Policy | None) -> "Hints":
        """With what the rules that are to be applied say of the values: those of contributions judge sums alone."""
        rules = [] if policy is None else [rule.text for rule in policy.primary if rule.kinds == MAGNITUDES]
        return replace(self, magnitude=f"as {listing(rules)} is about contributions to sums") if rules else self

    def totals_of(self, columns: Columns, names: Sequence[str]) -> Mapping[str, str | None]:
        """Classification -> total, of those of which one is said.

        Raises
        ------
        InputError: a classification or a code that is not there.
        """
        if self.totals is None:
            return {}
        if isinstance(self.totals, str):
            total = self.totals
            found: dict[str, str | None] = {name: total for name in names if total in columns.data[name].texts}
            if not found:
                codes = dict.fromkeys(code for name in names for code in columns.data[name].texts if code)
                raise InputError(
                    f"the total {quoted(total)} is a code of no classification{suggestion(total, codes)}; "
                    f"classifications are {listing(names)}.",
                    at=columns.source,
                )
            return found
        self._refuse_others(self.totals, columns, names)
        for name, code in self.totals.items():
            codes = dict.fromkeys(filter(None, columns.data[name].texts))
            if code is not None and code not in codes:
                raise unknown("code", code, codes, replace(columns.source, column=name))
        return self.totals

    def trees_of(self, columns: Columns, names: Sequence[str]) -> Mapping[str, Document]:
        """Classification -> nested codes.

        Raises
        ------
        InputError: a classification that is not there.
        """
        self._refuse_others(self.trees, columns, names)
        return self.trees

    @staticmethod
    def _refuse_others(said: Mapping[str, object], columns: Columns, names: Sequence[str]) -> None:
        for name in said:
            if name not in names:
                raise unknown("classification", name, names, columns.source)


NO_HINTS = Hints()
