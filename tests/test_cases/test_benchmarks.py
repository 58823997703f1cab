"""The benchmark: instances, what competitors answer, the comparison of answers, and the command."""

import gzip
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.benchmarks import folder, large, limits, releases, rows, scaling, seeds, surveys, unprotected
from cases.benchmarks.__main__ import main
from cases.benchmarks.agreement import compare, reference
from cases.benchmarks.attack import attack, components
from cases.benchmarks.bench import instance_names
from cases.benchmarks.competitors import BY_NAME, COMPETITORS, OURS, REFERENCES
from cases.benchmarks.competitors.protocol import Answer
from cases.benchmarks.competitors.tableseal_file import run_command
from cases.benchmarks.families import FAMILIES, Family, generate
from cases.benchmarks.instance import Instance
from cases.benchmarks.linked import Linked, link
from cases.benchmarks.pattern_check import underprotected
from cases.benchmarks.pattern_targets import PATTERN_TARGETS, Cheap
from cases.benchmarks.process import run
from cases.benchmarks.render import render
from cases.benchmarks.rows import Pattern, Point, Results, Row
from cases.benchmarks.suppressors import SUPPRESSORS
from cases.benchmarks.targets import Command, Exact, Ratio, Seconds, WithoutSolver
from cases.benchmarks.worker import measure
from tableseal.audit import audit, read_release
from tableseal.audit.errors import InputError

DOCS = Path(__file__).parents[2] / "docs"
TINY = Family(((3, 2), (2, 2), (2,)), mean=5, primary=2)


def lonely_equations(instance: Instance) -> int:
    """How many equations have exactly one withheld cell."""
    return int((abs(instance.equations) @ instance.withheld.astype(np.int64) == 1).sum())


# --- instances


@given(
    st.lists(st.lists(st.integers(2, 4), min_size=1, max_size=2).map(tuple), min_size=2, max_size=3).map(tuple),
    st.floats(0.5, 20),
    st.integers(1, 3),
    st.floats(0, 0.8),
    st.integers(0, 2**32),
)
def test_generated_tables_add_up_and_hide_something_everywhere(
    branches: tuple[tuple[int, ...], ...], mean: float, primary: int, zeros: float, seed: int
) -> None:
    family = Family(branches, mean, primary, zeros)
    instance = generate("x", family, seed)
    assert not (instance.equations @ instance.values).any()
    assert instance.values[0] == instance.values.max()
    assert np.array_equal(instance.primary, (instance.values >= 1) & (instance.values <= primary))
    assert not (instance.primary & ~instance.withheld).any()
    assert instance.values[instance.withheld].min(initial=1) > 0
    assert lonely_equations(instance) == 0
    assert generate("x", family, seed).digest == instance.digest


def test_another_seed_is_another_table() -> None:
    assert generate("x", TINY, 1).digest != generate("x", TINY, 2).digest


@pytest.mark.parametrize(
    ("name", "cells", "withheld"),
    [("2d100", 10_201, 2_540), ("3d20", 9_261, 1_393), ("hierM", 9_920, 1_868), ("hierH1", 41_920, 14_980)],
)
def test_families_have_the_sizes_of_the_measurements_that_set_the_targets(name: str, cells: int, withheld: int) -> None:
    instance = generate(name, FAMILIES[name])
    assert (len(instance.values), int(instance.withheld.sum())) == (cells, withheld)


@pytest.mark.parametrize(("curve", "most"), [("size", 1_000_000), ("trees", 10_000_000)])
def test_curves_end_at_a_million_and_at_ten_million_cells(curve: str, most: int) -> None:
    names = scaling.CURVES[curve]
    sizes = [scaling.cells(name) for name in names]
    assert sizes == sorted(sizes)
    assert sizes[-1] >= most
    assert scaling.larger(names[1]) == set(names[2:])
    assert set(scaling.SIZES) == {scaling.START, *(name for names in scaling.CURVES.values() for name in names)}


