"""Which combinations that no row lists a rule can judge: those for which its data are there."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tableseal.audit.model import Amounts, Microdata, Policy, Status, build_hierarchy
from tableseal.audit.rules import PQ, Attribute, Dominance, Entropy, Request, Rule, Threshold
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.unlisted import assess_unlisted

CellsOf = Callable[..., Any]

REGION = build_hierarchy("region", "T", [[(None, "N"), (None, "E"), (None, "S")]])
ZERO = (Status.STRUCTURAL_ZERO, *[Status.MISSING] * 3)


def combinations(
    cells_of: CellsOf, kind: str, value: Sequence[int | None], records: bool = False, **more: Any
) -> tuple[Any, Any]:
    """T, N, E, S as combinations in no row; the first is a zero that everyone knows. records: 3 in N, one of whom asks
    for protection, 1 in E, none in S."""
    weighted = more.pop("weighted", None)
    microdata = None
    if records:
        codes = np.array([[REGION.index[c]] for c in "NNNE"], np.int32)
        asks = np.array([True, False, False, False])
        microdata = Microdata(codes, {} if kind == "count" else {"value": Amounts.of([5, 3, 2, 7])}, request=asks)
    places = [(c,) for c in "TNES"]
    more = {"status": ZERO, "row": [-1] * 4, **more}
    release, cells = cells_of(value, kind=kind, hierarchies=[REGION], codes=places, microdata=microdata, **more)
    return release, cells if weighted is None else replace(cells, weighted=Amounts.of(weighted))


def could(pair: tuple[Any, Any], *rules: Rule) -> str:
    """The combinations that a rule could judge."""
    _, judged = assess_unlisted(Facts(*pair), Policy(rules))
    return "".join(code for code, known in zip("TNES", judged.tolist(), strict=True) if known)


FEW, WEIGHTED, UNITS = Threshold(3), Threshold(3, of="weighted"), Threshold(3, level="unit")
LARGE: list[Rule] = [
    Dominance(1, Fraction(80)),
    PQ(Fraction(10)),
    PQ(Fraction(5), Fraction(50)),
    Entropy(Fraction(1, 2)),
]
LARGE_OF_UNITS: list[Rule] = [
    replace(rule, level="unit") for rule in LARGE if not isinstance(rule, Request | Attribute)
]
ATTRIBUTE, REQUEST = Attribute(()), Request()


@pytest.mark.parametrize(
    ("kind", "rules", "columns", "judged"),
    [
        # a threshold judges a count by its value
        ("count", [FEW], {}, "NE"),
        ("count", [UNITS], {}, "NE"),
        ("count", [WEIGHTED], {}, "NE"),
        ("count", [FEW], {"records": True}, "NES"),
        # a magnitude by its number of contributors
        ("magnitude", [FEW], {}, ""),
        ("magnitude", [FEW], {"frequency": [0, 3, None, 2]}, "NS"),
        ("magnitude", [UNITS], {"frequency": [0, 3, None, 2]}, ""),  # these may be holdings
        ("magnitude", [WEIGHTED], {"frequency": [0, 3, None, 2]}, ""),
        ("magnitude", [WEIGHTED], {"weighted": [0, None, 5, 7]}, "ES"),
        ("magnitude", [FEW], {"weighted": [0, None, 5, 7]}, ""),
        *(("magnitude", [rule], {"records": True}, "NES") for rule in (FEW, UNITS, WEIGHTED)),
        # the others what microdata give, the attribute rule nothing
        *(("magnitude", [rule], {}, "") for rule in (*LARGE, REQUEST, ATTRIBUTE)),
        *(("magnitude", [rule], {"frequency": [0, 3, 1, 2]}, "") for rule in (*LARGE, REQUEST, ATTRIBUTE)),
        *(("magnitude", [rule], {"records": True}, "NES") for rule in (*LARGE, *LARGE_OF_UNITS, REQUEST)),
        *(("count", [rule], {"records": True}, "") for rule in (*LARGE, ATTRIBUTE)),
        ("magnitude", [ATTRIBUTE], {"records": True}, ""),
        ("count", [REQUEST], {}, ""),
        ("count", [REQUEST], {"records": True}, "NES"),
        # any of several
        ("magnitude", [FEW, LARGE[0]], {"frequency": [0, 3, None, 2]}, "NS"),
        ("magnitude", [ATTRIBUTE, LARGE[0], FEW], {"records": True}, "NES"),
        ("count", [LARGE[0], FEW], {}, "NE"),
        ("count", [], {"records": True}, ""),
    ],
)
def test_a_rule_judges_where_its_data_are_there(
    cells_of: CellsOf, kind: str, rules: list[Rule], columns: dict[str, Any], judged: str
) -> None:
    """CONVENTION 504: of S nothing is known but from records, which give it nothing."""
    assert could(combinations(cells_of, kind, [0, 3, 1, None], **columns), *rules) == judged


def test_what_is_sensitive_is_what_rules_say_but_for_the_attribute_rule(cells_of: CellsOf) -> None:
    """CONVENTION 504: all 4 in N would be an attribute that they share."""
    line = combinations(cells_of, "count", [4, 4, 0, 0], status=[Status.MISSING] * 4)
    sensitivity, judged = assess_unlisted(Facts(*line), Policy((ATTRIBUTE, Threshold(5))))
    assert sensitivity.sensitive.tolist() == [True, True, False, False]
    assert sensitivity.rules == ("threshold 5",)
    assert judged.all()
    assert not assess_unlisted(Facts(*line), Policy((ATTRIBUTE,)))[0].sensitive.any()
    asked = combinations(cells_of, "count", [0, 3, 1, 0], records=True)
    assert assess_unlisted(Facts(*asked), Policy((REQUEST,)))[0].sensitive.tolist() == [False, True, False, False]
    records = combinations(cells_of, "magnitude", [0, 10, 7, 0], records=True)
    assert assess_unlisted(Facts(*records), Policy((LARGE[0],)))[0].sensitive.tolist() == [False, False, True, False]
