"""Nothing judged is never safe: what says that something is sensitive, and what is said where nothing does."""

from dataclasses import replace
from typing import Any

import pytest
from small import document, report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import public_copy, render_text, report_from_json, report_json
from tableseal.audit.report.call import Call
from tableseal.audit.report.called import called
from tableseal.audit.report.words import verdict_line
from tableseal.suppression.comparison.compare import compare
from tableseal.suppression.suppress import suppress

PLAIN = table(["T", "k", "l", "m"], [13, 3, 4, 6])
SAP = {"require": {"sap": {"n": 1, "max": 1}}}
P_PERCENT = {"primary": [{"p_percent": 10}]}
ATTRIBUTE = {"primary": [{"attribute": {"given": ["a"]}}]}
THRESHOLD = {"primary": [{"threshold": 3}]}


def with_status(word: str) -> dict[str, Any]:
    return table(["T", "k", "l", "m"], [13, 3, 4, 6], status=["", "", word, word])


@pytest.mark.parametrize(
    ("released", "policy", "judged"),
    [
        (PLAIN, None, False),
        (PLAIN, {"primary": []}, False),
        (PLAIN, {"require": {"risk": "1/2"}}, False),
        (PLAIN, ATTRIBUTE, True),
        (PLAIN, THRESHOLD, True),
        (PLAIN, SAP, True),
        (PLAIN, {"primary": [{"request": False}]}, False),
        (with_status("secondary"), None, False),
        (with_status("missing"), None, False),
        (with_status("frozen"), None, False),
        (with_status("primary"), None, True),
        (with_status("withheld"), None, True),
        (table(["T", "k", "l", "m"], [12, 3, 3, 6], rounding={"base": 3, "method": "conventional"}), None, True),
    ],
)
def test_what_says_that_something_is_sensitive(released: dict[str, Any], policy: Any, judged: bool) -> None:
    # CONVENTION 580
    found = report(released, **({} if policy is None else {"policy": policy}))
    assert found.judged == judged
    assert found.verdict != "safe" or judged
    assert judged or found.verdict == "undecided"
    assert report_from_json(report_json(found)).judged == judged
    copy = public_copy(found)
    assert (copy.judged, copy.rules) == (judged, ())


@pytest.mark.parametrize(
    ("policy", "scale", "words"),
    [
        (P_PERCENT, {}, "p% 10: judges magnitudes only, and all here are counts; mend the `kind`"),
        (ATTRIBUTE, {"kind": "magnitude", "unit": 1}, "judges counts only, and all here are magnitudes"),
        ({**P_PERCENT, **SAP}, {}, "p% 10: judges magnitudes only"),
    ],
)
def test_rules_none_of_which_has_a_table_to_judge_are_refused(policy: Any, scale: dict[str, Any], words: str) -> None:
    # CONVENTION 658
    for released in (PLAIN, with_status("primary")):
        with pytest.raises(InputError) as refused:
            report(released, **scale, policy=policy)
        assert words in str(refused.value)


def test_a_rule_of_contributions_beside_counts_with_contributors_is_refused() -> None:
    # CONVENTION 658
    turnover = table(["T", "k", "l"], [910, 600, 310], frequency=[25, 20, 5]) | {"contributors": ["x"]}
    turnover["cells"]["x"] = [300, 150, 300]
    both = {"primary": [{"threshold": 3}, {"dominance": {"n": 1, "k": 85}}]}
    for ask in (audit, suppress, lambda release: compare(release, ["heuristic"])):
        with pytest.raises(InputError, match="though tables name contributors; mend the `kind`"):
            ask(release_from_document(document(turnover, policy=both)))
    (found,) = report(turnover, kind="magnitude", unit=1, policy=both).cells
    assert (found.verdict, found.rule) == ("exposed", "dominance (1, 85)")


@pytest.mark.parametrize(
    ("policy", "scale"),
    [
        ({"primary": [{"threshold": 3}, {"p_percent": 10}]}, {}),
        ({"primary": [{"attribute": {"given": ["a"]}}, {"threshold": 1}]}, {"kind": "magnitude", "unit": 1}),
    ],
)
def test_a_rule_that_judges_nothing_beside_others_is_no_plain_safe(policy: Any, scale: dict[str, Any]) -> None:
    # CONVENTION 658
    found = report(table(["T", "k", "l"], [40, 20, 20], frequency=[9, 4, 5]), **scale, policy=policy)
    assert called(found) == "safe as listed"
    assert verdict_line(found).startswith("SAFE as listed; 1 rule looked at no table (see the notes).")


def test_measures_of_which_nothing_is_said_are_named() -> None:
    # CONVENTION 580
    two = {"sales": {"kind": "magnitude", "unit": 1}, "firms": {"kind": "count"}}
    sales = table(["T", "k", "l", "m"], [13, 3, 4, 6], name="s", frequency=[9, 3, 3, 3]) | {"measure": "sales"}
    firms = table(["T", "k", "l", "m"], [9, 3, 3, 3], name="f") | {"measure": "firms"}
    changes = {"measures": two}
    doc = document(sales | {"contributors": []}, firms, **changes, policy=ATTRIBUTE)
    del doc["kind"]
    found = audit(release_from_document(doc)).report
    assert found.judged
    (note,) = [note for note in found.notes if note.code == "measure_not_judged"]
    assert '"sales"' in note.text


