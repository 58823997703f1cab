"""Jobs of tau-ARGUS by `tableseal run`."""

import csv
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from argus import MICRO, MICRO_RDA, RECORDS, SPECIFY, TABLE, TABLE_RDA, cells, folder, micro_text, run, with_files
from typer.testing import CliRunner

from tableseal.api.argus.rules import settings_of
from tableseal.api.cli.app import app
from tableseal.audit.io import Archive, canonical_json, read_archived, read_release
from tableseal.audit.io.argus.batch import read_batch
from tableseal.audit.io.argus.commands import SafetyRule
from tableseal.audit.io.argus.jj import read_jj
from tableseal.audit.model import Status
from tableseal.audit.pipeline import audit

RULES = "<SAFETYRULE> P(10,1)|FREQ(3,10)"
READ = "<READTABLE> 0"
ALL = [f'<WRITETABLE> (1,{kind},,"o{kind}.txt")' for kind in (1, 2, 3, 4, 6)]


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def withheld(path: Path) -> set[tuple[str, ...]]:
    """Cells of a code-value file without a value."""
    return {tuple(row[:-1]) for row in rows(path) if row[-1] == "x"}


def test_a_complete_job(tmp_path: Path) -> None:
    # CONVENTION 704, 705, 706: SAFETYRULE, READTABLE, SUPPRESS and WRITETABLE in all types
    job = [*TABLE, SPECIFY, RULES, READ, "<SUPPRESS> OPT(1,5)", *ALL, '<WRITETABLE> (1,5,AR+,"o5.tab")']
    done = run(folder(tmp_path), [*job, '<LOGBOOK> "log.txt"', '<VERSIONINFO> "v.txt"'])
    assert done.exit_code == 0, done.output
    assert "OPT (optimal), table 1: 11 sensitive and 6 further cells withheld; This release may go out" in done.output
    hidden = withheld(tmp_path / "o3.txt")
    assert len(hidden) == 17
    true = {cell: sum(values) for cell, values in cells().items()}
    listed = {tuple(row[:2]): row[2] for row in rows(tmp_path / "o3.txt")}
    assert {cell: text for cell, text in listed.items() if cell not in hidden} == {
        cell: str(value) for cell, value in true.items() if cell not in hidden
    }
    assert withheld(tmp_path / "o2.txt") == hidden
    assert rows(tmp_path / "o2.txt")[0] == ["Region", "Size", "Turnover"]
    wide = rows(tmp_path / "o1.txt")
    assert wide[0] == ["", "Total", " 1", " 2", "10"]
    assert {
        (row[0], code) for row in wide[1:-1] for code, v in zip(wide[0][1:], row[1:], strict=True) if v == "x"
    } == hidden
    letters = {tuple(row[:2]): row[4] for row in rows(tmp_path / "o4.txt")}
    assert {cell for cell, letter in letters.items() if letter != "V"} == hidden
    assert sorted(set(letters.values())) == ["D", "F", "V"]
    problem = read_jj((tmp_path / "o6.txt").read_text(), "o6.txt")
    assert sum(cell.status in "um" for cell in problem.cells) == 17
    release = read_release(tmp_path / "o5.tab")
    again = audit(replace(release, intruder=replace(release.intruder, insiders=("singletons",))))
    assert again.report.verdict == "safe"
    assert {tuple(code for _, code in cell.cell) for cell in again.report.cells} == hidden
    ends = {tuple(code for _, code in cell.cell): (cell.lower, cell.upper) for cell in again.report.cells}
    for line in (tmp_path / "o5.tab").read_text().splitlines():
        entries = [entry.strip('"') for entry in line.split(";")]
        cell = (entries[0], entries[1])
        if cell in hidden:
            assert (Fraction(entries[-6]), Fraction(entries[-5])) == ends[cell]
    assert (tmp_path / "log.txt").read_text().startswith("Job job.arb\nline 6: OPT")
    assert (tmp_path / "v.txt").read_text().startswith("tableseal ")


