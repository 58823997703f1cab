"""The classifications of the survey: activities down to divisions of NACE, regions of a made-up country, and others."""

import csv
from io import StringIO

_SECTIONS = {
    "BE": {"B": range(5, 10), "C": range(10, 34), "D": range(35, 36), "E": range(36, 40)},
    "FZ": {"F": range(41, 44)},
    "GI": {"G": range(45, 48), "H": range(49, 54), "I": range(55, 57)},
    "JZ": {"J": range(58, 64)},
    "LN": {"L": range(68, 69), "M": range(69, 76), "N": range(77, 83)},
}
"""Group (A10) -> section (A21) -> divisions (A88), as far as structural business statistics cover them."""

REGIONS = [f"{top}{middle}{low}" for top in "1234" for middle in "123" for low in "1234"]
"""Districts (NUTS3): the first digit is the country's part (NUTS1), the first two the region (NUTS2)."""

DIVISIONS = [f"{number:02}" for sections in _SECTIONS.values() for numbers in sections.values() for number in numbers]
SECTION = {f"{k:02}": section for sections in _SECTIONS.values() for section, ks in sections.items() for k in ks}
SIZES = ["0-9", "10-19", "20-49", "50-249", "250+"]
FORMS = ["sole", "partnership", "company"]
OWNERS = ["home", "EU", "other"]

ACTIVITIES_FILE, REGIONS_FILE = "activities.csv", "regions.csv"


def activities_csv() -> str:
    """Levels of the activities, the broadest first."""
    rows = [(a10, a21, f"{k:02}") for a10, sections in _SECTIONS.items() for a21, ks in sections.items() for k in ks]
    return _csv(("A10", "A21", "A88"), rows)


def regions_csv() -> str:
    """Levels of the regions, the broadest first."""
    return _csv(("NUTS1", "NUTS2", "NUTS3"), [(f"X{code[0]}", f"X{code[:2]}", f"X{code}") for code in REGIONS])


def _csv(heads: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    target = StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerows([heads, *rows])
    return target.getvalue()
