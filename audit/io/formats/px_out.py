"""The table of a release as a PC-Axis file."""

import re
from collections.abc import Iterable, Sequence

from tableseal.audit.errors import InputError
from tableseal.audit.io.formats.grid import cube_of, pairs_of
from tableseal.audit.io.formats.said import NOT_RELEASED
from tableseal.audit.io.numbers import places
from tableseal.audit.model import Release, Status
from tableseal.audit.wording import quoted

_SYMBOLS = {
    Status.STRUCTURAL_ZERO: ('"-"', "DATASYMBOLNIL", "structural zero"),
    Status.MISSING: ('"."', "DATASYMBOL1", NOT_RELEASED),
    Status.WITHHELD: ('".."', "DATASYMBOL2", "confidential"),
}
"""Status -> symbol in the data, keyword that declares it, what it says."""

_WIDTH = 200
"""Characters of a line before it is broken at a comma."""


def write(release: Release, name: str) -> dict[str, bytes]:
    """A cube in UTF-8, the last variable as heading; symbols that are used are declared.

    Raises
    ------
    InputError: a code or name that PC-Axis has no way to write; see `cube_of`.
    """
    (table,) = release.tables
    cube = cube_of(release, table)
    measure = release.measures[table.measure]
    variables = list(cube.codes)
    for text in [measure.name, *variables, *(code for codes in cube.codes.values() for code in codes)]:
        _check(text)
    digits = places(measure.unit) or 0
    stub, heading = (variables[:-1], variables[-1:]) if len(variables) > 1 else (variables, [])
    lines = [
        'CHARSET="ANSI";',
        'AXIS-VERSION="2013";',
        'CODEPAGE="utf-8";',
        'LANGUAGE="en";',
        f"DECIMALS={digits};",
        f"SHOWDECIMALS={min(digits, 6)};",
        f"MATRIX={_text(table.name)};",
        'SUBJECT-CODE="X";',
        'SUBJECT-AREA="Tables";',
        f"TITLE={_text(release.title)};",
        f"CONTENTS={_text(measure.name)};",
        'UNITS="number";',
        *([f"STUB={_list(stub)};"] if stub else []),
        *([f"HEADING={_list(heading)};"] if heading else []),
        *(f'VALUES("{variable}")={_list(codes)};' for variable, codes in cube.codes.items()),
    ]
    for variable, codes in cube.codes.items():
        hierarchy = release.variables[variable]
        pairs = pairs_of(hierarchy, codes)
        if hierarchy.total in codes:
            lines.append(f'ELIMINATION("{variable}")={_text(hierarchy.total or "")};')
        if any(parent != hierarchy.total for parent, _ in pairs):
            tops = dict.fromkeys(parent for parent, _ in pairs if parent not in {child for _, child in pairs})
            each = [*(f'"{top}"' for top in tops), *(f'"{parent}":"{child}"' for parent, child in pairs)]
            lines.append(f'HIERARCHIES("{variable}")={_broken(each)};')
    used = set(cube.status.tolist())
    lines += [f'{keyword}="{said}";' for status, (_, keyword, said) in _SYMBOLS.items() if status in used]
    figures = [
        value if status == Status.PUBLISHED and value is not None else _SYMBOLS[Status(status)][0]
        for status, value in zip(cube.status.tolist(), cube.value, strict=True)
    ]
    width = len(cube.codes[heading[0]]) if heading else 1
    rows = (" ".join(figures[at : at + width]) for at in range(0, len(figures), width))
    return {name: "\r\n".join([*lines, "DATA=", *rows, ";", ""]).encode()}


def _check(text: str) -> None:
    if '"' in text or re.search(r"[\x00-\x1f\x7f]", text):
        raise InputError(f"{quoted(text)} has a quotation mark or a line end, which PC-Axis has no way to write.")


def _text(text: str) -> str:
    """A text for people: what cannot be written is written as what is nearest."""
    return '"' + re.sub(r"[\x00-\x1f\x7f]", " ", text.replace('"', "'")) + '"'


def _list(texts: Sequence[str]) -> str:
    return _broken(f'"{text}"' for text in texts)


def _broken(texts: Iterable[str]) -> str:
    """Texts separated by commas, a new line where one is long."""
    lines: list[str] = [""]
    for text in texts:
        if lines[-1] and len(lines[-1]) + len(text) > _WIDTH:
            lines.append("")
        lines[-1] += f"{text},"
    return "\r\n".join(lines).rstrip(",")