def test_microdata_give_the_same(tmp_path: Path) -> None:
    # CONVENTION 709
    write = '<WRITETABLE> (1,5,,"o.tab")'
    texts = []
    for name, opened, read in (("t", TABLE, READ), ("m", MICRO, "<READMICRODATA>")):
        (tmp_path / name).mkdir()
        done = run(folder(tmp_path / name), [*opened, SPECIFY, RULES, read, "<SUPPRESS> OPT(1)", write])
        assert done.exit_code == 0, done.output
        texts.append((tmp_path / name / "o.tab").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("method", ["GH(1,100,0,1)", "GH(1,75,0,0)", "MOD(1,5,1,1,1)", "MOD(1)", "OPT(1,5)", "NET(1)"])
def test_methods(tmp_path: Path, method: str) -> None:
    # CONVENTION 704
    folder(tmp_path)
    flat = [*TABLE, SPECIFY] if method != "NET(1)" else [*MICRO, '<SPECIFYTABLE> "Size"|"Turnover"||']
    read = READ if method != "NET(1)" else "<READMICRODATA>"
    done = run(tmp_path, [*flat, RULES, read, f"<SUPPRESS> {method}", '<WRITETABLE> (1,3,,"o.csv")'])
    assert done.exit_code == 0, done.output
    ours = {"GH": "heuristic", "MOD": "modular", "OPT": "optimal", "NET": "network"}[method.partition("(")[0]]
    assert f"({ours})" in done.output
    assert f"ours `{ours}`" in done.output.replace("ours is", "ours")
    assert ("no contributors count" in done.output) == ("0)" in method)
    assert ("to within 75 percent" in done.output) == ("75" in method)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("<SUPPRESS> RND(1)", "line 6, column 1: RND has 0 arguments behind the table, expected 1 to 6"),
        (
            "<SUPPRESS> RND(1,5)",
            "line 7, column 1: type 5 has no place for values that RND changed; expected type 1, 2, 3",
        ),
        ("<SUPPRESS> CTA(1)", "line 7, column 1: type 5 has no place for values that CTA changed"),
        ("<SUPPRESS> CKM(1)", "line 6, column 1: CKM: keys are those of records; expected microdata"),
        ('<WRITETABLE> (1,7,,"x")', "line 6, column 1: type 7 is for tables that <SUPPRESS> CKM changed"),
        ("<SUPPRESS> OPT(2)", "line 6, column 1: found table 2, expected a number from 1 to 1"),
        ("<SUPPRESS> OPT(1,x)", 'line 6, column 1: found "x", expected a number'),
        ("<SUPPRESS> OPT(1,1,2)", "OPT has 2 arguments behind the table, expected 0 to 1"),
        ('<WRITETABLE> (1,3,,"nowhere/o.csv")', "line 6, column 1: {}/nowhere/o.csv: there is no folder"),
        ('<WRITETABLE> (1,3,,"t.tab")', "t.tab: this file is an input"),
        ('<WRITETABLE> (1,3,,"c:\\data\\o.csv")', "is a path of another machine"),
        ('<APRIORI> "no.hst",1,";"', 'line 6, column 1: there is no file "no.hst"'),
        ("<RECODE> 1, Size, 1", "line 6, column 1: a table that is read cannot be recoded"),
        ("<READTABLE> 0", "line 6, column 1: expected <SPECIFYTABLE> before"),
        ("<SAFETYRULE> P(1)", "line 6, column 1: expected <SPECIFYTABLE> before, and one <SAFETYRULE> for each"),
        ('<OPENMICRODATA> "m.asc"', "line 6, column 1: microdata are opened once, before all tables"),
        ('<SPECIFYTABLE> "Region"|"Turnover"', "the table is never read; expected <READTABLE> or <READMICRODATA>"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(tmp_path: Path, line: str, said: str) -> None:
    # CONVENTION 695, 704, 705
    before = ['<WRITETABLE> (1,5,,"first.tab")']
    done = run(folder(tmp_path), [*TABLE, SPECIFY, RULES, READ, line, *before])
    assert done.exit_code == 2
    assert said.format(tmp_path) in done.output
    assert not (tmp_path / "first.tab").exists()


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (["// nothing"], "holds no command"),
        (TABLE[1:], "line 1, column 1: expected <OPENTABLEDATA> or <OPENMICRODATA> before"),
        (TABLE[:1], "expected <OPENMETADATA> behind it"),
        ([*TABLE], "no table is specified"),
        (
            [*TABLE, '<SPECIFYTABLE> "Region""Sise"|"Turnover"', READ],
            't.rda has no variable "Sise" (did you mean "Size"?)',
        ),
        (
            [*TABLE, '<SPECIFYTABLE> "Region"|"Turnover"', READ],
            "line 3, column 1: a table that is read is taken as it is: Si",
        ),
        ([*TABLE, '<SPECIFYTABLE> "Region""Size"|"Size"', READ], 'variable "Size" is not <NUMERIC>'),
        ([*TABLE, SPECIFY, "<READMICRODATA>"], "what was opened in line 1 is read by <READTABLE>"),
        ([*MICRO, SPECIFY, "<READMICRODATA>"], "has no <SAFETYRULE>, and microdata have no statuses"),
        ([*TABLE, SPECIFY, "<SAFETYRULE> WGT(1)", READ], "line 4, column 1: WGT(1) is for microdata"),
        ([*TABLE, SPECIFY, "<SAFETYRULE> MIS(2)", READ], "line 4, column 14: found MIS(2), expected 0 or 1"),
        ([*TABLE, SPECIFY, "<SAFETYRULE> NK(1.5,75)", READ], "found 3/2 in NK, expected a whole number"),
        ([*TABLE, '<SPECIFYTABLE> "Region""Size"|<freq>', RULES, READ], "P judges contributions, and the table counts"),
        (['<OPENTABLEDATA> "nope.tab"', TABLE[1], SPECIFY, READ], 'line 1, column 1: there is no file "nope.tab"'),
    ],
)
def test_jobs_that_cannot_be_run(tmp_path: Path, job: Iterable[str], said: str) -> None:
    # CONVENTION 695
    done = run(folder(tmp_path), job)
    assert done.exit_code == 2
    assert said.replace("3/2", "1.5") in done.output