@pytest.mark.parametrize("name", folder.names(folder.DATA))
def test_shipped_instances_are_what_their_files_say(name: str) -> None:
    instance = folder.load(folder.DATA, name)
    table, _, pattern = name.partition(":")
    described = json.loads((folder.DATA / table / "meta.json").read_text("utf-8"))
    listed = gzip.decompress((folder.DATA / table / f"withheld_{pattern}.csv.gz").read_bytes()).split()[1:]
    assert len(instance.values) == described["ncells"]
    assert int(instance.primary.sum()) == described["nprim"]
    assert int((instance.values == 0).sum()) == described["nzero"]
    assert int(instance.withheld.sum()) == len(listed)
    assert lonely_equations(instance) == 0


def test_instances_survive_being_saved(tmp_path: Path) -> None:
    instance = generate("x", TINY)
    instance.save(tmp_path / "x.npz")
    again = Instance.load(tmp_path / "x.npz")
    assert (again.name, again.digest) == (instance.name, instance.digest)


def write_folder(instance: Instance, root: Path, *, spoil: str = "") -> None:
    """Write an instance as an instance folder; spoil: text appended to cells.csv."""
    place = root / "tiny"
    place.mkdir(parents=True)
    releases.write(instance, place)
    names = [d.name for d in instance.dimensions]
    columns = [*instance.codes(), instance.values, instance.primary.astype(int), instance.below, instance.above]
    lines = [",".join([*names, "freq", "primary", "lpl", "upl"])]
    lines += [",".join(map(str, line)) for line in zip(*(c.tolist() for c in columns), strict=True)]
    (place / "cells.csv").write_text("\n".join(lines) + spoil, "utf-8")
    (place / "meta.json").write_text(json.dumps({"kind": "freq", "dims": names}), "utf-8")
    withheld = np.flatnonzero(instance.withheld).tolist()
    (place / "withheld_own.csv").write_text("\n".join(["row", *map(str, withheld)]), "utf-8")


def test_a_folder_gives_back_the_instance(tmp_path: Path) -> None:
    instance = generate("tiny:own", TINY)
    write_folder(instance, tmp_path)
    assert folder.names(tmp_path) == ["tiny:own"]
    assert folder.load(tmp_path, "tiny:own").digest == instance.digest


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("tiny:other", "", "withheld_other.csv: there is no such file"),
        ("tiny:own", "\nT,T,T,1,0,0,0", "expected each of .* combinations once"),
        ("tiny:own", "\nT,T,nowhere,1,0,0,0", 'column c: unknown code "nowhere"'),
    ],
)
def test_a_folder_that_is_not_right_is_refused(tmp_path: Path, name: str, spoil: str, message: str) -> None:
    write_folder(generate("tiny:own", TINY), tmp_path, spoil=spoil)
    with pytest.raises(InputError, match=message):
        folder.load(tmp_path, name)


def test_a_folder_without_a_column_is_refused(tmp_path: Path) -> None:
    write_folder(generate("tiny:own", TINY), tmp_path)
    (tmp_path / "tiny" / "withheld_own.csv").write_text("cell\n1\n", "utf-8")
    with pytest.raises(InputError, match=r'tiny/withheld_own.csv: there is no column "row"'):
        folder.load(tmp_path, "tiny:own")


def test_a_folder_whose_table_does_not_add_up_is_refused(tmp_path: Path) -> None:
    instance = generate("tiny:own", TINY)
    changed = instance.values.copy()
    changed[0] += 1
    write_folder(replace(instance, values=changed), tmp_path)
    with pytest.raises(InputError, match="3 equations do not add up"):
        folder.load(tmp_path, "tiny:own")


def test_the_release_is_the_same_in_memory_and_from_files(tmp_path: Path) -> None:
    instance = generate("tiny", Family(((2, 2), (3,)), mean=5, primary=2), seed=3)
    in_memory = audit(releases.release(instance)).report
    from_files = audit(read_release(releases.write(instance, tmp_path, insiders=True))).report
    assert in_memory.cells == from_files.cells
    assert in_memory.summary.withheld == int(instance.withheld.sum())
    required = {cell.cell: cell.required for cell in in_memory.cells if cell.status == "primary"}
    assert len(required) == int(instance.primary.sum()) > 0
    assert all(required.values())


