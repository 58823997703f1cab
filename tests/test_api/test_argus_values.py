"""Jobs of tau-ARGUS that change values: rounding, adjustment and cell keys."""

import csv
import importlib.util
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import floor, sqrt
from pathlib import Path

import jsonschema
import pytest
from argus import MICRO, SPECIFY, TABLE, cells, folder, run
from cell_key_data import DATA, records
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.schemas import schema

RULES = "<SAFETYRULE> FREQ(3,20)"
READ = "<READTABLE> 0"
AGES = {"1": ("1",), "2": ("2",), "A1": ("1",), "A2": ("2",), "Total": ("1", "2", "3", "4", "5", "6")}
SEXES = {"male": ("2",), "female": ("1",), "Total": ("1", "2")}
KEYED = ('<OPENMICRODATA> "m.csv"', '<OPENMETADATA> "m.rda"')
SAVINGS = '<SPECIFYTABLE> "Sex""Age"|"Savings"||'
COUNTS = '<SPECIFYTABLE> "Sex""Age"|<freq>||'
RDA = """<SEPARATOR> ";"
Sex 1
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "sex.hrc"
Age 1
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "age.hrc"
Savings 4
  <NUMERIC>
  <ckm> T(3)
  <INCLUDEZEROS> N
  <SEPARATION> Y
  <PARITY> N
  <SCALING> F(0.03, 0.30, 1000, 3, 0.5, 0.2)
Key 10
  <RECORDKEY>
  <DECIMALS> 8
  <PFILE> "COUNTS.TXT"
  <PFILE_CONT> "all.txt"
  <PFILE_SEP> "small.txt"
"""


def rows(path: Path, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines(), delimiter=delimiter))


def people() -> list[tuple[str, str, int, str]]:
    """Sex, age, savings and key of each record; the savings are invented: nothing, little and much."""
    found = []
    for row in records("argus_records.csv", ";"):
        number = int(row["Key"][2:].ljust(8, "0"))
        savings = 0 if number % 7 == 0 else number % 9 if number % 7 == 1 else number % 5000
        found.append((row["Sex"], row["Age"], savings, row["Key"]))
    return found


def keyed(path: Path, rda: str = RDA) -> Path:
    """A folder with the microdata of tau-ARGUS for the cell key method."""
    (path / "m.csv").write_text("".join(";".join(map(str, person)) + "\n" for person in people()))
    (path / "m.rda").write_text(rda)
    (path / "sex.hrc").write_text("male\n@2\nfemale\n@1\n")
    (path / "age.hrc").write_text("A1\n@1\nA2\n@2\n3\n4\n5\n6\n")
    names = {"counts.txt": "freq", "all.txt": "savings_all", "small.txt": "savings_smallcells"}
    for name, ours in names.items():
        (path / name).write_text((DATA / f"argus_ptab_{ours}.txt").read_text())
    return path


def test_the_cell_key_job(tmp_path: Path) -> None:
    # CONVENTION 842: all given cells of the 4,580 records, to the digit
    job = [*KEYED, COUNTS, "<READMICRODATA>", "<SUPPRESS> CKM(1)", '<WRITETABLE> (1,7,AO+AD+AC+,"o.csv")']
    done = run(keyed(tmp_path), [*job, '<WRITETABLE> (1,3,AS+,"p.csv")'])
    assert done.exit_code == 0, done.output
    assert "CKM (cell-key), table 1: keys of records, 27 cells changed of 45; not judged" in done.output
    found = {(row[0], row[1]): row[2:] for row in rows(tmp_path / "o.csv", ";")}
    expected = records("argus_expected_counts.csv")
    assert len(expected) == 10
    for cell in expected:
        assert found[cell["Sex"], cell["Age"]] == [
            cell["perturbed"],
            cell["count"],
            cell["perturbation"],
            cell["cell_key"],
        ]
    assert {(a, b): value for a, b, value, _ in rows(tmp_path / "p.csv")} == {k: v[0] for k, v in found.items()}
    described = (tmp_path / "o.rda").read_text()
    assert [line for line in described.splitlines() if line[0] not in " <"] == [
        "Sex",
        "Age",
        "count",
        "Original",
        "Difference",
        "CellKey",
    ]


