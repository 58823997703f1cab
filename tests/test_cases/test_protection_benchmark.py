"""The benchmark of roundings: what is compared, what is written, and when it is not well."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from cases.benchmarks import protection
from cases.benchmarks.__main__ import main
from cases.benchmarks.protection import DRAWN, Rounded, load, page, said, work, worse, write
from cases.benchmarks.protectors import Tableseal


def test_a_worker_rounds_a_drawn_table_and_says_what_it_did(tmp_path: Path) -> None:
    job = tmp_path / "job.json"
    job.write_text(json.dumps({"table": "three-way/2", "base": 3, "program": "tableseal"}))
    work(job)
    done = Rounded(**json.loads((tmp_path / "result.json").read_text()))
    assert (done.status, done.off, done.base, done.cells) == ("measured", 0, 3, len(load("three-way/2").values))
    assert done.change is not None
    assert done.bound is not None
    assert 0 < done.bound <= done.change


@pytest.mark.parametrize("family", list(DRAWN))
def test_drawn_tables_add_up_and_differ_from_seed_to_seed(family: str) -> None:
    first, second = load(f"{family}/1"), load(f"{family}/2")
    assert not (first.equations @ first.values).any()
    assert (first.values != second.values).any()


def test_our_rounding_is_placed_by_codes() -> None:
    instance = load("two-way, nested/1")
    shown = Tableseal().rounded(instance, 5, 30.0)
    assert not (instance.equations @ shown).any()
    assert (np.abs(shown - instance.values) < 5).all()


def row(program: str, change: int | None, beyond: int = 0, status: str = "measured") -> Rounded:
    return Rounded("f3d_6", 3, program, status, 343, change, None, beyond, 0, 0.5)


def test_a_better_table_of_another_program_is_told() -> None:
    ours = row("tableseal", 100)
    assert worse([ours, row("ctrlround", 90, beyond=2), row("gconfid_optrounding", 100)]) == []
    nearer = row("gconfid_optrounding", 99)
    assert worse([ours, nearer]) == [nearer]
    assert worse([row("tableseal", None, status="limit"), nearer]) == [nearer]
    assert worse([ours, row("gconfid_optrounding", 0, status="none")]) == []


def test_the_page_is_made_of_the_rows(tmp_path: Path) -> None:
    found = [row("tableseal", 100), row("gconfid_optrounding", None, status="missing"), row("ctrlround", 130, 4)]
    text = write(found, tmp_path).read_text("utf-8")
    assert "| f3d_6 | 343 | 3 | 100, 0.5 s | not installed | 130, 4 beyond, 0.5 s |" in text
    document = json.loads((tmp_path / "PROTECTION_BENCHMARKS.json").read_text("utf-8"))
    assert document["rows"] == [asdict(r) for r in found]
    assert said(row("ctrlround", None, status="limit")) == f"> {protection.LIMIT:g} s"
    assert "three-way" not in page(found).partition("## Tables drawn anew")[2].partition("## Other")[0]


def test_names_that_are_not_known_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--protect", "--only", "f9d"]) == 2
    assert 'nothing is named "f9d"' in capsys.readouterr().err