def test_the_system_of_the_others_holds_for_the_true_values_and_falls_into_parts() -> None:
    instance = generate("x", FAMILIES["hierM"])
    whole = attack(instance)
    truth = instance.values[instance.withheld]
    assert np.array_equal(whole.matrix @ truth, whole.right)
    parts = components(whole)
    assert sorted(column for part in parts for column in part.columns.tolist()) == list(range(len(truth)))
    assert all(np.array_equal(part.matrix @ truth[part.columns], part.right) for part in parts)
    # The sizes of the measurements that set the targets.
    assert (len(parts), max(len(part.columns) for part in parts)) == (46, 264)


# --- answers


@pytest.fixture(scope="module")
def answers() -> tuple[Instance, dict[str, Answer]]:
    instance = generate("tiny", TINY, seed=3)
    names = (OURS, "tableseal_file", *REFERENCES)
    return instance, {name: measure(BY_NAME[name], instance, 60, lambda: None, runs=1)[1] for name in names}


@pytest.mark.parametrize("name", [OURS, "tableseal_file", *REFERENCES])
def test_every_answer_agrees_with_the_others(name: str, answers: tuple[Instance, dict[str, Answer]]) -> None:
    instance, given_answers = answers
    truth = instance.values[instance.withheld]
    others = [given_answers[other] for other in REFERENCES if other != name]
    found = compare(given_answers[name], BY_NAME[name].relation, truth, reference(others))
    assert (found.compared, found.wrong) == (2 * len(truth), 0)
    assert given_answers[name].done == 2 * len(truth)


def test_shares_of_methods_add_up_to_all(answers: tuple[Instance, dict[str, Answer]]) -> None:
    shares = answers[1][OURS].methods
    assert sum(shares.values()) == pytest.approx(1)


TRUTH = np.array([5, 7])
LINEAR = np.array([[2.5, 0.0], [8.0, np.inf]])
WHOLE = np.array([[3.0, 0.0], [8.0, np.inf]])
RIGHT = Answer(LINEAR, WHOLE, WHOLE)


def test_a_right_answer_is_not_blamed() -> None:
    found = compare(RIGHT, "equal", TRUTH, LINEAR)
    assert (found.compared, found.wrong, found.worst) == (4, 0, 0.0)


def changed(ends: np.ndarray, at: tuple[int, int], value: float) -> np.ndarray:
    result = ends.copy()
    result[at] = value
    return result


@pytest.mark.parametrize(
    "wrong",
    [
        replace(RIGHT, linear=changed(LINEAR, (0, 0), 2.4)),  # too wide
        replace(RIGHT, linear=changed(LINEAR, (1, 1), 1000.0)),  # a limit where there is none
        replace(RIGHT, outer=changed(WHOLE, (0, 0), 2.0)),  # whole numbers must be rounded inward
        replace(RIGHT, outer=changed(WHOLE, (1, 0), 4.0)),  # excludes the true value
        replace(RIGHT, attained=changed(WHOLE, (1, 0), 9.0)),  # a table beyond what is proved
    ],
)
def test_every_kind_of_wrong_answer_is_caught(wrong: Answer) -> None:
    assert compare(wrong, "equal", TRUTH, LINEAR).wrong == 1


def test_programs_that_assume_more_may_be_narrower_but_not_wider() -> None:
    narrower, wider = changed(LINEAR, (0, 0), 4.0), changed(LINEAR, (0, 0), 2.0)
    assert compare(Answer(narrower), "inside", TRUTH, LINEAR).wrong == 0
    assert compare(Answer(narrower), "equal", TRUTH, LINEAR).wrong == 1
    assert compare(Answer(wider), "inside", TRUTH, LINEAR).wrong == 1
    assert compare(Answer(changed(LINEAR, (0, 0), 6.0)), "inside", TRUTH, None).wrong == 1  # excludes the true value


