"""Redesign: categories are combined until nothing sensitive is left, for the least loss of information.

Categories of one parent become one, never across parents; all that is below a parent can go. A combination holds in
every table of the variable. True values of what is left are published; what was combined stays inside as withheld
cells, so that the audit says what an intruder can find out about each of them, and rules are kept for them, too.

Source of the notion and of the bounds on combined cells: Oganian & Domingo-Ferrer 2003, section 4.3.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Amounts, Policy, Status
from tableseal.suppression.protections.combined import without_parts
from tableseal.suppression.protections.method import Combined, Optimised, Recoded, Tools
from tableseal.suppression.protections.redesign.design import Space
from tableseal.suppression.protections.redesign.judged import Judge
from tableseal.suppression.protections.redesign.loss import WORDS, LossName
from tableseal.suppression.protections.redesign.recoded import Recodings, recodings
from tableseal.suppression.protections.redesign.search import Best, Search, losses
from tableseal.suppression.protections.redesign.utility import table_figures
from tableseal.suppression.protections.subject import Subject


@dataclass(frozen=True)
class Redesign:
    """loss: what is made small (see `loss`). neighbours: only categories that stand next to one another combine."""

    loss: LossName = "cells"
    neighbours: bool = True

    def __post_init__(self) -> None:
        if self.loss not in get_args(LossName):
            raise InputError(expected=" or ".join(get_args(LossName)), at=OptionName("loss", self.loss))


def redesign(subject: Subject, settings: Redesign, tools: Tools) -> Recoded:
    """Nothing is drawn.

    Raises
    ------
    InputError: nothing says what is sensitive, negative values with the entropy, or no design is safe. LimitError: none
        was found in time.
    """
    policy = tools.policy or subject.release.policy or Policy()
    if not policy.primary and not subject.cells.sensitive_status.any():
        text = "combines categories until nothing is sensitive, and nothing says what is: give rules or statuses."
        raise InputError(text, at=OptionName("method", "redesign"))
    if settings.loss == "entropy":
        subject.refuse(subject.value < 0, "is negative, which the entropy is not for")
    judge = Judge.of(subject, policy, Space.of(subject.release, neighbours=settings.neighbours))
    found = Search(judge, losses(judge, settings.loss), tools.limits, tools.progress).best()
    if found is None:
        text = (
            "no way to combine categories below common parents is safe: too much is sensitive, or must be published. "
            "Withhold cells."
        )
        raise InputError(text, at=OptionName("method", "redesign"))
    return _recoded(subject, judge, found, settings)


def _recoded(subject: Subject, judge: Judge, found: Best, settings: Redesign) -> Recoded:
    by = recodings(judge.space, found.design)
    release = judge.made(found.design)
    kept = np.ones(len(subject.cells), np.bool_)
    for v, one in enumerate(by):
        kept &= ~one.hidden[subject.cells.codes[:, v]]
    optimal = found.bound >= found.loss
    return Recoded(
        release=release,
        shown=Amounts(subject.value.copy(), kept),
        combined=tuple(_said(by)),
        tables=table_figures(subject.release, judge.release, without_parts(release), by),
        optimised=Optimised("optimal" if optimal else "feasible", found.loss, found.bound, "", WORDS[settings.loss]),
        details=tuple(_details(subject, judge, bool(found.design))),
    )


def _said(by: Recodings) -> list[Combined]:
    return [
        Combined(one.hierarchy.name, one.hierarchy.codes[code], tuple(one.hierarchy.codes[m] for m in group.members))
        for one in by
        for group, code in one.groups
    ]


def _details(subject: Subject, judge: Judge, anything: bool) -> list[str]:
    sensitive = sum(int(own.sum()) for own in judge.primary)
    said = [f"{plural(sensitive, 'listed cell')} sensitive before"]
    counted = any(t.frequency is not None or t.contributors for t in subject.release.tables)
    if anything and counted and subject.release.microdata is None:
        said.append(
            "Contributors of combined cells are taken for different ones; `microdata` that name them would tell"
        )
    if any(len(h.parents) > 1 for h in subject.release.variables.values()):
        said.append("Classifications with several groupings stay as they are")
    if (subject.cells.status == Status.MUST_PUBLISH).any():
        said.append("Cells that must be published are")
    return said
