"""What is told of a table that was asked for, in words and as columns."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.reasons import reasons, steps_words
from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.language import _, numbered, numerals, phrase, put
from tableseal.audit.report.words import printable
from tableseal.audit.wording import listing
from tableseal.suppression.generator.figures import Figures
from tableseal.suppression.generator.result import Answer, Refusal


def columns_of(told: TableAnswer) -> Mapping[str, Sequence[Any]]:
    """The table as columns: a code of each variable, and the value; of a share or a mean, what it is made of, too.

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
    if told.statistic == "share":
        found[_free("share", taken)] = told.shares
    if told.statistic == "mean":
        found[_free("count", taken)] = told.below.tolist()
        found[_free("mean", taken)] = told.means
    return found


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def told_text(told: TableAnswer, *, limit: int | None = None) -> str:
    """The answer or the refusal, in the language that is spoken. limit: rows that are shown, at most. A public part
    says less."""
    lines = _refused(told.refusal) if told.refusal is not None else _answered(told, limit)
    return "\n".join(map(printable, lines)) + "\n"


def _answered(told: TableAnswer, limit: int | None) -> Iterator[str]:
    answer = told.answer
    assert isinstance(answer, Answer)
    yield numbered(len(answer.shown), "ANSWERED: {n} cell.", "ANSWERED: {n} cells.")
    if answer.left_out:
        yield put("Left out by the rules: {what}.", what=listing(answer.left_out, 12))
    yield from _figures(answer.figures)
    columns = list(columns_of(told).values())
    rows = list(zip(*columns, strict=True))
    for row in rows if limit is None else rows[:limit]:
        codes, said = row[: len(answer.codes)], _said(told, row[len(answer.codes) :])
        yield f"  {put('{what}: {value}', what=', '.join(codes) or _('all'), value=said)}"
    if limit is not None and len(rows) > limit:
        yield f"  {put('... and {n} more', n=numerals(f'{len(rows) - limit:,}'))}"


def _figures(figures: Figures) -> Iterator[str]:
    if figures.expected_utility is not None:
        yield put("Expected utility {n}.", n=_figure(figures.expected_utility))
    if figures.within is not None:
        yield put(
            "No sum differs by more than {n} times its largest contribution.", n=numerals(f"{figures.within:.4g}")
        )
    if figures.utility is not None and figures.within is None:
        yield put(
            "Risk {before} before, {after} after protection; utility {utility} (for the agency).",
            before=_figure(figures.risk_before),
            after=_figure(figures.risk),
            utility=_figure(figures.utility),
        )
    elif figures.utility is not None:
        yield put("Utility {utility} (for the agency).", utility=_figure(figures.utility))


def _figure(value: float | None) -> str:
    return _("not defined") if value is None else numerals(f"{value:.4f}")


def _said(told: TableAnswer, values: Sequence[Any]) -> str:
    """Value, and of a share or a mean what it is."""
    value = decimal_text(Fraction(values[0])) or f"{float(values[0]):.6g}"
    if told.statistic == "share":
        return f"{value}  {'-' if values[1] is None else numerals(f'{100 * values[1]:.1f}%')}"
    if told.statistic == "mean":
        return f"{value} / {values[1]} = {'-' if values[2] is None else numerals(f'{values[2]:.6g}')}"
    return value


def _refused(refusal: Refusal) -> Iterator[str]:
    yield put("REFUSED: {sentence}", sentence=phrase(refusal.sentence))
    yield from (f"  - {reason}" for reason in reasons(refusal))
    if refusal.nearest:
        yield _("What would be answered:")
        for one in refusal.nearest:
            cells = numbered(one.cells, "{n} cell", "{n} cells")
            yield f"  - {steps_words(one)} ({cells})"
