"""EU aggregates: what others have decided, several compositions, sums of what is not confidential (CONVENTION 972 to
974)."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.language import phrase, speaking
from tableseal.audit.model import Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report import render_html, render_text
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.suppress import suppress

MEMBERS = ["BE", "DE", "FR", "PL", "UK"]
TREES = [{"EU28": MEMBERS}, {"EU27": MEMBERS[:-1]}, {"EA": MEMBERS[:3]}]
GROUPS = ["EU28", "EU27", "EA"]


def states(values: list[int | None], status: list[str], **more: Any) -> dict[str, Any]:
    """Turnover of member states and of three overlapping sums of them."""
    cells = {"geo": MEMBERS + GROUPS, "value": [*values], "status": [*status]}
    return {
        "tableseal": 1,
        "measures": {"turnover": {"kind": "magnitude", "unit": 1}},
        "variables": {"geo": {"trees": TREES}},
        "tables": [{"name": "states", "status": "status", "cells": cells, **more}],
    }


TRUE: list[int | None] = [20, 400, 300, 60, 120, 900, 780, 720]
BELGIUM = ["withheld", *[""] * 7]


def withheld(described: dict[str, Any]) -> set[str]:
    """What a search withholds."""
    result = suppress(release_from_document(described))
    assert result.verdict == "safe"
    assert result.release is not None
    geo, [table] = result.release.variables["geo"], result.release.tables
    return {geo.codes[code] for code in table.codes[table.status >= Status.SECONDARY, 0].tolist()}


def test_what_others_have_decided_stays() -> None:
    """CONVENTION 972: a member state would be cheaper than an aggregate; of several compositions of an aggregate none
    may give it away."""
    assert withheld(states(TRUE, BELGIUM)) & {"DE", "FR", "PL", "UK"}
    assert withheld(states(TRUE, BELGIUM, fixed={"geo": MEMBERS})) == {"BE", *GROUPS}
    secondary = ["primary", "", "secondary", *[""] * 5]
    release = release_from_document(states(TRUE, secondary, fixed={"geo": MEMBERS}))
    [table] = release.tables
    words = [Status(s).word for s in table.status.tolist()]
    assert words == ["primary", "frozen", "withheld", "frozen", "frozen", *["published"] * 3]


@pytest.mark.parametrize(
    ("fixed", "message"), [({"place": "BE"}, "no variable"), ({"geo": ["BE", "XX"]}, "XX"), ({"geo": []}, "at least 1")]
)
def test_rows_that_are_not_there(fixed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        release_from_document(states(TRUE, BELGIUM, fixed=fixed))


PARTIAL = {"variable": "geo", "codes": GROUPS}


def test_the_sum_of_what_is_not_confidential() -> None:
    """CONVENTION 973: published in place of the aggregates, it bounds them and what is confidential in them."""
    described = states(TRUE, BELGIUM, partial_sums=PARTIAL)
    assert withheld(described) == {"BE", *GROUPS}
    result = suppress(release_from_document(described))
    assert result.report is not None
    found = {dict(c.cell)["geo"]: (c.lower, c.upper) for c in result.report.cells}
    # EA: 700 / 0.95 = 736.8; so BE is 36 at most, and with it the others.
    assert found == {"BE": (0, 36), "EA": (700, 736), "EU27": (760, 796), "EU28": (880, 916)}
    assert result.release is not None
    [table] = public_release(result.release).tables
    assert table.lower.units[-3:].tolist() == [880, 760, 700]
    [said] = [n.text for n in result.report.notes if n.code == "partial_sums"]
    assert "a published partial sum, which the aggregate is at least, and not its value" in said  # CONVENTION 1000
    with speaking("fr"):
        assert "une somme partielle publiée" in phrase(said)
        assert "somme partielle" in render_html(result.report, result.release)
    assert "a published partial sum" in " ".join(
        render_text(result.report, colour=False, width=100, limit=None).split()
    )
    narrow = states(TRUE, BELGIUM, partial_sums=PARTIAL | {"share": "0.999"})
    report = audit(release_from_document(narrow)).report
    assert [n.count for n in report.notes if n.code == "partial_sums_short"] == [3]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**40))
def test_what_the_rule_gives_away_enumerated(seed: int) -> None:
    """CONVENTION 973: against every value of the confidential members; readers know the rule, also where nothing is
    published."""
    random = Random(seed)
    members = [random.randint(0, 12) for _ in MEMBERS]
    hidden = random.sample(range(5), random.choice([1, 2]))
    share = Fraction(random.choice(["0.95", "0.9", "0.8", "0.5"]))
    sums = [sum(members[:5]), sum(members[:4]), sum(members[:3])]
    status = ["withheld" if k in hidden else "published" for k in range(5)] + ["withheld"] * 3
    described = states([*members, *sums], status, partial_sums=PARTIAL | {"share": str(share)})
    note(str(described))

    def seen(values: tuple[int, ...]) -> list[bool]:
        return [
            sum(v for k, v in enumerate(values[:n]) if k not in hidden) >= share * sum(values[:n]) for n in (5, 4, 3)
        ]

    fits = []
    largest = max(80, *(int(s / share) + 1 for s in sums))
    for values in product(range(largest + 1), repeat=len(hidden)):
        whole = list(members)
        for at, value in zip(hidden, values, strict=True):
            whole[at] = value
        if seen(tuple(whole)) == seen(tuple(members)):
            fits.append(whole)
    report = audit(release_from_document(described)).report
    found = {dict(c.cell)["geo"]: (c.lower, c.upper) for c in report.cells}
    for k in hidden:
        values_of = [whole[k] for whole in fits]
        low, high = found[MEMBERS[k]]
        assert low == min(values_of)
        assert high == max(values_of) or (high is None and max(values_of) >= largest - 1)


@pytest.mark.parametrize(
    ("partial", "message"),
    [
        ({"variable": "place", "codes": ["EA"]}, "no variable"),
        ({"variable": "geo", "codes": ["XX"]}, "XX"),
        ({"variable": "geo", "codes": ["BE"]}, "no members"),
        ({"variable": "geo", "codes": ["EA"], "share": 95}, "share.*at most 1"),
    ],
)
def test_partial_sums_that_cannot_be(partial: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        release_from_document(states(TRUE, BELGIUM, partial_sums=partial))


def test_partial_sums_need_true_values_and_members() -> None:
    """CONVENTION 974."""
    without: list[int | None] = [None, 400, 300, 60, 120, 900, 780, None]
    with pytest.raises(InputError, match="EA needs its true value"):
        release_from_document(states(without, [*BELGIUM[:-1], "withheld"], partial_sums=PARTIAL))
    described = states(TRUE, BELGIUM, partial_sums=PARTIAL)
    for column in described["tables"][0]["cells"].values():
        del column[1]
    with pytest.raises(InputError, match="EU28 is listed without its members DE"):
        release_from_document(described)
    negative = states(TRUE, BELGIUM, partial_sums=PARTIAL) | {"intruder": {"nonnegative": False}}
    with pytest.raises(InputError, match=r"partial_sums.*negative"):
        release_from_document(negative)
