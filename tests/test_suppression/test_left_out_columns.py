"""Columns of numbers that a bare file holds beside its values do not go out with the pattern."""

from dataclasses import replace
from pathlib import Path

from tableseal.audit.io import read_release
from tableseal.audit.model import COLUMNS_LEFT_OUT, Policy
from tableseal.audit.rules import Threshold
from tableseal.suppression.suppress import suppress


def test_what_is_written_has_no_column_that_nobody_looked_at(tmp_path: Path) -> None:
    # CONVENTION 113
    (tmp_path / "x.csv").write_text("area,sex,n,sum\nk,f,10,22\nk,m,12,22\nl,f,20,23\n")
    answer = suppress(replace(read_release(tmp_path / "x.csv"), policy=Policy((Threshold(11),))))
    assert answer.report is not None
    assert answer.report.verdict == "safe"
    assert COLUMNS_LEFT_OUT not in {note.code for note in answer.report.notes}