def test_nothing_is_written_that_is_not_safe(tmp_path: Path) -> None:
    # CONVENTION 705: a table that nothing protects is audited before it is written for readers; the logbook says why
    write = ['<WRITETABLE> (1,5,,"own.tab")', '<WRITETABLE> (1,3,,"o.csv")', '<LOGBOOK> "log.txt"']
    done = run(folder(tmp_path), [*TABLE, SPECIFY, RULES, READ, *write])
    assert done.exit_code == 1
    assert "table 1, as it is: This release must not go out" in done.output
    assert "No table is written: not all of them are safe." in (tmp_path / "log.txt").read_text()
    assert not {path.name for path in tmp_path.iterdir()} & {"own.tab", "own.rda", "o.csv"}
    done = run(tmp_path, [*TABLE, SPECIFY, RULES, READ, write[0]])  # the agency's own alone
    assert done.exit_code == 0
    assert (tmp_path / "own.tab").exists()


def test_a_withheld_value_stands_in_no_file_for_readers(tmp_path: Path) -> None:
    # CONVENTION 705: tau-ARGUS shows it beside its status (AS+)
    write = ['<WRITETABLE> (1,2,AS+,"p.csv")', '<WRITETABLE> (1,3,AS+FL+QU-,"q.csv")']
    done = run(folder(tmp_path), [*TABLE, SPECIFY, RULES, READ, "<SUPPRESS> OPT(1)", *write])
    assert done.exit_code == 0
    for name in ("p.csv", "q.csv"):
        found = rows(tmp_path / name)
        assert found[0] == ["Region", "Size", "Turnover", "Status"]
        assert {(row[2] == "x", row[3]) for row in found[1:]} == {(True, "3"), (True, "11"), (False, "1")}


def test_totals_are_computed(tmp_path: Path) -> None:
    # CONVENTION 700
    folder(tmp_path)
    lines = (tmp_path / "t.tab").read_text().splitlines()
    finest = [line for line in lines if "Total" not in line and "th" not in line]
    assert len(finest) == 15
    wrong = [line.replace("1741", "1742") for line in lines]
    for name, kept in (("fine.tab", finest), ("wrong.tab", wrong)):
        (tmp_path / name).write_text("\n".join(kept))
        job = [f'<OPENTABLEDATA> "{name}"', TABLE[1], SPECIFY, RULES, "<READTABLE> 1", "<SUPPRESS> OPT(1)"]
        done = run(tmp_path, [*job, f'<WRITETABLE> (1,5,,"out_{name}")'])
        assert done.exit_code == 0, done.output
    run(tmp_path, [*TABLE, SPECIFY, RULES, READ, "<SUPPRESS> OPT(1)", '<WRITETABLE> (1,5,,"all.tab")'])
    expected = (tmp_path / "all.tab").read_text()
    assert (tmp_path / "out_fine.tab").read_text() == (tmp_path / "out_wrong.tab").read_text() == expected
    for mode, code in (("0", 2), ("2", 2)):  # they do not add up, which no audit passes over
        job = ['<OPENTABLEDATA> "wrong.tab"', TABLE[1], SPECIFY, RULES, f"<READTABLE> {mode}", "<SUPPRESS> OPT(1)"]
        assert run(tmp_path, job).exit_code == code