def test_ends_that_were_not_computed_are_not_compared() -> None:
    part = Answer(changed(LINEAR, (0, 0), np.nan))
    assert compare(part, "equal", TRUTH, LINEAR).compared == 3
    assert compare(RIGHT, "equal", TRUTH, reference([part])).compared == 3
    assert compare(RIGHT, "equal", TRUTH, reference([part, RIGHT])).compared == 4


def test_our_command_says_what_is_wrong_with_the_input(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="there"):
        run_command(["audit", str(tmp_path / "there.json")])


# --- the command


def bench(root: Path, *names: str) -> int:
    only = [argument for name in names for argument in ("--only", name)]
    places = {"--instances": root / "in", "--output": root / "out", "--cache": root / "cache", "--limit": 30}
    return main([*only, *(str(word) for pair in places.items() for word in pair)])


def test_the_command_measures_compares_and_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(generate("tiny:own", TINY), tmp_path / "in")
    monkeypatch.setattr(type(BY_NAME["gconfid"]), "available", lambda _: False)
    assert bench(tmp_path, "tiny", "gconfid", "highs_warm") == 0
    assert "gconfid audit: missing" in capsys.readouterr().out
    assert bench(tmp_path, "tiny", OURS, "highs_warm") == 0
    said = capsys.readouterr().out
    assert "bounds alone" in said
    assert "HiGHS, one model, warm:" not in said  # it is known already
    results = rows.parse(json.loads((tmp_path / "out" / "BENCHMARKS.json").read_text("utf-8")))
    ours, highs = results.row("tiny:own", OURS), results.row("tiny:own", "highs_warm")
    assert ours is not None
    assert highs is not None
    assert ours.compared == ours.done == 2 * ours.withheld
    assert (ours.wrong, ours.exact) == (0, 1.0)
    assert min(ours.cpu or 0, ours.wall or 0, ours.peak_mb or 0) > 0
    page = (tmp_path / "out" / "BENCHMARKS.md").read_text("utf-8")
    assert f"| tiny:own | {ours.cells} | {ours.withheld} |" in page
    assert "not installed" in page


def test_a_name_that_nothing_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(tmp_path, "hierXXL") == 2
    assert '"hierXXL"' in capsys.readouterr().err


def test_a_process_is_stopped_at_its_limit_and_an_error_is_told() -> None:
    assert run([sys.executable, "-c", "while True: pass"], core=None, cpu_limit=1).stopped
    failed = run(
        [sys.executable, "-c", "raise SystemExit('no such thing: /home/me/secret/file.py')"], core=None, cpu_limit=5
    )
    assert not failed.stopped
    assert failed.last_error == "no such thing: file.py"


# --- the page


def row(competitor: str, **fields: object) -> Row:
    known = {"instance": "i", "cells": 9, "withheld": 4, "digest": "", "of": "", "status": "measured", "limit": 60.0}
    return Row(competitor=competitor, date="2026-01-01", **(known | fields))  # type: ignore[arg-type]


def page(*measured: Row) -> str:
    return render(Results({"processor": "p"}, measured))


def test_ratios_extrapolations_and_limits_are_shown() -> None:
    ours = row(OURS, cpu=0.5, wall=0.6, done=8, methods={"flows": 0.75, "simplex": 0.25}, exact=0.999999)
    shown = page(
        ours,
        row("glpk_components", cpu=5.0, done=8, compared=8),
        row("pulp_cbc", cpu=3.0, done=2),
        row("gconfid", status="limit"),
        row("pytauargus", status="missing"),
        row("highs_warm", cpu=1.0, done=8, compared=8, wrong=2),
    )
    assert "5 (10x)" in shown
    assert "→ 12 (24x)" in shown
    assert "> 60 (> 120x)" in shown
    assert "not installed" in shown
    assert "**2 DIFFER** of 8" in shown
    assert "all 8" in shown
    assert "flows 75%, simplex 25%" in shown
    assert "99.99%" in shown


