"""Codes that are years, quarters, months and the like: they stand beside each other and are never added up."""

import re
from collections.abc import Collection

_PERIOD = re.compile(r"(?:1[5-9]|20|21)\d\d(?:(?P<between>[-/ .]?)(?:[A-Za-z]\d{1,2}|\d{1,2}|\d{4}))?")
_DIGIT = re.compile(r"\d+")


def are_periods(codes: Collection[str]) -> bool:
    """Whether all codes are periods of one length: 2024 and 2025, 2024Q1 and 2024Q2, 2024-07 and 2024-08, 2024/25.

    Years beside quarters are none: those add up.
    """
    shapes = {_DIGIT.sub(lambda digits: "9" * len(digits[0]), code.strip()) for code in codes}
    return len(shapes) == 1 and all(_PERIOD.fullmatch(code.strip()) for code in codes)
