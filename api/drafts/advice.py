"""What to choose in the form for a table where something of it cannot be inferred."""

from collections.abc import Mapping, Sequence

from tableseal.audit.io.advice import Advice
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.records import Suggested
from tableseal.audit.wording import listing, quoted

_HOLDS = "choose below what each column holds"


class InTheForm(Advice):
    """Ends of messages that name fields of the form."""

    def value(self, columns: Columns, candidates: Sequence[str]) -> str:
        """See `Advice`."""
        return f"{_HOLDS}: one is the value to publish"

    def status(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return f"{_HOLDS}: one may be the status"

    def codes(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return _HOLDS

    def flags(self, columns: Columns, name: str, explained: Mapping[str, object]) -> str:
        """See `Advice`."""
        return f"if {quoted(name)} does, choose “status (withheld or not)” for it, and the scheme of its flags"

    def total(self, variable: str) -> str:
        """See `Advice`."""
        return f"choose “Code of the total” of {quoted(variable)}; nested codes need a release file"

    def wrong_total(self, variable: str) -> str:
        """See `Advice`."""
        return "mend the number, or choose another “Code of the total”; nested codes need a release file"

    def nested(self, variable: str) -> str:
        """See `Advice`."""
        return "nested codes need a release file (`tree:`)"

    def unchecked(self, variable: str) -> str:
        """See `Advice`."""
        return f"if a code is the sum of others, choose it as “Code of the total” of {quoted(variable)}"

    def marks(self, texts: Sequence[str]) -> str:
        """See `Advice`."""
        return f"say below in “Marks instead of values” what {listing(texts)} means"

    def contributors(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return f"{_HOLDS}: numbers of contributors, largest contributions, or nothing that is used"

    def mark(self) -> str:
        """See `Advice`."""
        return "say so in “Marks instead of values”"

    def records(self, columns: Columns, found: Suggested) -> str:
        """See `Advice`."""
        return "choose below that a row is a record of one unit, and the table is made of them"

    def signs(self) -> str:
        """See `Advice`."""
        return "choose “Decimal sign” and “Thousands are separated by”:"

    def unit(self) -> str:
        """See `Advice`."""
        return "fill in the “Smallest step of the values”"