def test_targets_are_judged_by_what_was_measured() -> None:
    ours = row(OURS, cpu=0.5, done=8, exact=0.75)
    results = Results({}, (ours, row("gconfid", status="limit"), row("glpk_components", cpu=4.0, done=8)))
    assert Ratio("i", "gconfid", 100).check(results) == ("> 120 times", "yes")
    assert Ratio("i", "gconfid", 200).check(results) == ("> 120 times", "–")
    assert Ratio("i", "glpk_components", 10).check(results) == ("8 times", "**no**")
    assert Seconds("i", 1).check(results) == ("0.5 s", "yes")
    assert Seconds("other", 1).check(results) == ("–", "–")
    assert Seconds("i", 1).check(Results({}, (row(OURS, status="limit"),))) == ("> 60 s", "**no**")
    assert Exact("i", 0.8).check(results) == ("75%", "**no**")
    closed = row(OURS, cpu=1.0, done=8, methods={"flows": 0.75, "simplex": 0.15, "not closed": 0.1})
    assert WithoutSolver("i", 0.8).check(Results({}, (closed,))) == ("75%", "**no**")
    point = Point("size6", 9, 4, "", "measured", 60, "2026-01-01", cpu=10, wall=11, peak_mb=5000)
    assert Command("size6", "", 60, 4096).check(Results({}, (), (point,))) == ("10 s, 5,000 MB", "**no**")


def test_the_page_is_that_of_its_data() -> None:
    data = json.loads((DOCS / "BENCHMARKS.json").read_text("utf-8"))
    assert render(rows.parse(data)) == (DOCS / "BENCHMARKS.md").read_text("utf-8")


def test_no_measured_answer_disagrees() -> None:
    measured: Sequence[Row] = rows.parse(json.loads((DOCS / "BENCHMARKS.json").read_text("utf-8"))).rows
    assert measured
    assert [(one.instance, one.competitor) for one in measured if one.wrong] == []


def test_names_are_unique() -> None:
    names = [*instance_names(folder.DATA), *(c.name for c in COMPETITORS), *scaling.SIZES]
    assert len(set(names)) == len(names)


def test_linked_tables_are_one_instance() -> None:
    pair = folder.to_protect(folder.DATA, "lf_mid")
    assert isinstance(pair, Linked)
    shared = sum(len(table.values) for table in pair.tables) - len(pair.values)
    assert shared == len(pair.tables[0].dimensions[0].codes)  # both tables have a margin by region
    assert not (pair.equations @ pair.values).any()
    for table, place in zip(pair.tables, pair.places, strict=True):
        assert (pair.values[place] == table.values).all()
        assert (pair.primary[place] >= table.primary).all()


def test_linked_tables_that_differ_are_refused() -> None:
    pair = folder.to_protect(folder.DATA, "lf_mid")
    assert isinstance(pair, Linked)
    first, second = pair.tables
    values = second.values.copy()
    values[0] += 1
    with pytest.raises(InputError, match="1 cells of lf_mid/t2 are not what a linked table says"):
        link("lf_mid", (first, replace(second, values=values))).merged([first.values, values])


def test_patterns_of_linked_tables_are_checked_over_all_of_them(tmp_path: Path) -> None:
    pair = folder.to_protect(folder.DATA, "lf_mid")
    cost = folder.costs(folder.DATA, pair)
    ours = next(s for s in SUPPRESSORS if s.name == "tableseal_heuristic")
    pattern = ours.pattern(pair, cost, folder.DATA, tmp_path, 60.0)
    assert not underprotected(pair, pattern).any()
    assert underprotected(pair, pair.primary).any()
    assert cost[pattern & ~pair.primary].sum() < 385


def test_contributions_are_those_of_the_folder_given(tmp_path: Path) -> None:
    """Tables of somebody else need not have the names of those shipped."""
    shutil.copytree(folder.DATA / "lm_mid", tmp_path / "theirs")
    pair = folder.to_protect(tmp_path, "theirs")
    cost = folder.costs(tmp_path, pair)
    ours = next(s for s in SUPPRESSORS if s.name == "tableseal_insiders")
    pattern = ours.pattern(pair, cost, tmp_path, tmp_path, 60.0)
    assert not underprotected(pair, pattern).any()
    assert cost[pattern & ~pair.primary].sum() == ours.bound