STATUS_RDA = TABLE_RDA + "St\n  <STATUS>\nLow\n  <NUMERIC> <LOWERPL>\nUp\n  <NUMERIC> <UPPERPL>\n"


def test_computed_totals_keep_their_status_if_asked_to(tmp_path: Path) -> None:
    # CONVENTION 700: 1T keeps the status of totals, 1 does not
    folder(tmp_path)
    lines = [
        line + (";U;2;2" if line.startswith('"S2";"Total"') else ";S;;")
        for line in (tmp_path / "t.tab").read_text().splitlines()
    ]
    with_files(tmp_path, {"s.tab": "\n".join(lines), "s.rda": STATUS_RDA})
    found = {}
    for mode in ("1", "1T"):
        job = ['<OPENTABLEDATA> "s.tab"', '<OPENMETADATA> "S.RDA"', SPECIFY, f"<READTABLE> {mode}", "<SUPPRESS> OPT(1)"]
        done = run(tmp_path, [*job, f'<WRITETABLE> (1,3,,"o{mode}.csv")'])
        found[mode] = (done.exit_code, withheld(tmp_path / f"o{mode}.csv") if done.exit_code == 0 else set())
    assert found["1"][0] == 2  # nothing says what is sensitive
    assert found["1T"][0] == 0
    assert ("S2", "Total") in found["1T"][1]


def test_a_priori(tmp_path: Path) -> None:
    # CONVENTION 703
    folder(tmp_path)
    changes = "S1;10;s\nN1;1;u\nNorth;10;m\nS3; 2;c;1\nS2;2;pl;1;1\nNoway;1;u\n"
    with_files(tmp_path, {"h.hst": changes})
    job = [*TABLE, SPECIFY, RULES + "|MAN(20)", READ]
    job += ['<APRIORI> "h.hst",1,";",{},0', "<SUPPRESS> OPT(1)", '<WRITETABLE> (1,5,,"o.tab")']
    done = run(tmp_path, [line.format(1) for line in job])
    assert done.exit_code == 0, done.output
    assert "h.hst: lines that name no cell of the table are passed over, the first is line 6" in done.output
    status = {}
    for line in (tmp_path / "o.tab").read_text().splitlines():
        entries = [entry.strip('"') for entry in line.split(";")]
        status[tuple(entries[:2])] = entries[-3:]
    assert status["S1", "10"][0] == "S"  # sensitive by the rule, and safe by hand
    assert status["N1", " 1"] == ["U", "32", "32"] or status["N1", " 1"] == ["U", "33", "33"]  # 20 percent of 161
    assert status["North", "10"][0] == "M"
    done = run(tmp_path, [line.format(0) for line in job])
    assert done.exit_code == 2
    assert "h.hst line 6: one of the codes is unknown: Noway, 1." in done.output
    with_files(tmp_path, {"h.hst": "S2;10;p\n"})
    assert "S2" in run(tmp_path, [line.format(0) for line in job]).output  # sensitive, and must be published


def test_chains_of_single_codes_change_together(tmp_path: Path) -> None:
    # CONVENTION 703: expandTrivial
    rda = '<SEPARATOR> ";"\nR\n<RECODEABLE>\n<HIERCODELIST> "r.hrc"\nV\n<NUMERIC>\nF\n<FREQUENCY>\n'
    tab = "Total;9;9\nA;5;5\nA1;5;5\nB;4;4\n"
    with_files(tmp_path, {"t.rda": rda, "t.tab": tab, "r.hrc": "A\n@A1\nB\n", "h.hst": "A1;U\n"})
    job = [*TABLE, '<SPECIFYTABLE> "R"|"V"', READ, '<APRIORI> "h.hst",1,";",0,1', '<WRITETABLE> (1,5,,"o.tab")']
    assert run(tmp_path, job).exit_code == 0
    assert [line.split(";")[-1] for line in (tmp_path / "o.tab").read_text().splitlines()] == ["S", "U", "U", "S"]


def test_linked_tables(tmp_path: Path) -> None:
    # CONVENTION 708: index 0; two tables that share the regions
    folder(tmp_path)
    two = ['<SPECIFYTABLE> "Region"|"Turnover"||', RULES]
    job = [*MICRO, SPECIFY, RULES, *two, "<READMICRODATA>", "<SUPPRESS> MOD(0,1,1,1,1)"]
    done = run(tmp_path, [*job, '<WRITETABLE> (1,3,,"a.csv")', '<WRITETABLE> (2,3,,"b.csv")'])
    assert done.exit_code == 0, done.output
    both, one = withheld(tmp_path / "a.csv"), withheld(tmp_path / "b.csv")
    assert {(region, "Total") for (region,) in one} == {cell for cell in both if cell[1] == "Total"}
    other = run(tmp_path, [line if line != RULES else "<SAFETYRULE> NK(1,60)" for line in job[:3]] + [RULES] + job[4:])
    assert other.exit_code == 0, other.output  # rules that differ are applied table by table


