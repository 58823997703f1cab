"""What is said of withheld cells that no rule could judge. Loads nothing: pages of the service say it, too."""

UNKNOWN_NOTE = "required_unknown"
"""Code of the note on these cells; its count is their number."""


def unknown_in_words(count: int) -> str:
    """What is said of so many such cells."""
    cells = "1 withheld cell" if count == 1 else f"{count:,} withheld cells"
    return (
        f"How wide the interval must stay of {cells} no rule could judge, for want of a policy, true values or "
        "contributors, and no distances are given: there protected means that two values are left. (The file of "
        "`suppress --confidential` has what rules need; what goes out has not.)"
    )
