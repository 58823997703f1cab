"""Whether anything says what is sensitive; and what small counts there are where nothing does."""

import numpy as np

from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import plural
from tableseal.audit.model import MEASURE_NOT_JUDGED, Note, Policy, Release, Require
from tableseal.audit.rules.judgement import percent_text
from tableseal.audit.rules.sensitivity import Sensitivity

SMALL = 5
"""Numbers of contributors below this are told where nothing was judged: the highest threshold in wide use."""


def unjudged(release: Release, cells: Cells, policy: Policy, sensitivity: Sensitivity) -> tuple[str, ...]:
    """The measures of which nothing says what is sensitive: no rule applies to them, and none of their cells is
    primary, withheld without a reason, rounded or published as an interval."""
    measured = [
        name
        for name in release.measures
        if name in _of_now(release) and any(table.measure == name for table in release.tables)
    ]
    by_status = set(np.unique(cells.measure[sensitivity.judged(cells)]).tolist())
    names = list(release.measures)
    return tuple(
        name for name in measured if names.index(name) not in by_status and not _rule_applies(release, name, policy)
    )


def is_judged(release: Release, cells: Cells, policy: Policy, sensitivity: Sensitivity) -> bool:
    """Whether a rule or a status says of any measure what is sensitive."""
    left = set(unjudged(release, cells, policy, sensitivity))
    return any(table.measure not in left and table.measure in _of_now(release) for table in release.tables)


def _of_now(release: Release) -> frozenset[str]:
    """The measures of this period, or all of a release that has nothing but earlier ones."""
    every = frozenset(release.measures)
    return every - release.earlier or every


def small_counts(release: Release, cells: Cells) -> tuple[int, ...]:
    """How many listed cells with published values have 1, 2, ... SMALL - 1 contributors; for counts that is the
    value."""
    counts = np.array([measure.kind == "count" for measure in release.measures.values()], np.bool_)[cells.measure]
    units = np.where(counts, cells.lower.units, cells.frequency.units)
    known = cells.exact & (cells.row >= 0) & (counts | cells.frequency.known)
    return tuple(int((known & (units == n)).sum()) for n in range(1, SMALL))


def nothing_judged(release: Release, cells: Cells) -> Note:
    """That nothing was judged, and what small counts are published."""
    found = small_counts(release, cells)
    return Note(
        "not_judged",
        f"Neither a rule nor a status says what is sensitive. {_in_words(found, release)}",
        sum(found),
    )


def _in_words(found: tuple[int, ...], release: Release) -> str:
    """ "79 counts of 1 to 4 are published (40 of 1, 39 of 3)."."""
    counts = any(measure.kind == "count" for measure in release.measures.values())
    what = f"of 1 to {SMALL - 1}" if counts else f"with 1 to {SMALL - 1} contributors"
    number = plural(sum(found), "count" if counts else "cell") if sum(found) else "No count" if counts else "No cell"
    each = ", ".join(f"{number} of {n}" for n, number in enumerate(found, start=1) if number)
    verb = "is" if sum(found) <= 1 else "are"
    known = "" if counts else ", as far as their number is given"
    return f"{number} {what} {verb} published{f' ({each})' if each else ''}{known}."


def partly_judged(left: tuple[str, ...]) -> Note:
    """That nothing was judged of some measures."""
    which = ", ".join(f'"{name}"' for name in left)
    return Note(
        MEASURE_NOT_JUDGED,
        f"Nothing was judged of {which}: no rule applies there, and no status says what is sensitive.",
        len(left),
    )


def rules_in_words(sensitivity: Sensitivity, require: Require) -> tuple[str, ...]:
    """Every rule that was applied, and the limits on subtraction, which finds cells sensitive too, on the risk of whole
    tables, and on the confidence in small counts."""
    sap, risk, confidence = require.sap, require.table_risk, require.confidence
    return (
        *sensitivity.rules,
        *(() if sap is None else (f"SAP({sap.n}) at most {percent_text(sap.max)}",)),
        *(() if risk is None else (f"table risk at most {percent_text(risk)}{_by(require.table_risk_measure)}",)),
        *(() if confidence is None else (f"confidence at most {percent_text(confidence)}",)),
    )


def _by(measure: str) -> str:
    return "" if measure == "a14" else f" ({measure})"


def _rule_applies(release: Release, measure: str, policy: Policy) -> bool:
    """Whether any rule looks at a measure; subtraction (SAP) and the risk of whole tables are asked of counts."""
    kind = release.measures[measure].kind
    limits = policy.require.sap, policy.require.table_risk
    asked = kind == "count" and any(limit is not None for limit in limits)
    return asked or any(kind in rule.kinds for rule in policy.primary)
