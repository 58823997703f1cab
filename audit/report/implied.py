"""Cells that no row lists in the report."""

from collections.abc import Mapping

from tableseal.audit.bounds.reveal import Argument
from tableseal.audit.implied.find import Implied
from tableseal.audit.linear.naming import cell_name
from tableseal.audit.measures.risk.posterior import disclosure_risk, entropy_bits
from tableseal.audit.model import Note, Policy, Release, Require
from tableseal.audit.report.arithmetic import Subject, Words, reveals_subject
from tableseal.audit.report.described import Decimals, lp_ends
from tableseal.audit.report.model import NOT_LISTED, ImpliedCount, Possible, ReleaseVerdict, ReportCell
from tableseal.audit.rules import Threshold


def implied_cells(
    implied: Implied, arguments: Mapping[int, Argument], words: Words, decimals: list[Decimals]
) -> list[ReportCell]:
    """The findings in the shape of cells; arguments: position -> arithmetic of those with one value."""
    return [_cell(implied, k, arguments.get(k), words, decimals) for k in range(len(implied))]


def _cell(implied: Implied, k: int, argument: Argument | None, words: Words, decimals: list[Decimals]) -> ReportCell:
    release, cells, found = implied.named.release, implied.cells, implied.sensitivity
    measure = int(cells.measure[k])
    own = decimals[measure]
    bounds = implied.bounds[k]
    low, high = bounds.lower.outer, bounds.upper.outer
    assert low is not None  # all that is found lies in a bounded interval
    assert high is not None
    single = low == high
    reached = (low, high) if single else (bounds.lower.attained, bounds.upper.attained)
    required = found.required_lower, found.required_upper
    ends = own.both(low, high)
    values = high - low + 1
    possible = 1 if single else bounds.at_least
    name = cell_name(release, cells, k)
    several = len(release.measures) > 1
    subject = Subject(f"{list(release.measures)[measure]} {name}" if several else name, words.units[measure], None)
    return ReportCell(
        table=release.tables[int(cells.table[k])].name,
        also_in=(),
        measure=list(release.measures)[measure],
        cell=tuple(release.cell_codes(cells.codes[k]).items()),
        status=NOT_LISTED,
        truth=own.of(int(cells.truth.units[k])) if cells.truth.known[k] else None,
        lower=ends[0],
        upper=ends[1],
        attained=None if None in reached else own.both(*reached),
        exact=reached == (low, high),
        lp=lp_ends(bounds, own),
        possible=Possible(possible, values),
        entropy_bits=entropy_bits(possible or 1),
        risk=disclosure_risk(possible or 1),
        required=None
        if not (required[0].known[k] and required[1].known[k])
        else own.pair((int(required[0].units[k]), int(required[1].units[k]))),
        sensitive=True,
        rule=found.rule[k],
        verdict="exposed" if single else "underprotected",
        basis=None,
        reason="implied",
        reveals=None if argument is None else reveals_subject(words, subject, argument, low),
    )


def implied_count(implied: Implied | None) -> ImpliedCount | None:
    """How many were looked at, and what was found."""
    if implied is None:
        return None
    narrow = int((~implied.single).sum())
    return ImpliedCount(implied.looked_at, implied.left_out, implied.computed, narrow, implied.judged, len(implied))


def worst(*verdicts: ReleaseVerdict) -> ReleaseVerdict:
    """Unsafe before undecided before safe."""
    return "unsafe" if "unsafe" in verdicts else "undecided" if "undecided" in verdicts else "safe"


def implied_verdict(
    rows: list[ReportCell], count: ImpliedCount | None, require: Require, *, missing: int = 0
) -> ReleaseVerdict:
    """What these cells make of the release: safe, undecided or unsafe.

    count: None where they were not looked for. missing: cells marked `missing` that can be computed.
    """
    if any(row.verdict == "underprotected" or not require.exposed for row in rows):
        return "unsafe"
    return "undecided" if _lacking(count, require, missing) else "safe"


def _lacking(count: ImpliedCount | None, require: Require, missing: int) -> bool:
    """Whether the policy asks that all that can be computed is judged, and it is not."""
    unjudged = missing > 0 or count is None or count.computed > count.judged
    return unjudged and require.implied == "judged"


def implied_notes(count: ImpliedCount | None, policy: Policy, release: Release, *, missing: int = 0) -> list[Note]:
    """What was not looked at, or not judged; missing: as above."""
    notes = []
    if _lacking(count, policy.require, missing):
        text = "The policy asks that whatever can be computed is judged (require: {implied: judged}), and it is not."
        notes.append(Note("implied_required", text))
    if count is None:
        notes.append(Note("implied_off", "Cells that no row lists were not looked for (policy: implied: off)."))
    elif count.looked_at and _may_be_narrow(policy, release) and not _narrow_looked_for(policy):
        only = policy.implied == "computed"
        why = "policy: implied: computed" if only else "require: {protection: false}"
        text = (
            f"Of cells that no row lists those were not looked for of which every possible value is sensitive ({why})."
        )
        notes.append(Note("implied_computed" if only else "implied_no_protection", text))
    elif count.left_out:
        text = (
            f"Of {count.left_out:,} combinations that no row lists it was not found out whether every value they can "
            "take would be sensitive: that would have cost too much."
        )
        notes.append(Note("implied_left_out", text, count.left_out))
    return notes


def _narrow_looked_for(policy: Policy) -> bool:
    return policy.implied == "all" and policy.require.protection


def _may_be_narrow(policy: Policy, release: Release) -> bool:
    """Whether a rule could call an interval too narrow: a threshold that of a count, with microdata any."""
    counts = any(measure.kind == "count" for measure in release.measures.values())
    thresholds = any(isinstance(rule, Threshold) for rule in policy.primary)
    return (counts and thresholds) or (release.microdata is not None and bool(policy.primary))