def searched(cost: float | None, *, bound: float | None = None, wrong: int = 0, cpu: float = 1.0) -> Results:
    made = Pattern("f3d_6", "tableseal_optimal", "", "limit" if cost is None else "measured", 120.0, "2026-11-28")
    return Results({}).with_pattern(replace(made, cost=cost, bound=bound, underprotected=wrong, cpu=cpu))


@pytest.mark.parametrize(
    ("results", "said", "met"),
    [
        (searched(295, bound=295), "295, optimal, 1 s", "yes"),
        (searched(295, bound=290), "295, gap 1.69%, 1 s", "**no**"),
        (searched(296, bound=296), "296, optimal, 1 s", "**no**"),
        (searched(295, bound=295, cpu=6.0), "295, optimal, 6 s", "**no**"),
        (searched(200, bound=200, wrong=2), "200, optimal, 1 s, 2 under-protected", "**no**"),
        (searched(295), "295, 1 s", "**no**"),
        (searched(None), "nothing within 120 s", "**no**"),
        (Results({}), "–", "–"),
    ],
)
def test_a_target_of_a_search_is_met_by_a_safe_cheap_and_proved_pattern_in_time(
    results: Results, said: str, met: str
) -> None:
    target = Cheap("f3d_6", 295, 0.0, 5)
    assert target.words == "f3d_6: cost at most 295, proved optimal, 5 s"
    assert target.check(results) == (said, met)


def test_targets_of_searches_name_tables_that_are_measured() -> None:
    assert {target.instance for target in PATTERN_TARGETS} <= set(unprotected.names(folder.DATA))


def test_the_generated_table_is_for_the_fast_search_alone() -> None:
    instance, cost = unprotected.load(folder.DATA, "hierL_sparse")
    assert not unprotected.is_linked(folder.DATA, "hierL_sparse")
    assert [s.name for s in SUPPRESSORS if unprotected.suits("hierL_sparse", s.name)] == ["tableseal_heuristic"]
    assert all(unprotected.suits("f3d_6", s.name) for s in SUPPRESSORS)
    assert len(cost) == len(instance.values)
    assert (cost > 0).all()
    assert (instance.withheld == instance.primary).all()


def over_seeds(cost: dict[str, list[float | None]], **more: Any) -> Results:
    """Patterns of several programs on the five seeds of a family."""
    results = Results({})
    for program, of in cost.items():
        for name, one in zip(seeds.seeded("counts_3276"), of, strict=True):
            made = Pattern(name, program, "", "limit" if one is None else "measured", 120.0, "2026-11-28", 3_276)
            results = results.with_pattern(replace(made, cost=one, cpu=1.0, **more.get(program, {})))
    return results


QUICK, MOD = "tableseal_modular", "pytauargus_mod"


@pytest.mark.parametrize(
    ("ours", "theirs", "more", "said", "met"),
    [
        ([9, 9, 9, 9, 10.1], [10] * 5, {}, "0.900 times, at most 1.010", "yes"),
        ([9, 9, 9, 9, 10.3], [10] * 5, {}, "0.900 times, at most 1.030", "**no**"),
        ([9, 9, 11, 11, 11], [10] * 5, {}, "1.100 times, at most 1.100", "**no**"),
        ([9] * 5, [10, None, None, None, None], {}, "0.900 times, at most 0.900", "yes"),
        ([9, 9, 9, 9, None], [10] * 5, {}, "a pattern is missing or unsafe", "**no**"),
        ([9] * 5, [10] * 5, {QUICK: {"underprotected": 1}}, "a pattern is missing or unsafe", "**no**"),
    ],
)
def test_a_quick_method_is_held_to_its_peer_over_all_seeds(
    ours: list[float | None], theirs: list[float | None], more: dict[str, Any], said: str, met: str
) -> None:
    target = next(t for t in seeds.SEED_TARGETS if t.family == "counts_3276" and "as dear" in t.said)
    assert target.check(over_seeds({QUICK: ours, MOD: theirs}, **more)) == (said, met)
    assert target.check(over_seeds({QUICK: ours})) == ("–", "–")