def test_recoding(tmp_path: Path) -> None:
    # CONVENTION 709
    folder(tmp_path)
    with_files(tmp_path, {"size.grc": "small: 1-2\nlarge: 3-\n", "region.grc": "<TREERECODE>\nSouth\n"})
    job = [*MICRO, SPECIFY, "<SAFETYRULE> FREQ(2,10)", "<READMICRODATA>"]
    job += ['<RECODE> 1, Size, "size.grc"', "<RECODE> 1, Region, {}", '<WRITETABLE> (1,5,,"o.tab")']
    for by, regions in (("1", ["Total", "North", "South"]), ('"region.grc"', ["Total", "North", "N1", "N2", "South"])):
        done = run(tmp_path, [line.format(by) for line in job])
        assert done.exit_code == 0, done.output
        found = [line.split(";")[:2] for line in (tmp_path / "o.tab").read_text().splitlines()]
        assert list(dict.fromkeys(row[0].strip('"') for row in found)) == regions
        assert list(dict.fromkeys(row[1].strip('"') for row in found)) == ["Total", "small", "large"]


def test_weights(tmp_path: Path) -> None:
    # CONVENTION 709: every record weighs 2
    folder(tmp_path)
    for weighted, factor in (("0", 1), ("1", 2)):
        job = [*MICRO, SPECIFY, f"<SAFETYRULE> FREQ(1,10)|WGT({weighted})", "<READMICRODATA>"]
        assert run(tmp_path, [*job, '<WRITETABLE> (1,4,,"o.txt")']).exit_code == 0
        found = {tuple(row[:2]): int(row[2]) for row in rows(tmp_path / "o.txt")}
        assert found == {cell: factor * sum(values) for cell, values in cells().items()}


def test_a_shadow_variable(tmp_path: Path) -> None:
    # CONVENTION 701: the response is even, the shadow variable dominated in one cell
    rda = '<SEPARATOR> ";"\nR\n<RECODEABLE>\nV\n<NUMERIC>\nF\n<FREQUENCY>\nSh\n<NUMERIC> <SHADOW>\n'
    rda += "Top1\n<MAXSCORE>\nTop2\n<MAXSCORE>\n"
    tab = "Total;90;30;900;300;200\nA;30;10;310;300;5\nB;30;10;300;60;50\nC;30;10;290;60;50\n"
    with_files(tmp_path, {"t.rda": rda, "t.tab": tab})
    job = [*TABLE, '<SPECIFYTABLE> "R"|"V"|"Sh"', "<SAFETYRULE> P(10,1)", READ]
    done = run(tmp_path, [*job, "<SUPPRESS> OPT(1)", '<WRITETABLE> (1,5,,"o.tab")'])
    assert done.exit_code == 0, done.output
    assert "rules were applied to the shadow variable" in done.output
    found = {line.split(";")[0].strip('"'): line.split(";") for line in (tmp_path / "o.tab").read_text().splitlines()}
    assert found["A"][-3] == "U"
    # 10 percent of 300 minus the rest of 5 is 25 of 310, so 2.42 of 30: 3 in whole units
    assert found["A"][-2:] == ["3", "3"]
    assert found["A"][3] == "310"  # the shadow variable goes on
    assert read_release(tmp_path / "t.tab").tables[0].contributors == ()


def test_safety_rules() -> None:
    # CONVENTION 702: individual contributors first, then holdings; 0 is off
    def rules(text: str, *, holdings: bool = True) -> SafetyRule:
        found = read_batch(f"<SAFETYRULE> {text}", "j.arb")[0]
        assert isinstance(found, SafetyRule)
        return found

    found = settings_of(rules("P(20,3)|P(0,1)|P(15,1)|P(10,60,2)"), holdings=True, counts=False)
    assert found.primary == (
        {"p_percent": 20, "coalition": 3, "level": "unit"},
        {"p_percent": 15},
        {"pq": {"p": 10, "q": 60}, "coalition": 2},
    )
    found = settings_of(
        rules("NK(2,75)|NK(0,0)|FREQ(3,20)|ZERO(10)|MIS(1)|MAN(20)|WGT(0)"), holdings=False, counts=False
    )
    assert found.primary == ({"dominance": {"n": 2, "k": 75}}, {"threshold": 3, "protection_percent": 20})
    assert (found.zero, found.missing_safe, found.manual, found.weighted) == (10, True, 20, False)
    found = settings_of(rules("REQ(70,80,10)"), holdings=False, counts=False)
    assert found.primary == ({"request": {"percent": 70}, "protection_percent": 10},)
    assert found.request
    assert len(found.notes) == 1
    with pytest.raises(Exception, match="FREQ is there 3 times, expected at most 2"):
        settings_of(rules("FREQ(1,1)|FREQ(1,1)|FREQ(1,1)"), holdings=True, counts=False)


