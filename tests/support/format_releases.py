"""Random releases of one table with codes and values that formats tend to lose."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from tableseal.audit.io import release_from_document
from tableseal.audit.io.formats.format import Format, Part
from tableseal.audit.model import Release

NAMES = ("region", "Größe", "a b", "sex", "value", "status", "区分", "x,y", "c;d", "NO", "measure", "T")
CODES = (
    *(
        "a",
        "b",
        "01",
        "1",
        "010",
        " 1",
        "1 ",
        "NO",
        "null",
        "12:30",
        "a,b",
        "c;d",
        "e.f",
        "1.5",
        "-",
        "..",
        "é",
        "日本",
        "~",
    ),
    *(
        "= 1",
        "@x",
        "'q'",
        "a: b",
        "x|y",
        "C = old",
        "nan",
        "0",
        "yes",
        "published",
        "withheld",
        "a  b",
        "#",
        "[c]",
        "{}",
    ),
)
STATUSES = ("published", "published", "published", "withheld", "missing", "primary", "secondary")


def release_for(target: Format, random: Random) -> Release:
    """A release whose structure a format holds; one of cells and equations needs all values, and files of tau-ARGUS
    hold no blanks at the end of codes; they, and problems of sdcTable, list them in the order of their tree."""
    nested, across = Part.GROUPS in target.holds, Part.SEVERAL_GROUPINGS in target.holds
    known, plain = Part.CODES not in target.holds, target.key in ("tau-argus", "sdctable")
    empty = target.unnamed
    return format_release(random, nested=nested, across=across, known=known, plain=plain, empty=empty)


def format_release(
    random: Random,
    *,
    nested: bool = True,
    across: bool = True,
    known: bool = False,
    plain: bool = False,
    empty: bool = False,
) -> Release:
    """A table that lists all cells, of counts or magnitudes, with statuses of all kinds and true values beside some.

    across: of several groupings. known: the agency knows all values. plain: no code ends with a blank, codes stand in
    the order of their tree, and no variable is called as the values are. empty: a code may be an empty text.
    """
    names = random.sample([name for name in NAMES if not plain or name != "value"], random.randint(1, 3))
    variables: dict[str, dict[str, Any]] = {}
    below: dict[str, dict[str, list[str]]] = {}
    for name in names:
        codes = random.sample([code for code in CODES if not plain or code == code.rstrip()], random.randint(2, 4))
        if empty and random.random() < 0.2:
            codes[-1] = ""
        total = random.choice(("T", "Total", "_T"))
        tree: dict[str, Any] = {code: {} for code in codes}
        below[name] = {total: codes, **{code: [code] for code in codes}}
        if nested and random.random() < 0.5:
            parts = [f"{codes[0]}{n}" for n in ("x", " y")]
            tree[codes[0]] = {part: {} for part in parts}
            below[name] |= {codes[0]: parts, **{part: [part] for part in parts}}
            below[name][total] = [*parts, *codes[1:]]
        trees = [tree]
        if nested and across and len(codes) > 2 and random.random() < 0.3:  # groups across the others
            other = [f"{total}+{codes[1]}", *codes[1:3]]
            trees.append({other[0]: other[1:]})
            below[name][other[0]] = other[1:]
        variables[name] = {"total": total, "trees": trees, "codes": [] if plain else codes}
    places = random.choice((0, 0, 1, 3))
    leaves = [[code for code in below[name] if below[name][code] == [code]] for name in names]
    value = {leaf: random.choice((0, 1, 2, 7, 40, 900)) for leaf in product(*leaves)}
    rows: list[tuple[tuple[str, ...], int]] = []
    for cell in product(*below.values()):
        parts = product(*(below[name][code] for name, code in zip(names, cell, strict=True)))
        rows.append((cell, sum(value[part] for part in parts)))
    random.shuffle(rows)
    statuses = [random.choice(STATUSES) if random.random() < 0.6 else "published" for _ in rows]
    statuses = ["structural_zero" if not n and s == "missing" else s for (_, n), s in zip(rows, statuses, strict=True)]
    held = known or places == 0 or random.random() < 0.5
    if known:
        statuses = ["withheld" if status == "missing" else status for status in statuses]
    shown = [str(Fraction(n) / 10**places) if places == 0 else f"{n / 10**places:.{places}f}" for _, n in rows]
    cells: dict[str, list[str | None]] = {name: [cell[at] for cell, _ in rows] for at, name in enumerate(names)}
    cells["_value"] = [
        text if s == "published" or (held and s in ("withheld", "primary", "secondary")) else None
        for text, s in zip(shown, statuses, strict=True)
    ]
    cells["_status"] = list(statuses)
    unit = {"unit": f"{Fraction(1, 10**places)}" if places == 0 else f"0.{'0' * (places - 1)}1"}
    measure = {"kind": "magnitude", **unit} if places else {"kind": "count"}
    return release_from_document(
        {
            "tableseal": 1,
            "title": random.choice(("", "Zahl der Größen", "a, b; c")),
            "measures": {"value": measure},
            "variables": variables,
            "tables": [{"name": "t", "cells": cells, "value": "_value", "status": "_status"}],
        }
    )
