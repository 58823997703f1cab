"""Why a table is not given, and what would be given instead, in words."""

from collections.abc import Iterator

from tableseal.audit.language import _, counted, numerals, put, words_of
from tableseal.audit.wording import listing
from tableseal.suppression.generator.nearest import Nearest, Step
from tableseal.suppression.generator.result import Refusal

ASKED = words_of(
    {
        "variables": "variables that span the table",
        "filters": "variables that choose the population",
        "codes": "codes",
        "cells": "cells",
    }
)
HELD = words_of(
    {
        "population": "units",
        "mean_cell": "units a cell",
        "small": "share of small counts",
        "zeros": "share of empty cells",
        "contributions": "share of sums that few contributors make up",
    }
)


def reasons(refusal: Refusal) -> Iterator[str]:
    """Rules that a refusal names, one a line. A public part says less."""
    for one in refusal.asked:
        if one.rule == "custom_groups":
            said = put(
                'groups of one\'s own of "{variable}": the codes of one level are allowed.', variable=one.variable
            )
        elif one.variable is not None:
            said = put(
                '{what} of "{variable}": {found}, allowed are {allowed}.',
                what=_(ASKED[one.rule]),
                variable=one.variable,
                found=numerals(f"{one.found:,}"),
                allowed=numerals(f"{one.allowed:,}"),
            )
        else:
            said = put(
                "{what}: {found}, allowed are {allowed}.",
                what=_(ASKED[one.rule]),
                found=numerals(f"{one.found:,}"),
                allowed=numerals(f"{one.allowed:,}"),
            )
        yield said
    for held in refusal.held:
        where = put(" in {area}", area=", ".join(held.area)) if held.area else ""
        found = "" if held.found is None else f"{numerals(f'{held.found:.6g}')}, "
        allowed = numerals(f"{held.allowed:.6g}")
        at_least = held.rule in ("population", "mean_cell")
        limit = put("allowed at least {n}.", n=allowed) if at_least else put("allowed at most {n}.", n=allowed)
        yield f"{_(HELD[held.rule])}{where}{_(': ')}{found}{limit}"
    if refusal.areas > len(refusal.held):
        yield counted(refusal.areas, "... {n} area is blocked.", "... {n} areas are blocked.")
    if refusal.risk is not None:
        risk = refusal.risk
        found = "" if risk.found is None else f"{numerals(f'{risk.found:.4f}')}, "
        limit = put("allowed at most {n}.", n=numerals(f"{risk.allowed:.4f}"))
        yield (_("risk before protection: ") if risk.when == "before" else _("risk after protection: ")) + found + limit
    if refusal.memory is not None:
        if refusal.memory.cells:
            yield _("for at least one small count no other table was found that fits all answers.")
        if refusal.memory.seen:
            yield counted(
                refusal.memory.seen,
                "{n} small group of units would be known too well by the mean of several answers.",
                "{n} small groups of units would be known too well by the mean of several answers.",
            )
        if refusal.memory.contributors:
            yield counted(
                refusal.memory.contributors,
                "{n} contribution would be known too well by several sums.",
                "{n} contributions would be known too well by several sums.",
            )


def steps_words(one: Nearest) -> str:
    """How a table that would be given differs from the one that was asked for."""
    return "; ".join(map(_step, one.steps))


def _step(step: Step) -> str:
    match step.kind:
        case "coarser":
            return f"{step.variable}@{step.level}"
        case "dropped":
            return put("without {what}", what=step.variable)
        case _:
            return put("without {what}", what=listing(step.areas, 6))