@pytest.mark.parametrize("table", [COUNTS, SAVINGS])
def test_records_without_a_key_are_counted_and_noted(tmp_path: Path, table: str) -> None:
    """CONVENTION 925: of counts the note was lost."""
    lines = (keyed(tmp_path) / "m.csv").read_text().splitlines()
    for k in (3, 8, 20):
        lines[k] = lines[k].rpartition(";")[0] + ";"
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    done = run(tmp_path, [*KEYED, table, "<READMICRODATA>", "<SUPPRESS> CKM(1)", '<WRITETABLE> (1,7,AO+,"o.csv")'])
    assert done.exit_code == 0, done.output
    assert "3 of 4580 records have no key. They are counted, and change no cell key." in done.output


def contributions(sex: str, age: str) -> Iterator[tuple[float, str]]:
    for own_sex, own_age, savings, key in people():
        if own_sex in SEXES[sex] and own_age in AGES.get(age, (age,)) and savings:
            yield float(savings), key


def steps(name: str) -> list[tuple[float, list[tuple[float, float]]]]:
    """Level and (upper end of keys, change) of a perturbation table."""
    found: dict[float, list[tuple[float, float]]] = {}
    for row in records(name, ";"):
        found.setdefault(float(row["i"]), []).append((float(row["p_int_ub"]), float(row["v"])))
    return sorted(found.items())


def looked_up(table: list[tuple[float, list[tuple[float, float]]]], ratio: float, key: float) -> float:
    """Between the changes of the two rows next to a ratio."""

    def change(row: int) -> float:
        return next((v for end, v in table[row][1] if key <= end), table[row][1][-1][1])

    above = next((row for row, (level, _) in enumerate(table) if level > ratio), None)
    if above is None:
        return change(len(table) - 1)
    low, high = table[above - 1][0], table[above][0]
    part = (ratio - low) / (high - low)
    return (1 - part) * change(above - 1) + part * change(above)


def test_magnitudes_by_hand(tmp_path: Path) -> None:
    # CONVENTION 745, 843: every cell as the deliverable says, with a loop over its three largest contributions
    job = [*KEYED, SAVINGS, "<READMICRODATA>", "<SUPPRESS> CKM(1)", '<WRITETABLE> (1,7,AO+AD+AC+,"o.csv")']
    done = run(keyed(tmp_path), job)
    assert done.exit_code == 0, done.output
    table, small = steps("argus_ptab_savings_all.txt"), steps("argus_ptab_savings_smallcells.txt")
    separation = sqrt(2) / (sqrt(1 + 0.25 + 0.04) * 0.30)
    found = {(row[0], row[1]): row[2:] for row in rows(tmp_path / "o.csv", ";")}
    for sex, age in product(SEXES, (*AGES, "3", "4", "5", "6")):
        own = list(contributions(sex, age))
        key = f"{sum(int(k[2:].ljust(8, '0')) for _, k in own) % 10**8:08d}"
        value = true = sum(amount for amount, _ in own)
        for j, (x, weight) in enumerate(zip(sorted((a for a, _ in own), reverse=True), (1, 0.5, 0.2), strict=False)):
            share = 0.3 if x < 1000 else 0.03 * (1 + (0.3 * x - 30) / 30 * (2000 / (1000 + x)) ** 3)
            turned = float(f"0.{key[j:]}{key[:j]}")
            if x < separation:
                value += looked_up(small, value, turned) if j == 0 else 0
            else:
                unit = min(x * share * weight, value)
                value += unit * looked_up(table, value / unit, turned)
        assert found[sex, age] == [
            str(floor(Fraction(value) + Fraction(1, 2))),
            str(int(true)),
            str(floor(Fraction(value) + Fraction(1, 2)) - int(true)),
            f"0.{key}",
        ], (sex, age)


