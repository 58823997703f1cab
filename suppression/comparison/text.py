"""A comparison as a table of text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isinf

from tableseal.audit.linear.naming import decimal, plural
from tableseal.audit.report.applied import applied_words
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.columns import Column, aligned
from tableseal.audit.report.frame import framed
from tableseal.audit.report.words import printable
from tableseal.suppression.comparison.compare import Comparison, Outcome
from tableseal.suppression.search.methods import method_named
from tableseal.suppression.search.rank import Rank
from tableseal.suppression.search.result import GUARANTEES, most_rank_words

HEAD = ("method", "secondary", "cost", "gap", "exposed", "under", "width", "least bits", "mean bits", "rank", "verdict")
TIME = "seconds"


def comparison_text(comparison: Comparison, *, explain: bool = False, asked: Asked | None = None) -> str:
    """One line a method; explain: also how long each search took. asked: how it was asked for."""
    rule = printable(applied_words(comparison.problem.rules, True))
    following = next_step(comparison, asked or Call(verb=("compare",)))
    body = _body(comparison, explain=explain)
    return "\n".join(framed(verdict_words(comparison), [rule], following and printable(following), body))


def verdict_words(comparison: Comparison) -> str:
    """How many methods give a safe release, and the cheapest of them."""
    verdicts = Counter(o.protection.verdict if o.protection is not None else "failed" for o in comparison.outcomes)
    others = ", ".join(f"{verdicts[v]} {v}" for v in ("unsafe", "undecided", "failed") if verdicts[v])
    number, safe = len(comparison.outcomes), verdicts["safe"]
    words = (
        f"{safe} of {plural(number, 'method')} {'is' if safe == 1 else 'are'} safe{f' ({others})' if others else ''}"
    )
    best = cheapest(comparison)
    return words + (f"; the cheapest is {best.method}, at a cost of {cost_of(comparison, best)}." if best else ".")


def cheapest(comparison: Comparison) -> Outcome | None:
    """The cheapest safe pattern, the first of equal ones; None: no method withholds cells and is safe."""
    safe = [
        (o.found.cost, k)
        for k, o in enumerate(comparison.outcomes)
        if o.found is not None and o.protection is not None and o.protection.verdict == "safe"
    ]
    return comparison.outcomes[min(safe)[1]] if safe else None


def next_step(comparison: Comparison, asked: Asked) -> str | None:
    """What the agency does next; None: nothing."""
    best = cheapest(comparison)
    if best is None:
        return "no method that withholds cells is safe: see what each says below, or audit the release."
    of_rank = OF_RANK if isinstance(method_named(best.method), Rank) else ()
    return f"write the cheapest: {asked.by_method(best.method, ('time_limit', 'seed', 'solver', *of_rank))}"


OF_RANK = ("budget", "no_margins")
"""Options that only methods have that look for rank."""


def _body(comparison: Comparison, *, explain: bool) -> list[str]:
    problem = comparison.problem
    lines = [
        f"{printable(problem.release.title) or 'Untitled release'}: {plural(problem.listed, 'cell')}, "
        f"{int(problem.primary.sum())} sensitive",
        "",
    ]
    rows = [(*_row(comparison, outcome), f"{outcome.seconds:.2f}") for outcome in comparison.outcomes]
    lines += _table((*HEAD, TIME) if explain else HEAD, rows)
    lines += _utility(comparison)
    notes = [f"{o.method}: {note}" for o in comparison.outcomes for note in notes_of(o)]
    lines += ["", *notes] if notes else []
    if comparison.curve:
        lines += ["", "Trade-off (no pattern found is better in all of these):", ""]
        head = ("secondary", "cost", "rank", "least bits", "mean bits")
        points = (
            (
                str(int((p.pattern & ~problem.primary).sum())),
                decimal(comparison.cost(p.cost), comparison.cost(problem.scale)),
                str(p.rank),
                limited(p.least_bits),
                limited(p.mean_bits),
            )
            for p in comparison.curve
        )
        lines += _table(head, points)
    return [*lines, ""]


UTILITY = ("method", "of", "R1", "R2", "Hellinger", "utility", "mean change", "largest", "1s and 2s")


def _utility(comparison: Comparison) -> list[str]:
    """Risk and utility, a line for each method and table of counts."""
    rows = [row for outcome in comparison.outcomes for row in utility_rows(comparison, outcome)]
    if not rows:
        return []
    about = "Risk and utility (readers take the middle of a withheld cell's interval for its value):"
    return ["", about, "", *aligned([Column(name, right=k > 1) for k, name in enumerate(UTILITY)], rows)]


def utility_rows(comparison: Comparison, outcome: Outcome) -> list[tuple[str, ...]]:
    """Figures of one method as in `UTILITY`: a row for each table of counts with the changes of its measure, and
    one for each measure of which there is no such table."""
    if outcome.changes is None:
        return []
    measures = {table.name: table.measure for table in comparison.problem.given.tables}
    changed = {change.measure: change for change in outcome.changes.measures}
    rows = []
    for table in outcome.changes.tables:
        risk = (table.risk_before, table.risk_after)
        moved = changed.get(measures[table.table])
        far = ("-", "-") if moved is None else (f"{moved.mean:.4g}", f"{float(moved.largest):.6g}")
        share = None if moved is None else moved.ones_and_twos
        rows.append(
            (
                outcome.method,
                printable(table.table),
                *("-" if r is None else f"{r:.4f}" for r in risk),
                limited(table.hellinger),
                "-" if table.utility is None else f"{table.utility:.4f}",
                *far,
                "-" if share is None else f"{share:.1%}",
            )
        )
    counts = {measures[table.table] for table in outcome.changes.tables}
    rows += [
        (outcome.method, printable(name), *("-",) * 4, f"{change.mean:.4g}", f"{float(change.largest):.6g}", "-")
        for name, change in changed.items()
        if name not in counts
    ]
    return rows


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The first column to the left, numbers to the right."""
    return aligned([Column(name, right=k > 0) for k, name in enumerate(names)], rows)


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
