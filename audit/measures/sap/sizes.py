"""Sample sizes as a user writes them."""

import re

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.wording import quoted

MOST = 100_001
"""Sizes in one question."""

DEFAULT = 1000
"""Without a range: every size up to this, or up to N."""

_PART = re.compile(r"(\d{1,19})(?:-(\d{1,19})(?:/(\d{1,19}))?)?")


def parse_sizes(text: str | None, total: int) -> tuple[int, ...]:
    """`5`, `0-20`, `0-1000/50` (in steps of 50), several with commas, or `all`; None: 0 to 1000, or to N if that is
    less.

    Raises
    ------
    InputError: another form, or more than 100,001 sizes.
    """
    if text is None:
        return tuple(range(min(total, DEFAULT) + 1))
    if text.strip() == "all":
        text = f"0-{total}"
    sizes: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            expected = "sizes such as 5, 0-20, 0-1000/50 or all"
            raise InputError(found=quoted(part.strip()), expected=expected, at=OptionName("n", text))
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if step == 0 or last < first:
            raise InputError(f"{part.strip()} has no sizes.", at=OptionName("n", text))
        if (last - first) // step + len(sizes) >= MOST:
            text = f"more than {MOST - 1:,} sizes; take steps, such as 0-{total}/{total // 100 or 1}."
            raise InputError(text, at=OptionName("n", text))
        sizes.update(range(first, last + 1, step))
    return tuple(sorted(sizes))