def test_magnitudes_with_rules_are_undecided_and_written(tmp_path: Path) -> None:
    # CONVENTION 639, 843
    rules = "<SAFETYRULE> NK(1,1)"
    job = [*KEYED, SAVINGS, rules, "<READMICRODATA>", '<SUPPRESS> CKM(1) "all.txt" | "small.txt" | 2.5']
    done = run(keyed(tmp_path), [*job, '<WRITETABLE> (1,3,,"o.csv")'])
    assert done.exit_code == 3
    assert "UNDECIDED: what readers can work out" in done.output
    assert "table 1 in o.csv" in done.output
    ruled = rows(tmp_path / "o.csv")
    plain = run(tmp_path, [*(line for line in job if line != rules), '<WRITETABLE> (1,3,,"p.csv")'])
    assert plain.exit_code == 0
    differ = [a for a, b in zip(ruled, rows(tmp_path / "p.csv"), strict=True) if a != b]
    assert differ  # sensitive cells get the extra change


@pytest.mark.parametrize(
    ("old", "new", "suppress", "said"),
    [
        ("T(3)", "T(x)", "CKM(1)", 'm.rda line 12, column 9: found "T(x)", expected N, M, D, V or T(k)'),
        ("T(3)", "N", "CKM(1)", 'm.rda line 10, column 1: variable "Savings" is not for cell keys'),
        ("0.5, 0.2)", "0.5)", "CKM(1)", 'found 5 numbers in <SCALING> of "Savings", expected 6, as <CKM> says'),
        ("F(0.03", "G(0.03", "CKM(1)", "m.rda line 16, column 13: found"),
        ("<PARITY> N", "<PARITY> maybe", "CKM(1)", 'm.rda line 15, column 12: found "maybe", expected Y or N'),
        ("<PARITY> N", "<PARITY> Y", "CKM(1)", "all.txt: has no rows of type even; types are all"),
        ('<PFILE_CONT> "all.txt"', "", "CKM(1)", "names no perturbation table for magnitudes"),
        ('<PFILE_SEP> "small.txt"', "", "CKM(1)", '<SEPARATION> Y of "Savings" needs a table'),
        ('"all.txt"', '"none.txt"', "CKM(1)", "none.txt"),
        ("<RECORDKEY>", "", "CKM(1)", "m.rda: 0 variables have a <RECORDKEY>, expected one"),
        ("Savings 4", "Savings 4", 'CKM(1) "all.txt" || x', 'job.arb line 5, column 1: found "x", expected a number'),
        ("Savings 4", "Savings 4", 'CKM(1) "a"|"b"|1|2', "job.arb line 5, column 1: CKM: expected a table"),
        ("Savings 4", "Savings 4", "CKM(1,2)", "CKM has 1 arguments behind the table, expected 0"),
    ],
)
def test_what_cell_keys_lack_is_named(tmp_path: Path, old: str, new: str, suppress: str, said: str) -> None:
    # CONVENTION 695, 842, 843
    rda = RDA.replace(old, new)
    assert rda != RDA or old == new
    job = [*KEYED, SAVINGS, "<READMICRODATA>", f"<SUPPRESS> {suppress}", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(keyed(tmp_path, rda), job)
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "o.csv").exists()


