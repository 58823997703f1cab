"""What is written in formats of tau-ARGUS reads back to the same; whatever a file holds, it is read or refused."""

import importlib.util
import os
import random
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from argus import MICRO, SPECIFY, TABLE, cells, folder
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cases.benchmarks import folder as instances
from cases.benchmarks import releases as benchmark
from tableseal.api.argus.job import read_job, read_tables, run_job
from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import canonical_json, read_release, release_from_document
from tableseal.audit.io.argus import jj, tabular
from tableseal.audit.io.argus.apriori import read_changes
from tableseal.audit.io.argus.code_list import read_code_list
from tableseal.audit.io.argus.jj import jj_text, read_jj
from tableseal.audit.io.argus.recode import read_recode
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.pipeline import audit

quiet = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
code = st.text("ab1 0;,\"'.äØ-@#|", min_size=1, max_size=4).filter(lambda text: text == text.rstrip())
WORDS = ["", "primary", "secondary", "withheld", "must_publish", "missing", "consent"]
WRITTEN = {Status.WITHHELD: Status.PRIMARY, Status.MISSING: Status.SECONDARY, Status.CONSENT: Status.PUBLISHED}
"""Status -> what it is read back as."""


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """One table of one or two variables, flat or nested, with all that a .tab file holds."""
    variables: dict[str, Any] = {}
    for name in draw(st.sampled_from([["a"], ["a", "b c"]])):
        codes = draw(st.lists(code, min_size=2, max_size=4, unique_by=str.strip))
        assume("T" not in codes)
        nested = len(codes) > 2 and draw(st.booleans())
        variables[name] = {"total": "T", "tree": {codes[0]: codes[1:]} if nested else codes}
    decimals = draw(st.integers(0, 2))
    texts: dict[str, list[str]] = {name: [] for name in variables}
    combinations = [()]
    for variable in variables.values():
        tree = variable["tree"]
        every = [*tree, *next(iter(tree.values()))] if isinstance(tree, dict) else tree
        combinations = [(*before, one) for before in combinations for one in ["T", *every]]
    kept = draw(st.lists(st.sampled_from(combinations), min_size=1, unique=True))
    for row in kept:
        for name, one in zip(texts, row, strict=True):
            texts[name].append(one)
    n = len(kept)
    exact = st.integers(0, 10**6).map(lambda value: f"{value / 10**decimals:.{decimals}f}")
    columns: dict[str, Any] = {**texts, "v": draw(st.lists(exact, min_size=n, max_size=n))}
    columns["s"] = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    hidden = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    released = ("", "must_publish", "consent")
    rows = zip(columns["v"], columns["s"], hidden, strict=True)
    columns["v"] = [None if hide and word not in released else value for value, word, hide in rows]
    table: dict[str, Any] = {"name": "t", "value": "v", "status": "s", "decimal": "."}
    for name in draw(st.sets(st.sampled_from(["frequency", "cost", "tops", "limits"]))):
        if name == "tops":
            tops = draw(st.lists(st.tuples(exact, exact), min_size=n, max_size=n))
            ordered = [sorted(pair, key=float, reverse=True) for pair in tops]
            columns["x1"], columns["x2"] = map(list, zip(*ordered, strict=True))
            table["contributors"] = ["x1", "x2"]
        elif name == "limits":
            columns["low"], columns["high"] = (draw(st.lists(exact, min_size=n, max_size=n)) for _ in range(2))
            table["protection"] = {"lower": "low", "upper": "high"}
        else:
            columns[name] = draw(st.lists(st.integers(1, 99).map(str), min_size=n, max_size=n))
            table[name] = name
    return {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": str(Fraction(1, 10**decimals)),
        "variables": variables,
        "tables": [table | {"cells": columns}],
    }


