"""What is told of a table that was asked for, in words and as columns."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.reasons import reasons, steps_words
from tableseal.audit.linear.naming import plural
from tableseal.audit.report.words import printable
from tableseal.audit.wording import listing
from tableseal.suppression.generator.result import Answer, Refusal


def columns_of(told: TableAnswer) -> Mapping[str, Sequence[Any]]:
    """The table as columns: a code of each variable, and the value; of a share, what it is made of, too.

    Raises
    ------
    ValueError: there is none.
    """
    if told.answer is None:
        raise ValueError("refused")
    rows = list(product(*told.answer.codes))
    found: dict[str, Sequence[Any]] = {name: [row[k] for row in rows] for k, name in enumerate(told.answer.variables)}
    taken = set(found)
    found[_free("value", taken)] = told.answer.values
    if told.whole is not None:
        found[_free("share", taken)] = told.shares
    return found


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def told_text(told: TableAnswer, *, limit: int | None = None) -> str:
    """The answer or the refusal. limit: rows that are shown, at most. A public part says less."""
    lines = _refused(told.refusal) if told.refusal is not None else _answered(told, limit)
    return "\n".join(map(printable, lines)) + "\n"


def _answered(told: TableAnswer, limit: int | None) -> Iterator[str]:
    answer = told.answer
    assert isinstance(answer, Answer)
    figures = answer.figures
    yield f"ANSWERED: {plural(len(answer.shown), 'cell')}."
    if answer.left_out:
        yield f"Left out by the rules: {listing(answer.left_out, 12)}."
    yield f"Expected utility {figures.expected_utility:.4f}."
    if figures.utility is not None:
        before, after = (_risk(value) for value in (figures.risk_before, figures.risk))
        yield f"Risk {before} before, {after} after protection; utility {figures.utility:.4f} (for the agency)."
    columns = list(columns_of(told).values())
    rows = list(zip(*columns, strict=True))
    for row in rows if limit is None else rows[:limit]:
        *codes, value = row if told.whole is None else row[:-1]
        share = "" if told.whole is None else f"  {_share(row[-1])}"
        yield f"  {', '.join(codes) or 'all'}: {value}{share}"
    if limit is not None and len(rows) > limit:
        yield f"  ... and {len(rows) - limit:,} more"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _risk(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.4f}"


def _refused(refusal: Refusal) -> Iterator[str]:
    yield f"REFUSED: {refusal.sentence}"
    yield from (f"  - {reason}" for reason in reasons(refusal))
    if refusal.nearest:
        yield "What would be answered:"
        yield from (f"  - {steps_words(one)} ({plural(one.cells, 'cell')})" for one in refusal.nearest)