def test_without_rules_only_values_are_changed(tmp_path: Path) -> None:
    # CONVENTION 842: microdata without <SAFETYRULE> are for CKM, RND and CTA alone
    job = [*KEYED, COUNTS, "<READMICRODATA>", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(keyed(tmp_path), job)
    assert done.exit_code == 2
    assert "line 4, column 1: the table of line 3 has no <SAFETYRULE>" in done.output


@pytest.mark.parametrize("opened", [TABLE, MICRO], ids=["table", "microdata"])
def test_rounding(tmp_path: Path, opened: tuple[str, str]) -> None:
    # CONVENTION 844
    read = READ if opened == TABLE else "<READMICRODATA>"
    write = [f'<WRITETABLE> (1,{kind},AS+,"o{kind}.csv")' for kind in (1, 2, 3)]
    done = run(folder(tmp_path), [*opened, SPECIFY, RULES, read, "<SUPPRESS> RND(1,100,0,10,0,2)", *write])
    assert done.exit_code == 0, done.output
    assert "RND (controlled-rounding), table 1: base 100, " in done.output
    shown = {(a, b): int(value) for a, b, value, _ in rows(tmp_path / "o3.csv")}
    true = {cell: sum(values) for cell, values in cells().items()}
    assert shown.keys() == true.keys()
    assert all(value % 100 == 0 and abs(value - true[cell]) < 200 for cell, value in shown.items())
    for size in ("Total", " 1", " 2", "10"):
        assert shown["Total", size] == shown["North", size] + shown["South", size]
        assert shown["North", size] == shown["N1", size] + shown["N2", size]
    assert {(a, b): v for a, b, v, _ in rows(tmp_path / "o2.csv")[1:]} == {k: str(v) for k, v in shown.items()}


def test_an_empty_cell_is_like_any_other_zero_after_rounding(tmp_path: Path) -> None:
    # CONVENTION 844: `-` would tell which zeros were rounded
    folder(tmp_path)
    lines = ["A;2;1", "B;198;99", "C;0;0", "Total;200;100"]
    (tmp_path / "e.tab").write_text("\n".join(lines) + "\n")
    rda = '<SEPARATOR> ";"\nV\n  <RECODEABLE>\nX\n  <NUMERIC>\n  <DECIMALS> 0\nF\n  <FREQUENCY>\n'
    (tmp_path / "e.rda").write_text(rda)
    job = ['<OPENTABLEDATA> "e.tab"', '<OPENMETADATA> "e.rda"', '<SPECIFYTABLE> "V"|"X"', READ]
    done = run(tmp_path, [*job, "<SUPPRESS> RND(1,10)", '<WRITETABLE> (1,3,SE+,"o.csv")'])
    assert done.exit_code == 0, done.output
    assert dict(rows(tmp_path / "o.csv")) == {"A": "0", "B": "200", "C": "0", "Total": "200"}


def test_what_a_rounding_leaves_open_is_judged(tmp_path: Path) -> None:
    # CONVENTION 844
    job = [*TABLE, SPECIFY, "<SAFETYRULE> FREQ(3,50)", READ, "<SUPPRESS> RND(1,2)", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(folder(tmp_path), job)
    assert done.exit_code == 1
    assert "No table is written" in done.output
    assert not (tmp_path / "o.csv").exists()


def test_adjustment(tmp_path: Path) -> None:
    # CONVENTION 845
    job = [*TABLE, SPECIFY, RULES, READ, "<SUPPRESS> CTA(1)", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(folder(tmp_path), job)
    assert done.exit_code == 0, done.output
    shown = {(a, b): int(value) for a, b, value in rows(tmp_path / "o.csv")}
    contributors = cells()
    for cell, values in contributors.items():
        moved = abs(shown[cell] - sum(values))
        assert moved >= Fraction(sum(values), 5) or len(values) >= 3
    for size in ("Total", " 1", " 2", "10"):
        assert shown["Total", size] == shown["North", size] + shown["South", size]


def test_linked_tables_are_rounded_as_one(tmp_path: Path) -> None:
    # CONVENTION 844
    tables = [*TABLE, SPECIFY, READ, SPECIFY.replace('""', '" "'), READ]
    write = [f'<WRITETABLE> ({at},3,,"o{at}.csv")' for at in (1, 2)]
    done = run(folder(tmp_path), [*tables, "<SUPPRESS> RND(0,50)", *write])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "o1.csv").read_text() == (tmp_path / "o2.csv").read_text()


@pytest.mark.parametrize(
    ("suppress", "said"), [("RND(1,1)", "<SUPPRESS> RND: "), ("RND(1,0)", "<SUPPRESS> RND: "), ("RND(1,)", "the base")]
)
def test_bases_that_are_none(tmp_path: Path, suppress: str, said: str) -> None:
    # CONVENTION 695, 844
    job = [*TABLE, SPECIFY, RULES, READ, f"<SUPPRESS> {suppress}", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(folder(tmp_path), job)
    assert done.exit_code == 2
    assert "job.arb line 6, column 1: " in done.output
    assert said in done.output


@pytest.mark.parametrize("suppress", ["RND(1,100)", "OPT(1)", "RND(1,2)"])
def test_the_answer_as_json(tmp_path: Path, suppress: str) -> None:
    # CONVENTION 846
    job = [*TABLE, SPECIFY, RULES, READ, f"<SUPPRESS> {suppress}", '<WRITETABLE> (1,3,,"o.csv")']
    done = run(folder(tmp_path), job)
    again = CliRunner().invoke(app, ["run", str(tmp_path / "job.arb"), "--json", "-"])
    document = json.loads(again.stdout)
    jsonschema.Draft202012Validator(schema("run")).validate(document)
    assert again.exit_code == done.exit_code
    assert document["verdict"] == ("unsafe" if suppress == "RND(1,2)" else "safe")
    assert document["files"] == ([] if suppress == "RND(1,2)" else ["o.csv"])
    step = document["steps"][0]
    assert step["line"] == 6
    assert step["tables"] == [1]
    assert step["asked"] == suppress[:3]
    assert step["audit"]["verdict"] == step["verdict"] == document["verdict"]
    assert step["text"] in done.output


FIXED = (
    RDA.replace('<SEPARATOR> ";"\n', "").replace("<ckm>", "<CKM>").replace('.hrc"\n', '.hrc"\n  <HIERLEADSTRING> "@"\n')
)


@pytest.mark.skipif(importlib.util.find_spec("pytauargus") is None, reason="pytauargus is not installed")
def test_the_tables_that_keys_are_for_beside_a_port_of_tau_argus(tmp_path: Path) -> None:
    """The microdata of the cell key job in fixed columns: the same table, cell for cell, before values are changed.

    What CKM makes of it is not compared: pytauargus 0.6.0 takes the first variable of the metadata for the response,
    gives 0 for every cell of magnitudes and makes no table of counts. The counts that tau-ARGUS itself gives are
    compared in `test_the_cell_key_job`.
    """
    from pytauargus.engine import run_batch

    keyed(tmp_path)
    places = {"Sex 1\n": "Sex 1 1\n", "Age 1\n": "Age 2 1\n", "Savings 4\n": "Savings 3 4\n", "Key 10\n": "Key 7 10\n"}
    rda = FIXED
    for old, new in places.items():
        rda = rda.replace(old, new)
    (tmp_path / "m.rda").write_text(rda)
    (tmp_path / "m.csv").write_text("".join(f"{sex}{age}{n:>4}{key:<10}\n" for sex, age, n, key in people()))
    job = [*KEYED, SAVINGS, "<SAFETYRULE> FREQ(1,10)", "<READMICRODATA>", '<WRITETABLE> (1,3,QU-,"theirs.csv")']
    (tmp_path / "job.arb").write_text("\n".join(job) + "\n")
    run_batch(str(tmp_path / "job.arb"))
    done = run(tmp_path, [line.replace("theirs", "ours") for line in job])
    assert done.exit_code == 0, done.output
    theirs = {(a, b): int(value) for a, b, value in rows(tmp_path / "theirs.csv") if value not in ("-", "")}
    ours = {(a, b): int(value) for a, b, value in rows(tmp_path / "ours.csv") if value not in ("-", "")}
    assert len(theirs) > 20
    assert ours == theirs
