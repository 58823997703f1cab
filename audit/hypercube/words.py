"""What a hypercube holds, in words; no count of a cell is among them."""

from tableseal.audit.hypercube.model import Hypercube, Variable
from tableseal.audit.linear.naming import plural
from tableseal.audit.wording import listing

_MADE = {"records": "of records", "cells": "of base cells, by a secret"}


def cube_text(about: Hypercube) -> str:
    """Size, variables with their levels, measures and keys."""
    share = 100 * (1 - about.cells / about.combinations)
    lines = [
        f"{about.title}: {plural(about.units, 'unit')}" if about.title else plural(about.units, "unit"),
        f"{about.combinations:,} combinations, {about.cells:,} not empty ({share:.1f}% are)",
        *("  " + _variable(variable) for variable in about.variables),
        "measures: " + (", ".join(f"{m.name} (unit {m.unit})" for m in about.measures.values()) or "none"),
        "keys: none" if about.keys_of is None else f"keys: {_MADE[about.keys_of]}, modulo {about.modulus:,}",
    ]
    if about.impossible:
        lines.append(f"impossible: {plural(len(about.impossible), 'statement')}")
    return "\n".join(lines)


def _variable(variable: Variable) -> str:
    levels = listing(f"{level.name} ({len(level.codes):,})" for level in variable.levels)
    return f"{variable.name}{' (areas)' if variable.areas else ''}: {levels}"
