"""What Excel shows of a number: its format may show something else, its colour may hide it."""

import re
from decimal import Decimal
from typing import Any

_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_DECIMALS = re.compile(r"[#?0,]*0(?:\.(0+))?")


def hidden_by_format(code: str, value: float) -> str:
    """How a number format hides a number (` is shown as "c"`); empty if digits are shown.

    Sections of a format are for positive numbers, negative ones, zero and text.
    """
    numeric = _split(code)[:3]
    at = 0 if len(numeric) == 1 or value > 0 else 1 if value < 0 or len(numeric) < 3 else 2
    if value == 0 and len(numeric) == 2:
        at = 0
    section = numeric[at]
    plain = _QUOTED.sub("", section)
    if "general" in plain.lower() or re.search("[0#?@]", plain) or re.search("[ymdhs]", plain, re.IGNORECASE):
        return ""
    literal = "".join(re.findall(r'"([^"]*)"', section)) or plain.strip()
    return f'its format shows as "{literal}"' if literal else "its format does not show"


def _split(code: str) -> list[str]:
    """Sections of a format: semicolons in quotes divide none."""
    found, current, inside = [], "", False
    for at, sign in enumerate(code):
        if sign == '"':
            inside = not inside
        if sign == ";" and not inside and code[at - 1 : at] != "\\":
            found.append(current)
            current = ""
        else:
            current += sign
    return [*found, current]


def hidden_by_colour(cell: Any) -> str:
    """How its colour hides a number; empty if it does not: white on nothing, or the colour of its background."""
    colour = _rgb(cell.font.color) if cell.font is not None else None
    if colour is None:
        return ""
    background = _rgb(cell.fill.fgColor) if cell.fill is not None and cell.fill.fill_type == "solid" else "FFFFFF"
    return "has the colour of its background" if colour == background else ""


def _rgb(colour: Any) -> str | None:
    """The six digits of a colour, None where it is not said in so many words; the first theme colour is white."""
    if colour is None:
        return None
    if colour.type == "rgb" and isinstance(colour.rgb, str):
        return colour.rgb[-6:].upper()
    if colour.type == "theme" and colour.theme == 0 and not colour.tint:
        return "FFFFFF"
    return (
        {1: "FFFFFF", 9: "FFFFFF", 0: "000000", 8: "000000"}.get(colour.indexed) if colour.type == "indexed" else None
    )


def number_text(value: float, code: str) -> tuple[str, bool]:
    """A number to 15 digits (which is what Excel keeps), with as many decimals as its format shows; and whether these
    are all."""
    exact = Decimal(value) if isinstance(value, int) else Decimal(format(value, ".15g"))
    plain = _QUOTED.sub("", _split(code)[0])
    found = _DECIMALS.fullmatch(plain.strip())
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    digits = len(text.partition(".")[2])
    if found is None:
        return text, True
    wanted = len(found[1] or "")
    if digits <= wanted:
        return format(exact, f".{wanted}f"), True
    return text, False
