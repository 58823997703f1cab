"""docs/CONVENTION.md and the tests that cite it belong together."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONVENTION = (ROOT / "docs" / "CONVENTION.md").read_text("utf-8")
CITED = re.compile(r"CONVENTION (\d+(?:(?:, | and | to )\d+)*)")

UNCITED: dict[int, str] = {}
"""Rules that no test cites, and why."""


def rules() -> list[list[int]]:
    """Numbers of the rules, section by section, in the order of the document."""
    sections = CONVENTION.split("\n## ")[1:]
    return [[int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)] for section in sections]


def cited(text: str) -> set[int]:
    """Numbers that a text cites: "CONVENTION 3", "CONVENTION 80 and 81", "CONVENTION 60 to 67"."""
    found: set[int] = set()
    for numbers in CITED.findall(text):
        for part in re.split(r", | and ", numbers):
            first, _, last = part.partition(" to ")
            found.update(range(int(first), int(last or first) + 1))
    return found


def test_numbers_are_unique_and_follow_each_other_within_a_section() -> None:
    """(A list of a document in Markdown is numbered from its first item on, whatever the others say.)"""
    every = [number for section in rules() for number in section]
    assert len(set(every)) == len(every) > 80
    for section in rules():
        assert section == list(range(section[0], section[0] + len(section)))


def test_every_cited_rule_exists() -> None:
    existing = {number for section in rules() for number in section}
    for folder in ("tests", "audit", "api", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md") and path != Path(__file__) and path.name != "CONVENTION.md":
                assert cited(path.read_text("utf-8")) <= existing, path


def test_every_rule_is_cited_by_a_test() -> None:
    paths = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    found = set().union(*(cited(path.read_text("utf-8")) for path in paths))
    existing = {number for section in rules() for number in section}
    assert existing - found == set(UNCITED)
