"""The report on a terminal."""

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.model import Note, Release, build_hierarchy
from tableseal.audit.report import Report, ReportCell, public_copy, render_text
from tableseal.audit.report.model import InsiderFinding, Possible, Reveals, Summary
from tableseal.audit.report.words import ASCII, HTML, interval, number, printable


def cell(code, low, high, verdict, *, status="primary", **more):
    values = None if high is None else high - low + 1
    given = {
        "also_in": (),
        "measure": "value",
        "truth": None,
        "lower": Fraction(low),
        "upper": None if high is None else Fraction(high),
        "attained": None,
        "exact": True,
        "lp": None,
        "possible": Possible(values or 10, values),
        "entropy_bits": None,
        "risk": 0.0 if high is None else None if values == 1 else 0.11535508912795225,
        "required": None,
        "sensitive": status != "secondary",
        "rule": None,
        "basis": None,
        "reason": None,
    }
    place = (("size", code), ("region", "T"))
    return ReportCell(table="t", cell=place, status=status, verdict=verdict, **(given | more))


CELLS = (
    cell("wide", 0, None, "protected", basis="integer"),
    cell("narrow", 0, 406, "protected", basis="continuous"),
    cell("unclear", 5, 90, "undecided", exact=False, attained=(Fraction(10), Fraction(80))),
    cell("missing", 0, 9, "not_judged", status="missing"),
    cell(
        "close",
        90,
        110,
        "underprotected",
        reason="insider",
        insider=InsiderFinding("largest", "value", (None, Fraction(5))),
    ),
    cell("wasted", 3, 3, "exposed", status="secondary"),
    cell("known", 7, 7, "exposed", reveals=Reveals("equation", (), "known = all - others")),
)
REPORT = Report(
    verdict="unsafe",
    title="Companies",
    release_sha256="a" * 64,
    bounds="integer",
    summary=Summary(1234, 1227, 6, 1, 1, 1, 2, 1, 1, 1, 24, 1, 3),
    cells=CELLS,
    notes=(Note("n", "A note."),),
)


def lines_of(report=REPORT, **options):
    return render_text(report, **({"colour": False, "width": 120, "limit": None} | options)).splitlines()


def test_verdict_comes_first_in_plain_words():
    first = " ".join(lines_of()[:2])
    assert first.startswith("UNSAFE: This release must not go out as it is. 1 sensitive cell exposed, ")
    assert "1 secondary cell can be computed exactly: withheld for nothing." in first
    safe = replace(REPORT, verdict="safe", cells=(), summary=Summary(4, 4, *[0] * 11))
    assert lines_of(safe)[0] == "SAFE: This release may go out: no cell is sensitive, by rule or by status."
    guarded = replace(safe, cells=tuple(c._replace(verdict="protected") for c in CELLS if c.sensitive)[:1])
    assert lines_of(guarded)[0] == "SAFE: This release may go out: every sensitive cell is protected."
    assert lines_of(replace(safe, verdict="undecided"))[0].startswith("UNDECIDED: Not proved either way")


def test_cells_stand_worst_first():
    # CONVENTION 163
    order = [m.group(1) for line in lines_of() if (m := re.match(r"t +size=(\w+)", line))]
    assert order == ["known", "wasted", "close", "unclear", "narrow", "wide", "missing"]


def test_a_line_says_what_is_known_of_a_cell():
    lines = lines_of()
    (wide,) = (line for line in lines if "size=wide" in line)
    assert re.split(r"  +", wide) == [
        "t",
        "size=wide, region=T",
        "primary",
        "[0, inf)",
        "no limit",
        "0",
        "protected",
    ]
    (narrow,) = (line for line in lines if "size=narrow" in line)
    assert re.split(r"  +", narrow)[3:] == ["[0, 406]", "407", "0.1154", "protected (continuous)"]
    (close,) = (line for line in lines if "size=close" in line and "[90" in line)
    assert "underprotected: an insider" in close
    assert any("reached [10, 80]" in line for line in lines)


