"""What a text says to do next, and doing it."""

import re
import shlex
from collections.abc import Sequence

from typer.testing import CliRunner

from tableseal.api.cli.app import app

COMMAND = re.compile(r"^Next: [^`]*: (tableseal .+)$", re.MULTILINE)
RULE = re.compile(r"(\d+ releases?: )?(Rule: .+|No rule.*)\.$")
CONTRADICTION = re.compile(
    "true values? (do not add up|contradicts?|is another one|is none that)|different true values"
)
"""What a search finds of all true values together, and an audit of one sum at a time."""


def run(words: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a command, without `tableseal`."""
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


def advised(text: str) -> list[str] | None:
    """The command that a text says comes next, without `tableseal`; None if it says none."""
    found = COMMAND.search(text)
    return None if found is None else shlex.split(found[1])[1:]


def in_order(text: str) -> bool:
    """Whether it begins with verdict and rule, and ends with the verdict."""
    lines = text.splitlines()
    rules = [line for line in lines[1:] if RULE.fullmatch(line)]
    return lines[0] == lines[-1] and rules[:1] == lines[1:2]


def follow(words: Sequence[str], *, most: int = 8) -> list[tuple[int, str]]:
    """Codes and texts of a command and of all that is advised from there, until nothing is.

    AssertionError: a text is not in order, an advised command cannot be used, or advice goes round in a circle.
    """
    said = []
    asked = list(words)
    seen: list[list[str]] = []
    while True:
        code, text = run(asked)
        if code == 2 and (not seen or CONTRADICTION.search(text)):  # what was asked first cannot be used
            return [*said, (code, text)]
        assert code in (0, 1, 3), f"{shlex.join(asked)}\n{text}"
        assert in_order(text), text
        said.append((code, text))
        seen.append(asked)
        following = advised(text)
        if following is None:
            return said
        assert following not in seen, text
        assert len(seen) < most, text
        asked = following
