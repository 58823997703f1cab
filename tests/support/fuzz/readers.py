"""What the project reads, each kind with good files to break."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tableseal.api.argus.job import read_job, read_tables
from tableseal.audit.io import read_policy, read_release, release_files
from tableseal.audit.io.archive import Archive
from tableseal.audit.io.files import read_text
from tableseal.audit.io.formats.kept import kept
from tableseal.audit.io.formats.registry import FORMATS
from tableseal.audit.io.release_file import read_archived
from tableseal.audit.io.transition_file import read_transition
from tableseal.audit.model import Release
from tableseal.suppression.problem.decisions import read_decisions
from tests.support.argus import HRC, MICRO_RDA, TABLE_RDA, micro_text, tab_text
from tests.support.format_releases import format_release, release_for
from tests.support.fuzz.others import acro, csvw, structures

Files = Mapping[str, bytes]
"""Name -> content; the one that is read stands last."""


@dataclass(frozen=True)
class Reader:
    """key: its name. good: files that it reads, by random numbers. read: what is asked of it."""

    key: str
    good: Callable[[Random], Files]
    read: Callable[[Path], object]


def _written(ending: str) -> Callable[[Random], Files]:
    """Files of a random release in a format of ours."""

    def good(random: Random) -> Files:
        release = format_release(random)
        files = release_files(release, Path(f"t{ending}"))
        return {path.name: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    return good


def _plain_rows(random: Random) -> tuple[list[str], list[list[str]]]:
    """A bare table as people send it: names of columns and rows."""
    release: Release = format_release(random, nested=False, across=False)
    table = release.tables[0]
    names = [name for name in release.variables if name in table.named]
    at = [list(release.variables).index(name) for name in names]
    marks = random.choice((("", ""), ("*", ""), ("x", ""), ("", "withheld")))
    rows = []
    for row in range(len(table.codes)):
        codes = [release.variables[n].codes[table.codes[row, a]] for n, a in zip(names, at, strict=True)]
        value = table.value.get(row)
        rows.append([*codes, marks[0] if value is None else str(value), marks[1] if value is None else ""])
    return [*names, "n", "status"], rows


def _csv(random: Random) -> Files:
    names, rows = _plain_rows(random)
    sign = random.choice(",;\t|")
    quoted = [[f'"{c}"' if sign in c or '"' in c else c for c in row] for row in (names, *rows)]
    above = random.choice(("", "", "Table 1. Persons\n\n"))
    below = random.choice(("", "", "\n* withheld\n"))
    return {"t.csv": (above + "\n".join(sign.join(row) for row in quoted) + "\n" + below).encode()}


def _cross(random: Random) -> Files:
    """A cross table, one column a category, in CSV."""
    rows, columns = random.sample(range(2, 7), 2)
    body = [[random.randrange(40) for _ in range(columns)] for _ in range(rows)]
    lines = [["region", *(f"c{n}" for n in range(columns)), "Total"]]
    lines += [[f"r{n}", *map(str, row), str(sum(row))] for n, row in enumerate(body)]
    sums = [sum(column) for column in zip(*body, strict=True)]
    lines.append(["Total", *map(str, sums), str(sum(sums))])
    lines[random.randint(1, rows)][1] = random.choice(("*", "x", "..", "5"))
    return {"t.csv": "\n".join(",".join(line) for line in lines).encode()}


def _hierarchies(random: Random) -> Files:
    """A release with its classification in a file beside it."""
    hrc, signs = b"N\n@N1\n@N2\nS\n@S1\n", b"levels,codes\n@,T\n@@,N\n@@@,N1\n@@@,N2\n@@,S\n@@@,S1\n"
    parents, levels = b"code,parent\nN1,N\nN2,N\nS1,S\nN,T\nS,T\n", b"land,kreis\nN,N1\nN,N2\nS,S1\n"
    csv = b"region,n\nN1,3\nN2,\nN,7\nS1,4\nS,\nT,11\n"
    name, content, how = random.choice(
        (
            ("v.hrc", hrc, {}),
            ("v.csv", signs, {}),
            ("v.csv", parents, {}),
            ("v.csv", levels, {"levels": ["land", "kreis"]}),
        )
    )
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"region": {"total": "T", "file": name, **how}},
        "tables": [{"name": "t", "file": "t.csv", "value": "n"}],
    }
    return {"t.csv": csv, "t.yaml": json.dumps(document).encode(), name: content}


def _policy(random: Random) -> Files:
    rules: tuple[Mapping[str, Any], ...] = (
        {"threshold": 3},
        {"dominance": {"n": 2, "k": 75}},
        {"p_percent": 10},
        {"pq": {"p": 10, "q": 50}},
    )
    document = {
        "primary": random.sample(rules, random.randint(1, 3)),
        "require": {"exposed": False, "protection": True},
    }
    return {random.choice(("p.json", "p.yaml")): json.dumps(document, indent=1).encode()}


def _decisions(random: Random) -> Files:
    entry = {"cell": {"region": "N", "sex": "F"}, "reason": "agreed", "name": "A. B.", "date": "2026-01-02"}
    kinds = ("keep_published", "accept", "accept_ranks")
    document = {"decisions": [{**entry, "decision": random.choice(kinds)} for _ in range(random.randint(1, 3))]}
    return {"d.yaml": json.dumps(document, indent=1).encode()}


def _transition(random: Random) -> Files:
    size = random.randint(1, 4)
    rows = "\n".join(",".join("0.5" if a in (b, b - 1) else "0" for a in range(size)) for b in range(size))
    return {"m.csv": (random.choice(("", "multipliers,0.75,0.9\n")) + rows).encode()}


def _read_transition(path: Path) -> object:
    return read_transition(read_text(path, source=path.name)[0], path.name)


def _job(random: Random) -> Files:
    """A whole job of tau-ARGUS with all kinds of files that it names."""
    tail = ["<SUPPRESS> MOD(1,5,1,1,1)", '<WRITETABLE> (1,3,AS+FL+,"out.csv")', '<LOGBOOK> "log.txt"']
    specify = '<SPECIFYTABLE> "Region""Size"|"Turnover"||'
    files = {"region.hrc": HRC, "r.grc": "1: 1,2\n2: 10\n", "size.cdl": "1,small\n2,middle\n10,large\n"}
    if random.random() < 0.5:
        files |= {"t.rda": TABLE_RDA, "t.tab": tab_text(), "a.hst": "N1; 1;u\nS1; 2;c;10\nN2; 1;pl;3;4\n"}
        head = ['<OPENTABLEDATA> "t.tab"', '<OPENMETADATA> "t.rda"', specify]
        head += ["<SAFETYRULE> P(20,3)|FREQ(3,20)|MAN(20)", "<READTABLE> 0", '<APRIORI> "a.hst",1,";",0,1']
    else:
        micro = MICRO_RDA.replace("Size 4 2\n", 'Size 4 2\n  <CODELIST> "size.cdl"\n')
        files |= {"m.rda": micro, "m.asc": micro_text()}
        head = ['<OPENMICRODATA> "m.asc"', '<OPENMETADATA> "m.rda"', specify]
        head += ["<SAFETYRULE> NK(2,75)|FREQ(3,20)", "<READMICRODATA>", '<RECODE> 1,"Size","r.grc"']
    return {**{name: text.encode() for name, text in files.items()}, "job.arb": "\n".join(head + tail).encode()}


def _read_job(path: Path) -> object:
    return read_tables(read_job(path))


def _frame(random: Random) -> Any:
    import pandas

    names, rows = _plain_rows(random)
    frame = pandas.DataFrame(rows, columns=[f"v{n}" for n in range(len(names))])
    column = frame.columns[-2]
    frame[column] = pandas.to_numeric(frame[column], errors="coerce")
    return frame


def _statistical(ending: str) -> Callable[[Random], Files]:
    def good(random: Random) -> Files:
        import pyreadstat

        write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport}[ending]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"t{ending}"
            write(_frame(random), str(path))
            return {path.name: path.read_bytes()}

    return good


def _parquet(random: Random) -> Files:
    import polars

    file = io.BytesIO()
    packed: Any = random.choice(("zstd", "snappy", "uncompressed"))
    polars.from_pandas(_frame(random)).write_parquet(file, compression=packed)
    return {"t.parquet": file.getvalue()}


def _archive(random: Random) -> Files:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in _written(".yaml")(random).items():
            archive.writestr(name, content)
    return {"t.zip": packed.getvalue()}


def _read_archive(path: Path) -> object:
    with path.open("rb") as file, Archive(file, path.name) as archive:
        return [read_archived(archive, name) for name in archive.names if name.endswith(".yaml")]


def _of_formats() -> list[Reader]:
    """Formats of the registry, written by themselves."""
    found = []
    for one in FORMATS:
        if one.writes:

            def good(random: Random, one: Any = one) -> Files:
                files: Files = one.write(kept(release_for(one, random), one), f"t{one.written or one.endings[0]}")
                return files

            found.append(Reader(one.key, good, read_release))
    return found


@cache
def readers() -> Mapping[str, Reader]:
    """All readers by key."""
    found = [
        *_of_formats(),
        Reader("csv", _csv, read_release),
        Reader("csv-cross", _cross, read_release),
        Reader("release-yaml", _written(".yaml"), read_release),
        Reader("release-json", _written(".json"), read_release),
        Reader("hierarchies", _hierarchies, lambda path: read_release(path.parent / "t.yaml")),
        Reader("structures", structures, lambda path: read_release(path.parent / "t.yaml")),
        Reader("acro", acro, read_release),
        Reader("csvw-others", csvw, read_release),
        Reader("policy", _policy, read_policy),
        Reader("decisions", _decisions, read_decisions),
        Reader("transition", _transition, _read_transition),
        Reader("job", _job, _read_job),
        Reader("archive", _archive, _read_archive),
        Reader("bare-parquet", _parquet, read_release),
        *(Reader(ending[1:], _statistical(ending), read_release) for ending in (".sav", ".dta", ".xpt")),
    ]
    return {one.key: one for one in found}


GOOD = 100
"""Different sets of good files of each reader."""


@cache
def good_files(key: str, number: int) -> Files:
    """One of them."""
    return readers()[key].good(Random(f"{key} {number}"))
