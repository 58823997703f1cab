"""Runs that are cut short say less, never something wrong; and the same release gives the same report."""

from random import Random

from agreement import by_name, oracle_of, report_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import possible_values
from random_releases import Maker

from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import report_json

SEEDS = st.integers(0, 2**40)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_no_time_at_all(seed: int) -> None:
    document = Maker(Random(seed), damaged=0).document()
    oracle, tables = oracle_of(document)
    assume(tables is not None and len(tables) > 0)
    report = report_of(document, time_limit=0)
    assert report is not None
    for name, cell in by_name(report).items():
        if name not in oracle.open_cells:
            continue
        values = list(possible_values(tables, oracle.forms[name]))
        low, high = (v * oracle.units[name[0]] for v in (values[0], values[-1]))
        assert cell.lower is None or cell.lower <= low
        assert cell.upper is None or cell.upper >= high
        assert cell.possible.at_least is not None
        assert cell.possible.at_least <= len(values)
        if cell.verdict == "exposed":
            assert low == high
        if cell.verdict == "protected":
            assert cell.attained is not None
            assert low <= cell.attained[0] < cell.attained[1] <= high
    judged = {c.verdict for c in report.cells if c.sensitive}
    assert report.verdict != "safe" or judged <= {"protected", "not_judged"}


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_same_release_same_bytes(seed: int) -> None:
    document = Maker(Random(seed), damaged=0).document()
    assume(report_of(document) is not None)
    one, two = (report_json(audit(release_from_document(document), cumulative=True).report) for _ in range(2))
    assert one.encode() == two.encode()
