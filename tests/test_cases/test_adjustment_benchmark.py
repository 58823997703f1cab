"""The benchmark of tabular adjustment: what is drawn, what is checked apart from the method, and its section."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from cases.benchmarks import adjustment, protection
from cases.benchmarks.adjustment import TABLES, Adjusted, Size, adjusted, names, section


def test_a_table_is_adjusted_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for family in ("counts_27", "turnover_27"):
        monkeypatch.setitem(TABLES, family, Size(27, ((2,), (2,), (2,)), 20.0))
        done = adjusted(f"{family}/1")
        assert (done.status, done.cells, done.off, done.short) == ("measured", 27, 0, 0)
        assert 0 <= done.bound <= done.change
        assert done.sensitive == 0 or done.change > 0


def test_names_are_families_sizes_and_seeds() -> None:
    assert len(names(())) == sum(size.seeds for size in TABLES.values())
    assert names(("adjustment",)) == names(())
    counts = [f"counts_3276/{k}" for k in range(1, 6)]
    assert sorted(names(("turnover_1024/3", "counts_3276"))) == [*counts, "turnover_1024/3"]


def test_the_section_stands_behind_what_the_page_says_of_roundings(tmp_path: Path) -> None:
    rows = [
        Adjusted("counts_1024/1", "measured", 1024, 88, 506, 506.0, 0, 0, 0.1),
        Adjusted("counts_1024/2", "measured", 1024, 90, 600, 540.0, 0, 0, 0.3),
        Adjusted("counts_1024/3", "limit"),
    ]
    said = section(rows, {"machine": "one", "date": "today"}, {})
    assert "| counts | 1,024 | 89 | 3 | 553 | 523 | 5.0% (10.0%) | 0.2 (0.3) | 1 |" in said
    assert "| turnover | 100,215 | not measured |" in said
    page = tmp_path / "PROTECTION_BENCHMARKS.md"
    page.write_text("# Page\n\nRoundings.\n", "utf-8")
    for _ in range(2):
        protection.write_adjusted(rows, tmp_path)
    text = page.read_text("utf-8")
    assert text.startswith("# Page\n\nRoundings.\n\n## Tabular adjustment\n")
    assert text.count("## Tabular adjustment") == 1
    assert protection.adjusted_before(tmp_path) == rows
    protection.write([], tmp_path)
    document = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert document[adjustment.NAME]["rows"] == [asdict(row) for row in rows]
    assert page.read_text("utf-8").count("## Tabular adjustment") == 1