def test_requests_zeros_and_missing_codes(tmp_path: Path) -> None:
    # CONVENTION 702
    folder(tmp_path)
    job = [*MICRO, SPECIFY, "<SAFETYRULE> REQ(1,1,10)", "<READMICRODATA>", '<WRITETABLE> (1,4,,"o.txt")']
    assert run(tmp_path, [*job[:5], "<SUPPRESS> OPT(1)", *job[5:]]).exit_code == 0
    asked = {tuple(row[:2]) for row in rows(tmp_path / "o.txt") if row[4] in "ABC"}
    assert ("N2", "10") in asked
    rda = '<SEPARATOR> ";"\nR 9\n<RECODEABLE>\nV\n<NUMERIC>\nF\n<FREQUENCY>\n'
    tab = "Total;90;31\nA;0;2\nB;40;9\nC;40;18\n9;10;2\n"
    with_files(tmp_path, {"t.rda": rda, "t.tab": tab})
    for rule, sensitive in (("ZERO(5)", {"A"}), ("FREQ(3,10)", {"A", "9"}), ("FREQ(3,10)|MIS(1)", {"A"})):
        job = [*TABLE, '<SPECIFYTABLE> "R"|"V"', f"<SAFETYRULE> {rule}", READ, '<WRITETABLE> (1,6,,"o.jj")']
        assert run(tmp_path, job).exit_code == 0
        found = read_jj((tmp_path / "o.jj").read_text(), "o.jj")
        # cells are in the order of the classification: Total, A, B, C, 9
        order = ["Total", "A", "B", "C", "9"]
        assert {order[at] for at, cell in enumerate(found.cells) if cell.status == "u"} == sensitive, rule


def test_costs(tmp_path: Path) -> None:
    folder(tmp_path)
    for cost, first in (('"Turnover"', "1741"), ("-1", "33"), ("-2", "1"), ("-1,0.5", "5.744563"), ("-3", "1741")):
        job = [*TABLE, f'<SPECIFYTABLE> "Region""Size"|"Turnover"||{cost}', RULES, READ, '<WRITETABLE> (1,6,,"o.jj")']
        assert run(tmp_path, job).exit_code == 0
        assert (tmp_path / "o.jj").read_text().splitlines()[2].split()[2] == first


def test_sections_and_other_tables(tmp_path: Path) -> None:
    """<CLEAR> begins anew; several tables of their own files are numbered in order."""
    folder(tmp_path)
    one = [*TABLE, SPECIFY, RULES, READ]
    job = [*one, *one, "<SUPPRESS> OPT(2)", '<WRITETABLE> (2,3,,"two.csv")', "<CLEAR>", *one, "<SUPPRESS> MOD(1)"]
    done = run(tmp_path, [*job, '<WRITETABLE> (1,3,,"new.csv")'])
    assert done.exit_code == 0, done.output
    assert len(withheld(tmp_path / "two.csv")) == 17
    assert (tmp_path / "new.csv").exists()


def test_statuses_of_a_release(tmp_path: Path) -> None:
    # CONVENTION 696, 699: letters that the metadata declare; a withheld cell without a value stays withheld
    rda = '<SEPARATOR> ";"\n<SAFE> V\n<UNSAFE> X\n<PROTECT> W\nR\n<RECODEABLE>\nV\n<NUMERIC>\nSt\n<STATUS>\n'
    tab = "Total;9,5;W\nA;;X\nB;x;m\nC;-;E\nD;2,25;v\n"
    with_files(tmp_path, {"t.rda": rda, "t.tab": tab})
    table = read_release(tmp_path / "t.rda").tables[0]
    assert [Status(status).name for status in table.status.tolist()] == [
        "MUST_PUBLISH",
        "PRIMARY",
        "SECONDARY",
        "PUBLISHED",
        "PUBLISHED",
    ]
    assert table.value.known.tolist() == [True, False, False, True, True]
    assert table.truth.units.tolist() == [950, 0, 0, 0, 225]  # CONVENTION 698: two decimals, as the values have
    assert table.truth.known.tolist() == [True, False, False, True, True]
    with_files(tmp_path, {"t.tab": tab.replace("C;-;E", "C;x;E")})
    assert Status(int(read_release(tmp_path / "t.tab").tables[0].status[3])) is Status.WITHHELD
    with_files(tmp_path, {"t.tab": tab.replace(";X", ";Q")})
    with pytest.raises(Exception, match=r't\.tab line 2, column 3: found status "Q", expected one of'):
        read_release(tmp_path / "t.rda")
    found = read_release(tmp_path / "t.rda", status_map={"Q": "withheld"}).tables[0]
    assert Status(int(found.status[1])) is Status.WITHHELD