def facts(release: Release) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Of each cell: what a .tab file says."""
    table = release.tables[0]
    amounts = [table.truth, table.frequency, *table.contributors, table.protection_lower, table.protection_upper]
    found = {}
    for row in range(len(table.codes)):
        status = Status(int(table.status[row]))
        known = [_get(column, row) for column in amounts]
        cost = None if table.cost is None else float(table.cost[row])
        names = tuple(release.cell_codes(table.codes[row]).values())
        found[names] = (WRITTEN.get(status, status), *known, cost)
    return found


def _get(column: Amounts | None, row: int) -> int | None:
    return None if column is None else column.get(row)


def written(release: Release, path: Path) -> Release:
    for name, content in tabular.write(release, "x.tab").items():
        (path / name).write_bytes(content)
    return read_release(path / "x.tab")


@quiet
@given(documents())
def test_tables_read_back_to_the_same(document: dict[str, Any]) -> None:
    # CONVENTION 706
    release = release_from_document(document)
    with tempfile.TemporaryDirectory() as path:
        again = written(release, Path(path))
        assert facts(again) == facts(release)
        assert {name: h.codes for name, h in again.variables.items()} == {
            name: h.codes for name, h in release.variables.items()
        }
        assert release.measures["value"].unit == again.measures["value"].unit
        withheld = [Status(int(s)).withheld or s == Status.MISSING for s in again.tables[0].status.tolist()]
        assert withheld == [not k for k in again.tables[0].value.known.tolist()]
        once = canonical_json(again)
        assert canonical_json(written(again, Path(path))) == once


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"absent": {"leaves": "not_released"}}, "has combinations without a row that are no zeros"),
        ({"rounding": {"base": 1, "method": "random"}}, "is rounded"),
        ({"variables": {"a": {"codes": ["1", "2"]}}}, "has no total"),
        ({"variables": {"a": {"total": "T", "trees": [{"A": ["1"]}, {"B": ["2"]}]}}}, "has several groupings"),
        ({"variables": {"a": {"total": "T", "tree": {"1 ": ["2"], "x": ["1"]}}}}, "ends with a blank"),
        ({"variables": {"a": {"total": 'T"', "codes": ["1", "2"]}}}, "has a quotation mark"),
    ],
)
def test_what_a_tab_file_cannot_hold(change: Mapping[str, Any], said: str) -> None:
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["1", "2"]}},
    }
    table: dict[str, Any] = {"name": "t", "cells": {"a": ["1", "2"], "value": [1, 2]}}
    if "absent" in change:
        table = {"name": "t", "cells": {"a": ["1", "T"], "value": [1, 9]}, "absent": change["absent"]}
    document |= {"variables": change.get("variables", document["variables"])}
    document["tables"] = [table | {"rounding": change["rounding"]} if "rounding" in change else table]
    with pytest.raises(InputError, match=said):
        tabular.write(release_from_document(document), "x.tab")
    document["tables"] = [table, table | {"name": "u"}]
    with pytest.raises(InputError, match="the release has 2 tables"):
        tabular.write(release_from_document(document), "x.tab")


def ends(release: Release) -> list[tuple[Any, Any]]:
    """Intervals of the open cells, in the order of their codes."""
    found = audit(release, bounds="integer").report.cells
    return [(cell.lower, cell.upper) for cell in found]


@pytest.mark.parametrize("name", ["f2d_30", "f3d_6", "m2d_30:gconfid"])
def test_jj_files_of_benchmark_instances_have_the_same_bounds(tmp_path: Path, name: str) -> None:
    # CONVENTION 707: read as JJ and by the reader of the benchmarks, an instance has the same bounds
    release = benchmark.release(instances.load(instances.DATA, name))
    files = jj.write(release, "x.jj")
    (tmp_path / "x.jj").write_bytes(files["x.jj"])
    again = read_release(tmp_path / "x.jj")
    problem = read_jj(files["x.jj"].decode(), "x.jj")
    most = problem.cells[0].upper
    expected, found = ends(release), ends(again)
    assert found == [(low, high if high is not None and high <= most else most) for low, high in expected]
    assert len(found) == sum(cell.status in "um" for cell in problem.cells) > 0
    assert read_jj(jj_text(problem), "x.jj") == problem
    # and once more, from a release whose cells are codes of one variable and whose equations are links
    assert jj.write(again, "x.jj")["x.jj"].decode().splitlines()[2:4] == files["x.jj"].decode().splitlines()[2:4]


def mutated(text: str, draw: random.Random) -> str:
    """A text with a few changes: characters taken out, put in, doubled, lines moved, the end cut off."""
    signs = "0123456789\"';,<>|()-+.@xSUMPE \t\n\r\x00é\u2028"
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(text) + 1)
        kind = draw.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + draw.randint(1, 8) :]
        elif kind == 1:
            text = text[:at] + "".join(draw.choices(signs, k=draw.randint(1, 4))) + text[at:]
        elif kind == 2:
            lines = text.split("\n")
            draw.shuffle(lines)
            text = "\n".join(lines) if draw.random() < 0.2 else text
        elif kind == 3:
            text = text[:at] + text[max(at - 30, 0) :]
        elif kind == 4 and draw.random() < 0.3:
            text = text[:at]
        elif kind == 5:
            text = text[:at] + str(10 ** draw.randint(1, 30)) + text[at:]
        text = text or " "
    return text


ROUNDS = int(os.environ.get("TABLESEAL_ARGUS_FUZZ", "200"))
"""Mutated inputs of each kind; more of them on demand."""


def test_mutated_jobs_are_run_or_refused(tmp_path: Path) -> None:
    # CONVENTION 695: never anything but an error of ours
    folder(tmp_path)
    (tmp_path / "h.hst").write_text("S1;10;s\nN1;1;u\nNorth;10;m\nS3; 2;c;1\nS2;2;pl;1;1\n")
    (tmp_path / "g.grc").write_text("small: 1-2\nlarge: 3-\n")
    writes = [f'<WRITETABLE> (1,{kind},AS+QU-,"o{kind}.txt")' for kind in (1, 2, 3, 4, 5, 6)]
    jobs = {
        "table.arb": [
            *TABLE,
            SPECIFY,
            "<SAFETYRULE> P(10,1)|FREQ(3,10)",
            "<READTABLE> 1",
            '<APRIORI> "h.hst",1,";"',
            *writes,
        ],
        "micro.arb": [
            *MICRO,
            SPECIFY,
            "<SAFETYRULE> NK(1,70)",
            "<READMICRODATA>",
            '<RECODE> 1, Size, "g.grc"',
            *writes,
        ],
    }
    originals = {path.name: path.read_text() for path in tmp_path.iterdir()}
    originals |= {name: "\n".join(lines) for name, lines in jobs.items()}
    draw, done, refused = random.Random(19), 0, []
    for number in range(ROUNDS):
        name = draw.choice(sorted(originals))
        for other, text in originals.items():
            (tmp_path / other).write_bytes(text.encode())
        (tmp_path / name).write_bytes(mutated(originals[name], draw).encode("utf-8", "surrogatepass"))
        job = name if name.endswith(".arb") else list(jobs)[number % 2]
        try:
            found = read_job(tmp_path / job)
            tables = read_tables(found)
            if number % 20 == 0:
                run_job(found, tables)
            done += 1
        except TablesealError as error:
            refused.append(str(error))
    assert all(refused)
    assert min(done, len(refused)) > ROUNDS / 20


def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    # CONVENTION 695
    folder(tmp_path)
    release = read_release(tmp_path / "t.tab")
    problem = jj.write(release, "x.jj")["x.jj"].decode()
    readers: dict[str, Any] = {
        problem: lambda text: read_jj(text, "f"),
        "S1;10;s\nN1;1;u\nS2;2;pl;1;1\n": lambda text: read_changes(text, ";", 2, "f"),
        "small: 1-2\nlarge: 3-\n<MISSING> 9\n": lambda text: read_recode(text, "f"),
        " 1,North\n10,South\n": lambda text: read_code_list(text, "f"),
    }
    draw, refused = random.Random(7), []
    for number in range(ROUNDS):
        text, read = list(readers.items())[number % len(readers)]
        try:
            read(mutated(text, draw))
        except TablesealError as error:
            refused.append(str(error))
    assert all(refused)
    assert refused


REPORT = Path(__file__).parents[1] / "data" / "reports" / "B21_codes"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_codes_of_a_real_report(tmp_path: Path, encoding: str) -> None:
    """Report B21: commas, semicolons, leading dots, leading blanks and letters beyond ASCII in codes, in two encodings;
    the metadata have another name than the data."""
    for name in ("table.rda", "act.hrc"):
        (tmp_path / name).write_bytes((REPORT / name).read_text("utf-8").encode(encoding))
    (tmp_path / "data.tab").write_bytes((REPORT / "table_utf8.tab").read_text("utf-8").encode(encoding))
    report = audit(read_release(tmp_path / "data.tab")).report
    assert report.verdict == "safe"
    found = {tuple(code for _, code in cell.cell): (cell.status, cell.lower, cell.upper) for cell in report.cells}
    assert found == {
        ("Oak, Elm", " 1"): ("primary", 0, 7),
        ("Oak, Elm", "10"): ("secondary", 0, 7),
        ("Ærø", " 1"): ("secondary", 1, 8),
        ("Ærø", "10"): ("secondary", 3, 10),
    }


SHARED = Path(__file__).parents[3] / "shared" / "data" / "tauargus"
REAL = os.environ.get("TABLESEAL_ARGUS_DATA", SHARED if SHARED.is_dir() else None)


@pytest.mark.skipif(REAL is None, reason="TABLESEAL_ARGUS_DATA does not say where the files of tau-ARGUS are")
def test_argus_real(tmp_path: Path) -> None:
    """The table of tau-ARGUS itself: padded codes, decimal commas, a shadow variable, sums that do not hold."""
    for path in Path(str(REAL)).iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    report = audit(read_release(tmp_path / "pp.rda")).report
    assert (report.summary.cells, report.summary.withheld, report.summary.exposed) == (162, 9, 9)
    text = (tmp_path / "TestTable.arb").read_text() + '\n<SUPPRESS> MOD(1,5,1,1,1)\n<WRITETABLE> (1,5,,"o.tab")\n'
    (tmp_path / "job.arb").write_text(text)
    job = read_job(tmp_path / "job.arb")
    outcome = run_job(job, read_tables(job))
    assert outcome.verdict == "safe"
    lines = outcome.files[tmp_path / "o.tab"].splitlines()
    # The total of the file is 16847646.84; what tau-ARGUS computes from the finest cells (READTABLE 1T) is one less.
    assert lines[0].startswith('"Total";"Total";16847645.84;42723;16847646.84;16847645.84;175677.00;141482.00;S;')
    assert sum(";U;" in line for line in lines) == 9


@pytest.mark.skipif(REAL is None, reason="TABLESEAL_ARGUS_DATA does not say where the files of tau-ARGUS are")
def test_argus_real_microdata(tmp_path: Path) -> None:
    """The microdata for the cell key method: its keywords are read, and the counts are those that are listed beside."""
    source = Path(str(REAL)) / "cellkey"
    for path in source.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    job = ['<OPENMICRODATA> "microdata.csv"', '<OPENMETADATA> "microdata.rda"', '<SPECIFYTABLE> "Sex""Age"|<freq>']
    job += ["<SAFETYRULE> FREQ(1,10)", "<READMICRODATA>", '<WRITETABLE> (1,4,,"o.txt")']
    (tmp_path / "job.arb").write_text("\n".join(job))
    found = read_job(tmp_path / "job.arb")
    lines = run_job(found, read_tables(found)).files[tmp_path / "o.txt"].splitlines()
    counts = {tuple(entry.strip('"') for entry in line.split(",")[:2]): line.split(",")[2] for line in lines}
    expected = [line.split(",")[:3] for line in (tmp_path / "expected_counts.csv").read_text().splitlines()[1:]]
    assert {(sex, age): counts[sex, age] for sex, age, _ in expected} == {(sex, age): n for sex, age, n in expected}


@pytest.mark.skipif(REAL is None, reason="TABLESEAL_ARGUS_DATA does not say where the files of tau-ARGUS are")
def test_argus_real_cell_keys(tmp_path: Path) -> None:
    """CONVENTION 842, 843: the listed counts to the digit, and magnitudes with all keywords of the file."""
    for path in (Path(str(REAL)) / "cellkey").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    job = ['<OPENMICRODATA> "microdata.csv"', '<OPENMETADATA> "microdata.rda"', '<SPECIFYTABLE> "Sex""Age"|<freq>']
    job += ['<SPECIFYTABLE> "Sex""Age"|"Savings"', "<READMICRODATA>", "<SUPPRESS> CKM(1)", "<SUPPRESS> CKM(2)"]
    job += [f'<WRITETABLE> ({at},7,AO+AD+AC+,"o{at}.csv")' for at in (1, 2)]
    (tmp_path / "job.arb").write_text("\n".join(job))
    found = read_job(tmp_path / "job.arb")
    files = run_job(found, read_tables(found)).files

    def listed(at: int) -> dict[tuple[str, str], list[str]]:
        rows = [line.replace('"', "").split(";") for line in files[tmp_path / f"o{at}.csv"].splitlines()]
        return {(row[0], row[1]): row[2:] for row in rows}

    for line in (tmp_path / "expected_counts.csv").read_text().splitlines()[1:]:
        sex, age, count, key, change, shown = line.split(",")
        assert listed(1)[sex, age] == [shown, count, change, key]
    assert listed(2)["Total", "Total"][1] == "2273532"
    assert all(int(shown) - int(true) == int(change) for shown, true, change, _ in listed(2).values())


@pytest.mark.skipif(importlib.util.find_spec("pytauargus") is None, reason="pytauargus is not installed")
def test_argus_port(tmp_path: Path) -> None:
    """A program that follows tau-ARGUS line by line reads what we write, and has the same values and statuses."""
    from pytauargus.engine import run_batch

    folder(tmp_path)
    release = read_release(tmp_path / "t.tab")
    table = release.tables[0]
    status = table.status.copy()
    status[3], status[7] = Status.PRIMARY, Status.SECONDARY
    value = Amounts(table.value.units, np.isin(np.arange(len(status)), [3, 7], invert=True))
    release = replace(release, tables=(replace(table, status=status, value=value),))
    for name, content in tabular.write(release, "x.tab").items():
        (tmp_path / name).write_bytes(content)
    job = [
        '<OPENTABLEDATA> "x.tab"',
        '<OPENMETADATA> "x.rda"',
        SPECIFY,
        "<READTABLE> 0",
        '<WRITETABLE> (1,5,SO+,"y.tab")',
    ]
    (tmp_path / "j.arb").write_text("\n".join(job) + "\n")
    run_batch(str(tmp_path / "j.arb"))
    found = {}
    for line in (tmp_path / "y.tab").read_text().splitlines():
        entries = [entry.strip('"') for entry in line.split(";")]
        found[entries[0], entries[1]] = (float(entries[2]), int(entries[3]), entries[-3])
    expected = {cell: (float(sum(values)), len(values), "S") for cell, values in cells().items()}
    codes = [tuple(release.cell_codes(table.codes[row]).values()) for row in (3, 7)]
    for names, letter in zip(codes, "UM", strict=True):
        key = (names[0], names[1])
        expected[key] = (*expected[key][:2], letter)
    assert found == expected