def test_a_measure_that_no_rule_judged_is_no_plain_safe() -> None:
    # CONVENTION 651
    sales = table(["T", "k", "l"], [40, 20, 20], name="s") | {"measure": "sales", "contributors": ["x"]}
    sales["cells"]["x"] = [5, 5, 5]
    firms = table(["T", "k", "l"], [2, 1, 1], name="f") | {"measure": "firms"}
    measures = {"sales": {"kind": "magnitude", "unit": 1}, "firms": {"kind": "count"}}
    doc = document(sales, firms, measures=measures, policy={"primary": [{"dominance": {"n": 1, "k": 85}}]})
    del doc["kind"]
    found = audit(release_from_document(doc)).report
    assert verdict_line(found).startswith("SAFE as listed; 1 measure was judged by no rule (see the notes).")


def test_what_was_not_found_out_is_no_plain_safe() -> None:
    # CONVENTION 651
    found = report(table(["T", "k", "l"], [40, 20, 20]), policy={"primary": [{"threshold": 3}]})
    assert called(found) == "safe"
    assert found.summary.implied is not None
    left = replace(found.summary, implied=found.summary.implied._replace(left_out=2))
    assert called(replace(found, summary=left)) == "safe as listed"
    assert "of 2 combinations that no row lists" in verdict_line(replace(found, summary=left))


def test_small_counts_are_counted_and_not_named() -> None:
    # CONVENTION 581
    found = report(table(["T", "k", "l", "m"], [9, 1, 4, 4]))
    (note,) = [note for note in found.notes if note.code == "not_judged"]
    assert note.count == 3
    lines = render_text(found, colour=False, width=200, limit=None).splitlines()
    assert lines[0] == (
        "NOT JUDGED: Neither a rule nor a status says what is sensitive. 3 counts of 1 to 4 are published "
        "(1 of 1, 2 of 4)."
    )
    assert lines[1] == "No rule, and no status."
    assert lines[2].startswith("Next: say what is sensitive: --threshold N")
    sales = report(table(["T", "k", "l", "m"], [9, 1, 4, 4], frequency=[8, 1, 2, 5]), kind="magnitude", unit=1)
    (note,) = [note for note in sales.notes if note.code == "not_judged"]
    assert "2 cells with 1 to 4 contributors are published (1 of 1, 1 of 2)" in note.text
    assert not any(note.code == "not_judged" for note in public_copy(sales).notes), "that is agency knowledge"


def test_nothing_to_protect_is_refused() -> None:
    # CONVENTION 582
    release = release_from_document(document(PLAIN))
    for protect in (lambda: suppress(release), lambda: compare(release, ["heuristic"])):
        with pytest.raises(InputError, match="There is nothing to protect yet: say what is sensitive"):
            protect()


def test_the_rules_that_were_applied() -> None:
    # CONVENTION 583
    found = report(PLAIN, policy={"primary": [{"threshold": 2}, {"attribute": {"given": ["a"]}}], **SAP})
    assert found.rules == ("threshold 2", "attribute (given a, populated 1)", "SAP(1) at most 1")
    assert render_text(found, colour=False, width=200, limit=None).splitlines()[1] == (
        "Rule: threshold 2; attribute (given a, populated 1); SAP(1) at most 1."
    )
    assert report_from_json(report_json(found)).rules == found.rules
    by_status = report(with_status("primary"))
    assert render_text(by_status, colour=False, width=200, limit=None).splitlines()[1] == (
        "No rule: the statuses, roundings and intervals in the file decide what is sensitive."
    )


def test_the_text_comes_in_the_order_of_need() -> None:
    # CONVENTION 589
    released = table(["T", "k", "l", "m"], [13, 3, 4, 6], status=["", "primary", "", ""])
    call = Call(file="r.yaml", rules=("--threshold", "4"))
    lines = render_text(report(released), colour=False, width=200, limit=None, asked=call).splitlines()
    assert lines[0].startswith("UNSAFE: ")
    assert lines[1].startswith("No rule: ")
    assert lines[2] == (
        "Next: find further cells to withhold: tableseal suppress r.yaml --threshold 4 -o r_protected.yaml "
        "--confidential r_kept.json"
    )
    order = ["4 cells: ", "table ", "How exposed cells are computed", "Notes", "Released system: ", "UNSAFE: "]
    at = [max(n for n, line in enumerate(lines) if line.startswith(start)) for start in order]
    assert at == sorted(at)
    assert lines[-1] == lines[0]
    assert "Risk side by side" not in lines
    assert "Risk side by side" in render_text(report(released), colour=False, width=200, limit=None, panel=True)