def test_arithmetic_insiders_and_notes_follow():
    text = "\n".join(lines_of())
    assert "  - t: known = all - others" in text
    assert "  - t: size=close, region=T: largest can place the value of this cell within (-inf, 5]" in text
    assert "Notes\n  - A note.\n\nReleased system: " in text


def test_variables_at_their_total_are_left_out_when_the_release_is_known():
    size = build_hierarchy("size", "All", [[(None, c.cell[0][1]) for c in CELLS]])
    region = build_hierarchy("region", "T", [[(None, "N")]])
    release = Release("Companies", {}, {"size": size, "region": region}, ())
    assert "region=" not in "\n".join(lines_of(release=release))
    total = CELLS[0]._replace(cell=(("size", "All"), ("region", "T")))
    assert any("grand total" in line for line in lines_of(replace(REPORT, cells=(total,)), release=release))


def test_long_lists_are_cut_and_say_how_to_see_the_rest():
    lines = lines_of(limit=2)
    assert "... and 5 more cells: see --json FILE or --html FILE." in lines
    assert "size=close, region=T  " not in "\n".join(lines)
    assert not any("more" in line for line in lines_of(limit=7))


def test_measures_are_named_where_there_are_several():
    cells = (*CELLS, CELLS[0]._replace(measure="firms"))
    assert any("size=wide, region=T (firms)" in line for line in lines_of(replace(REPORT, cells=cells)))


def test_plain_text_is_ascii_and_has_no_escape_sequences():
    assert "\n".join(lines_of()).isascii()
    assert "\x1b" not in "\n".join(lines_of())
    assert "\x1b[" in "\n".join(lines_of(colour=True))


@pytest.mark.parametrize("colour", [False, True])
def test_a_code_cannot_steer_the_terminal_or_the_markup(colour):
    evil = cell("[red]\x1b]0;title\x07\u202e", 0, 5, "protected")
    text = "\n".join(lines_of(replace(REPORT, title="\x1b[2J", cells=(evil,)), colour=colour, width=200))
    assert "[red]\\x1b]0;title\\x07\\u202e" in text
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
    assert "\\x1b[2J" in text


def test_a_public_copy_speaks_of_cells_not_of_sensitive_ones():
    text = "\n".join(lines_of(public_copy(replace(REPORT, notes=()))))
    assert text.startswith("UNSAFE: This release must not go out as it is. 2 cells exposed.\n")
    assert "sensitive" not in text
    assert "primary" not in text


@settings(max_examples=30)
@given(st.integers(1, 200), st.none() | st.integers(0, 9), st.text(max_size=40))
def test_any_width_any_code(width, limit, code):
    odd = replace(REPORT, cells=(*CELLS, cell(code, 0, 5, "protected")))
    lines = lines_of(odd, width=width, limit=limit)
    assert lines[0].startswith("UNSAFE")
    if limit is None:
        assert sum(line.startswith("t ") for line in lines) == len(CELLS) + 1


@pytest.mark.parametrize(
    ("value", "ascii_text", "html_text"),
    [
        (Fraction(1131), "1131", "1\u202f131"),
        (Fraction(-1234567, 100), "-12345.67", "−12\u202f345.67"),
        (Fraction(2, 3), "~0.6667", "≈\u202f0.6667"),
        (Fraction(0), "0", "0"),
    ],
)
def test_numbers_for_people(value, ascii_text, html_text):
    assert number(value, ASCII) == ascii_text
    assert number(value, HTML) == html_text


def test_intervals_for_people():
    assert interval(Fraction(0), Fraction(406), ASCII) == "[0, 406]"
    assert interval(Fraction(0), None, ASCII) == "[0, inf)"
    assert interval(None, None, HTML) == "(−∞, ∞)"


def test_printable_keeps_letters_of_all_scripts():
    assert printable("Île-de-France 東京 ١") == "Île-de-France 東京 ١"
    assert printable("a\u200bb\n") == "a\\u200bb\\n"


def test_the_door_loads_neither_rich_nor_jinja():
    code = "import sys, tableseal.audit.report; sys.exit(bool({'rich', 'jinja2', 'pydantic'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
