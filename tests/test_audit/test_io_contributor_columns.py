"""Bare files with columns about contributors: used if clear, refused if not, never passed over."""

from fractions import Fraction
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, write_document
from tableseal.audit.io.contributor_columns import counts_contributors, rank_of
from tableseal.audit.model import Policy
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import PQ, Dominance, Threshold
from tableseal.suppression.suppress import suppress

TURNOVER = "region,turnover,companies,largest\nN,600,20,150\nS,310,2,300\nTotal,910,22,300\n"


def put(folder: Path, text: str) -> Path:
    path = folder / "x.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("largest", 1),
        ("second", 2),
        ("Second largest", 2),
        ("max1", 1),
        ("max_2", 2),
        ("top 3", 3),
        ("largest_contribution", 1),
        ("second_contributor", 2),
        ("contributor_2", 2),
        ("zweitgrößte", 2),
        ("turnover", None),
        ("largest_second_third", None),
        ("value", None),
        ("firm", None),
        ("max_temperature", None),
    ],
)
def test_ranks_by_name(name: str, rank: int | None) -> None:
    # CONVENTION 659
    assert rank_of(name) == rank


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("companies", True),
        ("n", True),
        ("N_firms", True),
        ("number of enterprises", True),
        ("freq", True),
        ("n_obs", True),
        ("number", False),
        ("turnover", False),
        ("company", False),
        ("companies_turnover", False),
    ],
)
def test_numbers_of_contributors_by_name(name: str, counts: bool) -> None:
    # CONVENTION 659
    assert counts_contributors(name) is counts


def test_they_are_used_where_they_are_clear(tmp_path: Path) -> None:
    # CONVENTION 659
    document, notes = infer_document(put(tmp_path, TURNOVER))
    (table,) = document["tables"]
    assert (document["kind"], table["frequency"], table["contributors"]) == ("magnitude", "companies", ["largest"])
    assert "assumed_contributors" in [note.code for note in notes]
    (tmp_path / "r.yaml").write_text(write_document(document, notes))
    for rule in (Threshold(3), Dominance(1, Fraction(85))):
        for name in ("x.csv", "r.yaml"):
            release = read_release(tmp_path / name, policy=Policy(primary=(rule,)))
            report = audit(release).report
            assert [dict(cell.cell) for cell in report.cells] == [{"region": "S"}]
            assert report.verdict == "unsafe"
            assert suppress(release).found.cost == 600


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("region,revenue,companies,largest\nN,600,20,150\nS,310,2,300\nTotal,910,22,300\n", "revenue"),
        ("region,revenue,n,max1,max2\nN,600,20,150,9\nS,310,2,300,10\nTotal,910,22,300,150\n", "revenue"),
        ("region,n\nN,20\nS,2\nTotal,22\n", "n"),
        ("region,companies\nN,20\nS,2\nTotal,22\n", "companies"),
    ],
)
def test_the_values_are_in_the_column_that_says_nothing_of_contributors(tmp_path: Path, text: str, value: str) -> None:
    # CONVENTION 659
    document, _ = infer_document(put(tmp_path, text))
    assert document["tables"][0]["value"] == value
    assert (document["kind"] == "magnitude") is (value == "revenue")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,turnover,companies\nN,600,20\nS,310,2\nTotal,910,23\n", "companies"),
        ("a,turnover,companies\nN,600,20.5\nS,310,2\nTotal,910,22.5\n", "companies"),
        ("a,turnover,companies,firms\nN,600,20,5\nS,310,2,4\nTotal,910,22,9\n", "companies, firms"),
        ("a,turnover,largest\nN,600,700\nS,310,2\nTotal,910,700\n", "largest"),
        ("a,turnover,second\nN,600,70\nS,310,2\nTotal,910,70\n", "second"),
        ("a,turnover,largest,second\nN,600,70,80\nS,310,2,1\nTotal,910,70,60\n", "largest, second"),
        ("a,turnover,largest,top1\nN,600,70,60\nS,310,2,1\nTotal,910,70,60\n", "largest, top1"),
        ("a,turnover,largest\nN,600,*\nS,310,2\nTotal,910,70\n", "largest"),
        ("a,turnover,companies\nN,600,*\nS,310,2\nTotal,910,70\n", "companies"),
    ],
)
def test_they_are_refused_where_they_are_not(tmp_path: Path, text: str, names: str) -> None:
    # CONVENTION 659
    with pytest.raises(InputError, match=r"by name, and .* not bear that out") as refused:
        read_release(put(tmp_path, text), policy=Policy(primary=(Threshold(3),)))
    assert names in str(refused.value)
    assert not any(digit in str(refused.value).replace("top1", "") for digit in "123456789"), "entries are not shown"