def test_codes_and_files_of_windows(tmp_path: Path) -> None:
    # CONVENTION 697
    (tmp_path / "data").mkdir()
    folder(tmp_path / "data")
    job = [r'<opentabledata> "DATA\T.TAB"', r"<openmetadata> d:\elsewhere\T.rda", SPECIFY.replace("Region", "REGION")]
    done = run(tmp_path, [r'<OPENTABLEDATA> "data\t.tab"', r"<OPENMETADATA> data\T.RDA", job[2], RULES, READ])
    assert done.exit_code in (0, 1), done.output
    done = run(tmp_path / "data", [r'<OPENTABLEDATA> "c:\old\T.TAB"', job[1], job[2], RULES, READ])
    assert done.exit_code in (0, 1), done.output


def test_a_table_in_an_archive(tmp_path: Path) -> None:
    """The metadata and hierarchies that go with it lie in the archive, too."""
    folder(tmp_path)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("t.tab", "t.rda", "region.hrc"):
            archive.write(tmp_path / name, f"inside/{name}")
    content = (tmp_path / "all.zip").read_bytes()
    assert canonical_json(read_archived(Archive(content, "all.zip"), "inside/t.tab")) == canonical_json(
        read_release(tmp_path / "t.tab")
    )


def test_holdings(tmp_path: Path) -> None:
    # CONVENTION 702: the first rule is for individual contributors, the second for holdings
    folder(tmp_path)
    rda = MICRO_RDA + "Owner 19 3\n  <HOLDING>\n"
    lines = micro_text().splitlines()
    text = "\n".join(f"{line:18}{record[3]:<3}" for line, record in zip(lines, RECORDS, strict=True))
    with_files(tmp_path, {"m.rda": rda, "m.asc": text})
    found = {}
    for rule, option in (("FREQ(3,10)|FREQ(0,0)", ""), ("FREQ(0,0)|FREQ(3,10)", "HI+")):
        job = [*MICRO, SPECIFY, f"<SAFETYRULE> {rule}", "<READMICRODATA>", f'<WRITETABLE> (1,5,{option},"o.tab")']
        assert run(tmp_path, [*job, '<WRITETABLE> (1,6,,"o.jj")']).exit_code == 0
        problem = read_jj((tmp_path / "o.jj").read_text(), "o.jj")
        counts = [int(line.split(";")[3]) for line in (tmp_path / "o.tab").read_text().splitlines()]
        found[option] = counts
        assert {at for at, cell in enumerate(problem.cells) if cell.status == "u"} == {
            at for at, count in enumerate(counts) if count < 3
        }
    owners = {record[3] for record in RECORDS}
    assert (found[""][0], found["HI+"][0]) == (len(RECORDS), len(owners))
    assert all(few <= many for few, many in zip(found["HI+"], found[""], strict=True))
    with_files(tmp_path, {"m.asc": "\n".join([*text.splitlines(), text.splitlines()[0]])})
    assert "records of one holding must stand together" in run(tmp_path, job).output


def test_what_a_rule_lacks_is_said_in_words_of_the_job(tmp_path: Path) -> None:
    # CONVENTION 922
    job = [*TABLE, SPECIFY, "<SAFETYRULE> P(10,4)", READ, "<SUPPRESS> MOD(1)", ALL[0]]
    done = run(folder(tmp_path), job)
    assert done.exit_code == 2
    assert "line 4, column 1: <SAFETYRULE>:" in done.output
    assert "<MAXSCORE>" in done.output
    assert '"contributors"' not in done.output