def test_rows_over_seeds_are_medians_with_the_worst_beside() -> None:
    results = over_seeds({QUICK: [10, 10, 11, 12, 20], MOD: [5, 10, 10, 10, 10]}, **{MOD: {"underprotected": 1}})
    table = seeds.survey_table(results, [s for s in SUPPRESSORS if s.name in (QUICK, MOD)])
    line = table.splitlines()[-1]
    assert "| counts_3276 | 3,276 | 11, +0.0% (+0.0%), 1 s (1) | 10, " in line
    assert "**5 under-protected on 5**" in line


def test_tables_of_seeds_add_up_and_name_their_largest_contributors() -> None:
    drawn = surveys.draw("turnover_676/3")
    instance, given = drawn.instance, drawn.given
    assert not (instance.equations @ instance.values).any()
    assert not (instance.equations @ given["freq"]).any()
    assert (given["x1"] >= given["x2"]).all()
    assert (given["x1"] + given["x2"] <= instance.values).all()
    alone = given["freq"] == 1
    assert alone.any()
    assert (given["x1"][alone] == instance.values[alone]).all()
    assert instance.primary[alone].all()
    assert (instance.above[instance.primary] > 0).all()
    assert np.array_equal(surveys.draw("turnover_676/3").instance.values, instance.values)


def test_farms_are_drawn_in_their_sizes_and_most_are_in_few_cells() -> None:
    sizes = {name: prod(prod(b) for b in survey.branches) for name, survey in surveys.FARMS.items()}
    assert sizes["farms_counts_34440"] == 220 * 9 * 11
    survey = surveys.farms(((3, 2, 2), (9,), (11,)), turnover=True)
    drawn = surveys.drawn("farms", survey, 1)
    freq = drawn.given["freq"]
    assert len(freq) == 22 * 10 * 12
    assert not drawn.instance.values[freq == 0].any()
    assert (freq == 0).mean() > 0.1
    assert np.array_equal(surveys.drawn("farms", survey, 1).instance.values, drawn.instance.values)
    assert main(["--suppress", "--only", "farms_counts_5"]) == 2


def test_a_limit_holds_up_to_a_tenth_beyond_it() -> None:
    kept = limits.Kept(3_276, 340, 5.4, audit=9.0, cost=1.0, bound=1.0, verdict="safe", everything=False, peak_mb=1.0)
    assert kept.within(5.0)
    assert not kept.within(4.9)


def test_large_shapes_are_searched_as_users_call_it_and_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a small one in their place: a pattern that its audit calls safe, its cost, and a bound not above it."""
    monkeypatch.setitem(surveys.ALL, "farms_counts_34440", surveys.farms(((3, 2), (3,)), turnover=False))
    kept = limits.searched("farms_counts_34440/1", 5.0, insiders=False)
    assert kept.verdict == "safe"
    assert 0 < kept.bound <= kept.cost
    assert kept.primaries > 0
    assert kept.peak_mb > 1


def test_the_table_of_large_shapes_says_what_was_reached() -> None:
    made = rows.Large("farms_counts_241080/1", "x", "measured", 600.0, "2026-01-02", 241_080)
    made = replace(made, primaries=24_435, search=601.2, audit=20.4, peak_mb=4_000.0)
    made = replace(made, cost=400.0, bound=300.0, verdict="safe")
    late = rows.Large("farms_turnover_792120/1", "x", "limit", 1_800.0, "2026-01-02", 792_120)
    results = Results({}).with_large(replace(made, cost=500.0)).with_large(made).with_large(late)
    lines = large.large_table(results).splitlines()
    numbers = "241,080 | 24,435 | 601 | 4,000 | 400 | 300 | 25.0% | safe | 20"
    assert lines[2] == f"| farms_counts_241080 | 287 x 10 x 12 x 7 | {numbers} |"
    assert lines[3].startswith("| farms_turnover_792120 | 287 x 10 x 12 x 23 | 792,120 | – | > 1,800 |")
    assert large.large_table(Results({})) == ""
    assert "| 25.0% |" in render(results)
    assert (
        rows.parse({"machine": {}, "rows": [], "points": [], "large_tables": [asdict(made)]}).large(made.table) == made
    )
