"""What is said of withheld cells that no rule could judge. Loads nothing: pages of the service say it, too."""

from tableseal.audit.said import Do, Said

UNKNOWN_NOTE = "required_unknown"
"""Code of the note on these cells; its count is their number."""


ASSUMED_NOTE = "requirement_assumed"
"""Code of the note on withheld counts whose interval is too narrow if they are below the threshold, which nobody can
say without their true values; its count is their number."""

WHICH_FILE = Said(
    "audit the file that has the true values of withheld cells (", Do("kept"), "; what goes out has none)"
)
"""What to do about all these cells."""


def assumed_in_words(count: int) -> Said:
    """What is said of counts that are taken for counts below the threshold."""
    cells, each = ("1 withheld cell", "it") if count == 1 else (f"{count:,} withheld cells", "each of them")
    return Said(
        f"Of {cells} not protected enough the true value is not given: the threshold asks for an interval from 0 up to "
        f"itself as if {each} were below it. What is withheld for other cells only needs less, and the true values "
        "tell: ",
        WHICH_FILE,
        ".",
    )


def unknown_in_words(count: int) -> Said:
    """What is said of so many such cells."""
    cells = "1 withheld cell" if count == 1 else f"{count:,} withheld cells"
    return Said(
        f"How wide the interval must stay of {cells} no rule could judge, for want of a policy, true values or "
        "contributors, and no distances are given: there protected means that two values are left. (",
        Do("kept file"),
        " has what rules need; what goes out has not.)",
    )