def test_a_job_of_an_older_version_from_another_machine(tmp_path: Path) -> None:
    # CONVENTION 614: a digit in place of options, outputs under paths of another machine, `.` where SAS has no value
    folder(tmp_path)
    job = [*TABLE, SPECIFY, RULES, READ, "<SUPPRESS> OPT(1)", '<WRITETABLE> (1,3,1,"\\\\srv\\our data\\q.csv")']
    job += ['<WRITETABLE> (1,5,1,"C:\\out\\own.csv")', '<LOGBOOK> "C:\\out\\log.txt"']
    refused = run(tmp_path, job)
    assert refused.exit_code == 2
    assert "is a path of another machine" in refused.output
    assert "--output DIR" in refused.output
    done = CliRunner().invoke(app, ["run", str(tmp_path / "job.arb"), "--output", str(tmp_path / "new" / "out")])
    assert done.exit_code == 0, done.output
    assert "1 in place of options (older versions) is read as AS+" in done.output
    assert {path.name for path in (tmp_path / "new" / "out").iterdir()} == {
        "q.csv",
        "own.csv",
        "own.rda",
        "log.txt",
    } | {path.name for path in (tmp_path / "new" / "out").glob("*.hrc")}
    assert {row[3] for row in rows(tmp_path / "new" / "out" / "q.csv")} == {"1", "3", "11"}
    twice = [*job, '<WRITETABLE> (1,3,,"D:\\other\\q.csv")']
    (tmp_path / "job.arb").write_text("\n".join(twice))
    again = CliRunner().invoke(app, ["run", str(tmp_path / "job.arb"), "--output", str(tmp_path / "new")])
    assert again.exit_code == 2
    assert "writes there too" in again.output


def test_a_point_of_sas_is_no_value(tmp_path: Path) -> None:
    # CONVENTION 614: a contribution that is not there; of a response a value that is not there, which is withheld
    folder(tmp_path)
    lines = (tmp_path / "t.tab").read_text().splitlines()
    fields = [line.split(";") for line in lines]
    changed = [";".join([*row[:-1], "." if row[-1].strip() in ("", "0", "0,0") else row[-1]]) for row in fields]
    read = {}
    for name, text in (("a", lines), ("b", changed)):
        (tmp_path / "t.tab").write_text("\n".join(text) + "\n")
        read[name] = read_release(tmp_path / "t.tab")
    assert read["a"].tables[0].value.units.tolist() == read["b"].tables[0].value.units.tolist()
    dotted = [";".join([*fields[0][:2], ".", *fields[0][3:]]), *lines[1:]]
    (tmp_path / "t.tab").write_text("\n".join(dotted) + "\n")
    found = read_release(tmp_path / "t.tab").tables[0]
    assert (found.status[0], bool(found.value.known[0])) == (Status.WITHHELD, False)


SBS = '<WRITETABLE> (1,4,QU-,"o.txt")'


@pytest.mark.parametrize(
    ("rules", "tops", "letter", "shares"),
    [
        ("P(10,1)", 2, "F", lambda a, b, v: [100 * a / v, 100 * b / v]),
        ("P(10,1)|NK(1,70)", 2, "F", lambda a, b, v: [100 * a / v, 100 * b / v]),
        ("NK(2,80)", 2, "C", lambda a, b, v: [100 * (a + b) / v]),
        ("NK(1,70)", 2, "C", lambda a, b, v: [100 * (a + b) / v]),
        ("NK(1,70)", 1, "B", lambda a, b, v: [100 * a / v]),
        ("FREQ(5,10)", 2, "A", lambda a, b, v: []),
    ],
)
def test_letters_and_shares_for_the_office_of_europe(
    tmp_path: Path, rules: str, tops: int, letter: str, shares: Callable[[int, int, int], list[float]]
) -> None:
    # CONVENTION 669: as WriteSBSStaart of libtauargus
    folder(tmp_path)
    if tops == 1:
        (tmp_path / "t.rda").write_text(TABLE_RDA.replace("Top2\n  <MAXSCORE>\n", ""))
        lines = (tmp_path / "t.tab").read_text().splitlines()
        (tmp_path / "t.tab").write_text("".join(f"{line.rpartition(';')[0]}\n" for line in lines))
    job = [*TABLE, SPECIFY, f"<SAFETYRULE> {rules}", READ, "<SUPPRESS> OPT(1)", SBS]
    done = run(tmp_path, job)
    assert done.exit_code == 0, done.output
    found = [row for row in rows(tmp_path / "o.txt") if row[4] not in "VD"]
    assert {row[4] for row in found} == {letter}
    for region, size, value, _, _, *said in found:
        first, second = [*cells()[region, size], 0][:2]
        assert said == [f"{share:.1f}" for share in shares(first, second, int(value))]
