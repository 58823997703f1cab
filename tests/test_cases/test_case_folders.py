"""Every shipped case is complete: CONVENTION 80 and 81."""

import subprocess
import sys
from pathlib import Path

import pytest

from tableseal.api.cases import case_names, cases_folder, load_case
from tableseal.audit.errors import InputError

NAMES = case_names()


def test_the_cases_asked_for_are_there() -> None:
    assert {
        "o03_table1",
        "o03_redesign",
        "o03_linked",
        "s07_rounding",
        "s07_attribute",
        "projections_2x2x2",
        "french_business",
        "norwegian_benefits",
        "a14_tables",
        "a15s_sample",
    } <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_says_where_it_comes_from(name: str) -> None:
    case = load_case(name)
    assert all((case.title, case.source, case.licence, case.about, case.chosen))
    assert all(run.release.is_file() for run in case.runs)
    if case.licence.startswith("MIT"):
        assert "Permission is hereby granted" in (cases_folder() / name / "LICENCE.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_expected_value_has_a_run_and_a_source(name: str) -> None:
    case = load_case(name)
    runs = {run.name for run in case.runs}
    assert {value.run for value in case.expected} == runs
    for value in case.expected:
        assert value.source.startswith(("published", "computed")), value.what


def test_an_unknown_case_is_named_with_a_suggestion() -> None:
    with pytest.raises(InputError, match='"o03_tabel1"; did you mean "o03_table1"'):
        load_case("o03_tabel1")


def test_the_norwegian_tables_are_what_the_script_makes(tmp_path: Path) -> None:
    source = cases_folder() / "norwegian_benefits"
    for name in ("aggregate.py", "sosialFiktiv.csv"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    subprocess.run([sys.executable, str(tmp_path / "aggregate.py")], check=True)
    made = sorted(path.name for path in tmp_path.glob("*by_*.csv"))
    assert len(made) == 4
    assert all((tmp_path / name).read_bytes() == (source / name).read_bytes() for name in made)