def test_rules_of_contributions_make_values_magnitudes(tmp_path: Path) -> None:
    # CONVENTION 659
    path = put(tmp_path, "region,turnover\nN,600\nS,310\nTotal,910\n")
    release = read_release(path, policy=Policy(primary=(PQ(10), Threshold(3))))  # type: ignore[arg-type]
    assert [measure.kind for measure in release.measures.values()] == ["magnitude"]
    with pytest.raises(InputError, match="2 largest contributions"):
        audit(release)
    (tmp_path / "p.yaml").write_text("primary: [{p_percent: 10}]")
    assert [m.kind for m in read_release(path, policy=tmp_path / "p.yaml").measures.values()] == ["magnitude"]
    assert [m.kind for m in read_release(path).measures.values()] == ["count"]


@given(
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=6), min_size=2, max_size=4),
    st.sampled_from(["companies", "n_firms", "n", "Respondents"]),
    st.sampled_from([("largest", "second"), ("max1", "max2"), ("top_1", "top_2")]),
)
def test_a_bare_file_is_judged_as_the_release_that_names_its_columns(
    firms: list[list[int]], frequency: str, ranks: tuple[str, str]
) -> None:
    # CONVENTION 659
    groups = {f"c{k}": sorted(each, reverse=True) for k, each in enumerate(firms)}
    groups["Total"] = sorted(chain.from_iterable(firms), reverse=True)
    rows = [f"{c},{sum(each)},{len(each)},{each[0]},{each[1] if len(each) > 1 else ''}" for c, each in groups.items()]
    policy = Policy(primary=(Threshold(3), PQ(Fraction(10)), Dominance(1, Fraction(85))))
    with TemporaryDirectory() as name:
        folder, listed = Path(name), ", ".join(ranks)
        bare = put(folder, "\n".join([f"a,turnover,{frequency},{','.join(ranks)}", *rows, ""]))
        (folder / "r.yaml").write_text(
            "tableseal: 1\nkind: magnitude\nunit: 1\n"
            f"variables: {{a: {{total: Total, codes: [{', '.join(list(groups)[:-1])}]}}}}\n"
            f"tables: [{{name: x, file: x.csv, value: turnover, frequency: {frequency}, contributors: [{listed}]}}]\n"
        )
        found = audit(read_release(bare, policy=policy)).report
        said = audit(read_release(folder / "r.yaml", policy=policy)).report
    assert (found.verdict, found.cells) == (said.verdict, said.cells)


@pytest.mark.parametrize(
    ("scale", "entries", "word"),
    [
        ("kind: count", "value: turnover", "safe as listed"),
        ("kind: count", "value: turnover, frequency: companies", "unsafe"),
        ("measures: {m: {kind: count}, f: {kind: count}}", "value: turnover, measure: m", "safe as listed"),
    ],
)
def test_in_a_release_file_they_are_not_passed_over(tmp_path: Path, scale: str, entries: str, word: str) -> None:
    # CONVENTION 659
    put(tmp_path, TURNOVER)
    (tmp_path / "r.yaml").write_text(
        f"tableseal: 1\n{scale}\nvariables: {{region: {{total: Total, codes: [N, S]}}}}\n"
        f"tables: [{{name: x, file: x.csv, {entries}}}]\n"
    )
    report = audit(read_release(tmp_path / "r.yaml", policy=Policy(primary=(Threshold(3),)))).report
    assert report.called == word
