"""What a message says is to be done, in keywords of the door."""

from collections.abc import Mapping, Sequence

from tableseal.audit.io.advice import Advice
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.records import Suggested
from tableseal.audit.io.statuses.column import NONE
from tableseal.audit.io.statuses.flags import meanings
from tableseal.audit.wording import listing


class Keywords(Advice):
    """Ends of messages that say which keyword to pass."""

    def value(self, columns: Columns, candidates: Sequence[str]) -> str:
        """See `Advice`."""
        return f"say which: value={candidates[0]!r} (melt a frame that has a column for each code first)"

    def status(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return f"say which: status={names[0]!r}"

    def codes(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return "say which columns hold codes: variables=[...]"

    def flags(self, columns: Columns, name: str, explained: Mapping[str, object]) -> str:
        """See `Advice`."""
        words = {flag: word for flag, word in meanings(name, columns.data[name]).items() if flag not in explained}
        said = words or {"x": "withheld"}
        return f"pass status={name!r}, status_map={said!r}, if that is what they mean, or status={NONE!r} if none does"

    def empty(self, variable: str) -> str:
        """See `Advice`."""
        return (
            f"if missing values are the total, fill them: {variable} = 'Total'; if the column holds no codes, name "
            "those that do: variables=[...]"
        )

    @staticmethod
    def flag(column: str, flag: str) -> str:
        """See `Advice`."""
        return (
            f"explain other flags with status_map={{{flag!r}: 'withheld'}}, or name their scheme with "
            f"status={{'column': {column!r}, 'scheme': ...}}"
        )

    def total(self, variable: str) -> str:
        """See `Advice`."""
        return f"pass total={{{variable!r}: ...}} (None: never added up), and hierarchies= if its codes are nested"

    def wrong_total(self, variable: str) -> str:
        """See `Advice`."""
        return (
            "mend the number, or, if codes are nested or another one is the total, pass "
            f"hierarchies={{{variable!r}: ...}} or total={{{variable!r}: ...}}"
        )

    def nested(self, variable: str) -> str:
        """See `Advice`."""
        return f"if its codes are nested, pass hierarchies={{{variable!r}: {{group: [codes]}}}}"

    def unchecked(self, variable: str) -> str:
        """See `Advice`."""
        return f"if a code is the sum of others, say so with total= or hierarchies= for {variable}"

    def marks(self, texts: Sequence[str]) -> str:
        """See `Advice`."""
        return f"pass marks={dict.fromkeys(texts, 'withheld')!r}, or what it means"

    def contributors(self, names: Sequence[str]) -> str:
        """See `Advice`."""
        return (
            "if they do, pass frequency='COLUMN', contributors=['COLUMN', ...] (the largest first); if not, leave "
            f"{listing(names)} out of the frame"
        )

    def mark(self) -> str:
        """See `Advice`."""
        return "say so with marks="

    def records(self, columns: Columns, found: Suggested) -> str:
        """See `Advice`."""
        said = {"by": list(found.by), "value": found.value, "id": found.id}
        given = ", ".join(f"{name}={value!r}" for name, value in said.items() if value)
        return f"ts.read(..., {given}) makes a table of these columns, which all functions take"

    def signs(self) -> str:
        """See `Advice`."""
        return "make them numbers before, or write a release file that says"

    def unit(self) -> str:
        """See `Advice`."""
        return "pass the published precision, such as unit=0.01"

    def left_out(self) -> str:
        """See `Advice`."""
        return "If they go out as well, write a release file in which they are tables, too."


KEYWORDS = Keywords()
