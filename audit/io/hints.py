"""What is said of a bare table beside its data, so that it need not be inferred."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tableseal.audit.errors import InputError
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.wording import listing, quoted, suggestion
from tableseal.audit.io.yaml_text import Document


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
    """

    table: Mapping[str, Document] = field(default_factory=dict)
    primary: str | None = None
    variables: Sequence[str] | None = None
    totals: Mapping[str, str | None] | str | None = None
    trees: Mapping[str, Document] = field(default_factory=dict)
    kind: str | None = None
    unit: str | None = None
    numbers: frozenset[str] = frozenset()

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
            found: dict[str, str | None] = {name: total for name in names if total in columns.data[name]}
            if not found:
                codes = dict.fromkeys(code for name in names for code in columns.data[name] if code)
                raise InputError(
                    f"{columns.source}: the total {quoted(total)} is a code of no classification"
                    f"{suggestion(total, codes)}; classifications are {listing(names)}."
                )
            return found
        self._refuse_others("total", self.totals, columns, names)
        for name, code in self.totals.items():
            if code is not None and code not in columns.data[name]:
                codes = dict.fromkeys(filter(None, columns.data[name]))
                raise InputError(
                    f"{columns.source}, column {quoted(name)}: there is no code {quoted(code)}, which is to be the "
                    f"total{suggestion(code, codes)}; codes are {listing(codes)}."
                )
        return self.totals

    def trees_of(self, columns: Columns, names: Sequence[str]) -> Mapping[str, Document]:
        """Classification -> nested codes.

        Raises
        ------
        InputError: a classification that is not there.
        """
        self._refuse_others("hierarchies", self.trees, columns, names)
        return self.trees

    @staticmethod
    def _refuse_others(what: str, said: Mapping[str, object], columns: Columns, names: Sequence[str]) -> None:
        for name in said:
            if name not in names:
                raise InputError(
                    f"{columns.source}: {what}: there is no classification {quoted(name)}{suggestion(name, names)}; "
                    f"classifications are {listing(names)}."
                )


NOTHING = Hints()
