"""What to write where something of a bare table cannot be inferred: in a release file.

Each way in has words of its own: the door for Python (`api/python`) says keywords in their place.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tableseal.audit.io.columns import Columns
from tableseal.audit.io.statuses.column import NONE, how_to_name
from tableseal.audit.io.statuses.flags import meanings, named_like_flags
from tableseal.audit.io.statuses.usual_marks import how_to_say
from tableseal.audit.wording import listing

if TYPE_CHECKING:
    from tableseal.audit.io.records import Suggested

_WHICH = "write a release file that says which"


class Advice:
    """Ends of messages that say what to write in a release file."""

    def value(self, columns: Columns, candidates: Sequence[str]) -> str:
        """Several columns may hold the values."""
        return f"{_WHICH}, such as `tables: [{{name: t, file: {columns.source}, value: {candidates[0]}}}]`"

    def status(self, names: Sequence[str]) -> str:
        """Several columns hold statuses."""
        return _WHICH

    def codes(self, names: Sequence[str]) -> str:
        """Columns of numbers may be classifications."""
        return _WHICH

    def flags(self, columns: Columns, name: str, explained: Mapping[str, object]) -> str:
        """A column that nobody has named seems to say which cells are withheld; explained: flags that are."""
        shown = {flag: word for flag, word in meanings(name, columns.data[name]).items() if flag not in explained}
        said = [f"{flag}={'withheld' if word == '...' else word}" for flag, word in shown.items()]
        quick = "".join(f" --status-map {shlex.quote(pair)}" for pair in said)
        look = f"; for a quick look, `tableseal audit` takes `{quick.strip()}`"
        return (
            f"write a release file whose table says {how_to_name(columns, name)}, or `status: {NONE}` if no column "
            f"does{look if quick and named_like_flags(name) else ''}"
        )

    flag: Callable[[str, str], str] | None = None
    """(column, flag) -> how to explain a flag; None: as a release file does."""

    def empty(self, variable: str) -> str:
        """A code is missing."""
        return "if that is the total, give it a code"

    def total(self, variable: str) -> str:
        """The total of a classification is not clear."""
        return f"write a release file whose variable {variable} says `total:` (and `tree:` if its codes are nested)"

    def wrong_total(self, variable: str) -> str:
        """A code that is called a total is not the sum of the others."""
        return (
            "mend the number, or, if codes are nested or another one is the total, write a release file whose variable "
            f"{variable} says so (`total:`, `tree:`)"
        )

    def nested(self, variable: str) -> str:
        """The codes of a classification are no parts of its total."""
        return f"if its codes are nested, write a release file whose variable {variable} says so (`tree:`)"

    def unchecked(self, variable: str) -> str:
        """Nothing bears out how the codes of a classification add up."""
        text = f"if a code is the sum of others, write a release file whose variable {variable} says so"
        return f"{text} (`total:`, `tree:`)"

    def marks(self, texts: Sequence[str]) -> str:
        """What marks in the column of values mean is not known."""
        return f"write a release file whose table says what it means: {how_to_say(texts)}"

    def contributors(self, names: Sequence[str]) -> str:
        """Columns seem to say who contributes."""
        return (
            "if they do, write a release file whose table says so (`frequency: COLUMN`, `contributors: [COLUMN, ...]`, "
            f"the largest contributions first); if not, leave {listing(names)} out of the file"
        )

    def mark(self) -> str:
        """How to say what a mark means that was taken for something."""
        return "say so in `marks` of a release file"

    def records(self, columns: Columns, found: "Suggested") -> str:
        """Rows are records, of which tables are to be made."""
        said = {"--by": ",".join(found.by), "--value": found.value, "--id": found.id}
        options = "".join(f" {name} {shlex.quote(value)}" for name, value in said.items() if value)
        file = shlex.quote(str(columns.source))
        return f"`tableseal init {file}{options} -o NAME.yaml` writes a release file with a table of these columns"

    def signs(self) -> str:
        """Beginning of what to write where a sign may separate decimals or thousands."""
        return "write a release file whose table says"

    def unit(self) -> str:
        """The published precision cannot be seen."""
        return "write a release file that says the published precision (`unit: 0.01`)"

    def left_out(self) -> str:
        """Columns of numbers that nobody looked at."""
        return "If they go out as well, write a release file in which they are tables or statistics, too."


IN_A_FILE = Advice()
