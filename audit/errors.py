"""Errors of the package.

    TablesealError
    ├── InputError            this input can never be used: mend it (exit 2)
    │   ├── AdditivityError   published values do not add up
    │   └── ContradictionError released intervals that no table satisfies
    └── LimitError            a stated limit (size, memory) was reached (exit 3)

Every message says where (file, row, column or cell), what was found and what was expected. Values of withheld
cells (agency knowledge) never appear in a message; published values may.
"""


class TablesealError(Exception):
    """Base of every error that a user may see; its text is complete and needs no traceback."""


class InputError(TablesealError):
    """The input cannot be used as it stands."""


class AdditivityError(InputError):
    """Published values that should add up do not (equation, expected, found and difference are in the text)."""


class ContradictionError(InputError):
    """No table fits everything that is released; the text names a small set of statements that conflict."""


class LimitError(TablesealError):
    """A limit on size, time or memory was reached before there was an answer."""
