"""A comparison as a table of text."""

from math import isinf

from audit.linear.naming import decimal, plural
from audit.report.applied import applied_words
from audit.report.words import printable
from suppression.compare import Comparison, Outcome
from suppression.search.result import GUARANTEES, most_rank_words

HEAD = ("method", "secondary", "cost", "gap", "exposed", "under", "width", "least bits", "mean bits", "rank", "verdict")
TIME = "seconds"


def comparison_text(comparison: Comparison, *, explain: bool = False) -> str:
    """One line a method; explain: also how long each search took."""
    problem = comparison.problem
    lines = [
        f"{problem.release.title or 'Untitled release'}: {plural(problem.listed, 'cell')}, "
        f"{int(problem.primary.sum())} sensitive",
        printable(applied_words(problem.rules, True)),
        "",
    ]
    rows: list[tuple[str, ...]] = [(*HEAD, TIME) if explain else HEAD]
    for outcome in comparison.outcomes:
        row = _row(comparison, outcome)
        rows.append((*row, f"{outcome.seconds:.2f}") if explain else row)
    lines += _aligned(rows)
    notes = [f"{o.method}: {note}" for o in comparison.outcomes for note in notes_of(o)]
    lines += ["", *notes] if notes else []
    if comparison.curve:
        lines += ["", "Trade-off (no pattern found is better in all of these):", ""]
        head = ("secondary", "cost", "rank", "least bits", "mean bits")
        lines += _aligned(
            [
                head,
                *(
                    (
                        str(int((p.pattern & ~problem.primary).sum())),
                        decimal(comparison.cost(p.cost), comparison.cost(problem.scale)),
                        str(p.rank),
                        limited(p.least_bits),
                        limited(p.mean_bits),
                    )
                    for p in comparison.curve
                ),
            ]
        )
    return "\n".join(lines)


def notes_of(outcome: Outcome) -> list[str]:
    """What has to be said of a method beside its figures, each without a full stop at its end."""
    notes = [outcome.remark.removesuffix(".")] if outcome.remark else []
    found = outcome.found
    if found is not None and found.pattern is not None:
        notes += [GUARANTEES[found.guarantee]] if GUARANTEES[found.guarantee] else []
        notes += [most_rank_words(found)] if most_rank_words(found) else []
    return notes


def limited(value: float | None) -> str:
    """A figure in words."""
    if value is None:
        return "-"
    return "no limit" if isinf(value) else f"{value:.4g}"


def cost_of(comparison: Comparison, outcome: Outcome) -> str:
    """The cost in words; - where there is none."""
    found = outcome.found
    if found is None or found.pattern is None:
        return "-"
    return decimal(comparison.cost(found.cost), comparison.cost(comparison.problem.scale))


def gap_of(outcome: Outcome) -> str:
    """The gap in words; - where no bound is proved."""
    found = outcome.found
    if found is None or found.gap is None or (found.bound == 0 and found.status != "optimal"):
        return "-"
    return f"{100 * found.gap:.3g}%"


def secondary_of(comparison: Comparison, outcome: Outcome) -> str:
    """Number of secondary cells; - without a pattern."""
    pattern = outcome.pattern
    return "-" if pattern is None else str(int((pattern & ~comparison.problem.primary).sum()))


def _row(comparison: Comparison, outcome: Outcome) -> tuple[str, ...]:
    p = outcome.protection
    figures = ("-",) * 7
    if p is not None:
        figures = (
            str(p.exposed),
            str(p.underprotected),
            limited(p.mean_width),
            limited(p.least_bits),
            limited(p.mean_bits),
            str(p.rank),
            p.verdict,
        )
    return outcome.method, secondary_of(comparison, outcome), cost_of(comparison, outcome), gap_of(outcome), *figures


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns of equal width, the first to the left and numbers to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            entry.ljust(width) if k == 0 else entry.rjust(width)
            for k, (entry, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
