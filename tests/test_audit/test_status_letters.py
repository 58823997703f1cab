"""Letters of other tools, typed from their manuals and code lists once more: a letter that is read as another status is
a cell published or withheld by mistake."""

import pytest

from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.model import Status

MANUALS: dict[str, dict[str, str]] = {
    # tau-ARGUS: the metadata of a table name the letters, usually <SAFE> S, <UNSAFE> U, <PROTECT> P; a priori files
    # have M for secondary (APriori.java); E is the empty, published cell of `pp.tab`; X and Z stand in tables that
    # other programs write for it, for secondary and empty. Numbers as in CellStatus.java: 1 safe, 2 safe by hand, 3
    # unsafe by rule, 4 request, 5 frequency, 6 zero, 7 and 8 singletons, 9 unsafe by hand, 10 protected, 11
    # secondary, 12 secondary from unsafe by hand, 13 and 14 empty.
    "tau-argus": {
        "published": " S E 1 2",
        "must_publish": "P 10",
        "primary": "U 3 4 5 6 7 8 9",
        "secondary": "M X 11 12",
        "structural_zero": "Z 13 14",
    },
    # tau-ARGUS manual, pages 102 and 103 (SBS output): A frequency, B dominance (first rule), C dominance (second
    # rule), D secondary, V safe; libtauargus, WriteSBSStaart: F p% rule.
    "sbs": {"published": " V", "primary": "A B C F", "secondary": "D"},
    # sdcTable: s publishable, z must be published, u primary, x secondary, w never published.
    "sdctable": {"published": " s", "must_publish": "z", "primary": "u", "secondary": "x", "missing": "w"},
    # gconfid 2.0.4, validation of its tables: Status P published, S sensitive, X suppressed, V other; OutStatus P
    # published, X suppressed (also if sensitive).
    "gconfid": {"published": " V P", "primary": "S", "withheld": "X"},
    # SDMX code list CL_CONF_STATUS 1.x: A small counts, G dominance by one or two, M other concentration, O dominance
    # by one, T by two, X military; D and S secondary (set by sender, by receiver); C confidential, N internal use, E
    # embargo; F free.
    "sdmx-conf": {"published": " F", "primary": "A G M O T X", "secondary": "D S", "withheld": "C N E"},
    # SDMX code list CL_OBS_STATUS: A normal, B break, D definition differs, E estimated, F forecast, I imputed, N not
    # significant, P provisional, S strike, U low reliability, V unvalidated, W includes another category; M cannot
    # exist; Q suppressed; K included elsewhere, L not collected, O missing.
    "sdmx-obs": {
        "published": " A B D E F I N P S U V W",
        "structural_zero": "M",
        "withheld": "Q",
        "missing": "K L O",
    },
}
"""Scheme -> status -> its letters (a blank first: no letter at all)."""


@pytest.mark.parametrize("scheme", MANUALS)
def test_every_letter_means_what_the_manual_says(scheme: str) -> None:
    # CONVENTION 644
    expected = {letter: word for word, letters in MANUALS[scheme].items() for letter in letters.split(" ")}
    assert {letter: status.word for letter, status in SCHEMES[scheme].items()} == expected


def test_every_scheme_and_every_word_is_here() -> None:
    assert set(SCHEMES) == {*MANUALS, "words"}
    words = "published consent must_publish frozen structural_zero missing secondary withheld primary"
    assert [status.word for status in sorted(Status)] == words.split()
    assert {word: status.word for word, status in SCHEMES["words"].items()} == {
        "": "published",
        **{word: word for word in words.split()},
    }


def test_what_is_released_and_what_is_withheld() -> None:
    assert [status.word for status in Status if status.released] == ["published", "consent", "must_publish", "frozen"]
    assert [status.word for status in Status if status.withheld] == ["secondary", "withheld", "primary"]
