"""Sums and means of a measure, asked of a hypercube: by the command, from Python, by the service and on the page."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars
import pytest
from asking import asked
from commands import run
from databases import KEYS
from fastapi.testclient import TestClient
from paging import BROWSER
from towns import MEASURES, POLICY, built

import tableseal as ts
from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.api.generating.memories import Memories
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.ask import request_of
from tableseal.suppression.generator.memory.memory import Memory

VERSION = {"tableseal-request": 1}
BY_SEX = {**VERSION, "by": ["sex", "age@1"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("cubes")
    built(found, policy=MEASURES, income=True)
    built(found, "counts", income=True)
    return found


@pytest.fixture(scope="module")
def client(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False, hypercubes=folder) as opened:
        yield opened


def opened(folder: Path, name: str = "town") -> Counter:
    return opened_counter(folder / f"{name}.cube", folder / f"{name}.yaml", folder / f"{name}.secret")


def post(client: TestClient, request: dict[str, Any], name: str = "town", **more: Any) -> Any:
    return client.post("/v1/tables", json={"hypercube": name, "request": {**VERSION, **request}}, **more)


def test_means_are_published_sums_over_published_counts(client: TestClient, folder: Path) -> None:
    """CONVENTION 1114. The same sums and counts as when these are asked for."""
    mean, total, count = (
        post(client, {**BY_SEX, **what}).json() for what in ({"mean": "income"}, {"measure": "income"}, {})
    )
    assert (mean["outcome"], mean["statistic"]) == ("answered", "mean")
    sums, counts = mean["answer"]["values"], mean["whole"]["values"]
    assert sums == total["answer"]["values"]
    assert counts == count["answer"]["values"]
    assert mean["means"] == pytest.approx([s / n for s, n in zip(sums, counts, strict=True)])
    assert (mean["answer"]["measure"], mean["answer"]["unit"]) == ("income", 0.1)
    assert mean["answer"]["figures"] == {"within": pytest.approx(0.65)}
    assert mean["shares"] == []
    true = opened(folder).judged(request_of({**BY_SEX, "measure": "income"}, opened(folder).cells), None).answer
    assert true.answer is not None
    assert true.answer.figures.utility is not None
    assert 0.5 < true.answer.figures.utility < 1


def test_as_files_they_are_what_the_answer_says(client: TestClient) -> None:
    """CONVENTION 1114. Sums as decimals of the unit; in Parquet as floats."""
    told = post(client, {**BY_SEX, "mean": "income"}).json()
    lines = post(client, {**BY_SEX, "mean": "income"}, params={"format": "csv"}).text.splitlines()
    assert lines[0] == "sex,age,value,count,mean"
    rows = [line.split(",") for line in lines[1:]]
    assert [Fraction(row[2]) for row in rows] == [Fraction(str(value)) for value in told["answer"]["values"]]
    assert [int(row[3]) for row in rows] == told["whole"]["values"]
    frame = polars.read_parquet(
        BytesIO(post(client, {**BY_SEX, "mean": "income"}, params={"format": "parquet"}).content)
    )
    assert frame["value"].to_list() == pytest.approx(told["answer"]["values"])
    first = json.loads(post(client, {**BY_SEX, "measure": "income"}, params={"format": "jsonl"}).text.splitlines()[0])
    assert first["value"] == told["answer"]["values"][0]


def test_sums_of_few_are_refused_with_the_rule(client: TestClient) -> None:
    """CONVENTION 1111. And so are sums where the policy gives none, or contributions are not kept."""
    refused = post(client, {"by": ["job", "age"], "measure": "income"}).json()
    assert refused["refusal"]["reason"] == "held"
    assert [one["rule"] for one in refused["refusal"]["held"]] == ["contributions"]
    assert "found" not in refused["refusal"]["held"][0]
    assert refused["refusal"]["nearest"]
    assert post(client, {"by": ["sex"], "mean": "income"}, "counts").json()["refusal"]["reason"] == "measure"


def test_answers_of_a_measure_are_kept_and_remembered(folder: Path, client: TestClient) -> None:
    """CONVENTION 1112. In the database, in order with counts; a mean is both."""
    counter = opened(folder)
    memory: Memory | None = Memory.empty(counter.ground) if counter.ground else None
    outcomes = []
    for k in range(8):
        for who in ({"sex": "F"}, {"sex": "M"}, {}):
            document = {**VERSION, "by": ["district"], "where": {**who, "age": f"0-{k}"}, "measure": "income"}
            told = counter.judged(request_of(document, counter.cells), memory)
            memory = told.memory
            outcomes.append(told.answer.outcome)
    assert memory is not None
    known = memory.known["income"]
    assert not counter.ground.contributors["income"].beyond(known).any()  # type: ignore[union-attr]
    assert len(memory.answers) == outcomes.count("answered") > 0


def test_the_command_and_python_say_sums_and_means(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 1114."""
    monkeypatch.chdir(tmp_path)
    policy, secret = str(folder / "town.yaml"), str(folder / "town.secret")
    found = run(
        "tables", folder / "town.cube", "--by", "sex", "--mean", "income", "-p", policy, "--secret-file", secret
    )
    assert found.exit_code == 0, found.output
    assert "No sum differs by more than 0.65 times its largest contribution." in found.output
    assert " / " in found.output
    told = ts.tables(folder / "town.cube", by="sex", mean="income", policy=policy, secret_file=secret)
    frame = told.to_frame("polars")
    assert frame.columns == ["sex", "value", "count", "mean"]
    assert frame["mean"].to_list() == pytest.approx((frame["value"] / frame["count"]).to_list())


def test_answers_stay_with_who_holds_them_when_the_policy_changes(folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1119. Counts that were given before there were sums, and sums before there were other rules."""
    store = Store(f"sqlite:///{tmp_path / 'x.db'}", KEYS)
    migrate(store)
    memories = Memories(store)
    without = {key: value for key, value in MEASURES.items() if key != "measures"}
    stricter = {**MEASURES, "measures": {**MEASURES["measures"], "error": 0.5}, "threshold": 4}
    requests = BY_SEX, {**BY_SEX, "mean": "income"}, {**VERSION, "by": ["sex"]}
    outcomes, held = [], []
    for policy, request in zip((without, MEASURES, stricter), requests, strict=True):
        (tmp_path / "policy.yaml").write_text(json.dumps(policy), "utf-8")
        counter = opened_counter(folder / "town.cube", tmp_path / "policy.yaml", folder / "town.secret")
        outcomes.append(memories.told(counter, request_of(request, counter.cells), "user a", "a").outcome)
        now = memories.held(counter, "user a")
        assert now.ground is counter.ground
        held.append(len(now.answers))
    store.close()
    assert outcomes == ["answered"] * 3
    assert held == [1, 2, 3]


def test_rules_that_look_at_more_than_is_kept_are_refused(folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1111."""
    for rule, expected in (
        ({"dominance": {"n": 5, "k": 90}}, "--largest 5"),
        ({"threshold": 3}, "expected dominance, p_percent or pq"),
        ({"p_percent": 10, "level": "unit"}, "not their units"),
    ):
        policy = {**MEASURES, "measures": {**MEASURES["measures"], "rules": [rule]}}
        (tmp_path / "policy.yaml").write_text(json.dumps(policy), "utf-8")
        with pytest.raises(InputError, match=expected):
            opened_counter(folder / "town.cube", tmp_path / "policy.yaml", folder / "town.secret")
    assert "measures" not in POLICY


def test_the_page_offers_sums_and_means(client: TestClient) -> None:
    """CONVENTION 1105 and 1114."""
    form = {"level-1": "1", "statistic": "mean", "measure": "income"}
    page = client.post("/tables/town", data=form, headers=BROWSER)
    assert page.status_code == 200, page.text
    assert "mean: income" in page.text
    assert "0.65" in page.text
    assert 'value="mean" checked' in page.text
    page = client.post("/tables/town", data={**form, "statistic": "sum"}, headers=BROWSER)
    assert "measure: income" in page.text
    got = client.get("/tables/town", params={**form, "statistic": "sum"}, headers=BROWSER)
    assert 'value="sum" checked' in got.text


def test_texts_are_in_the_language_that_is_asked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 1118. Of the hypercube, of an answer and of a refusal."""
    monkeypatch.chdir(tmp_path)
    shown = run("hypercube", "show", folder / "town.cube", "--lang", "fr").output
    assert "Town : 600 unités" in shown
    assert "district (lieux) : 1 (2), 2 (6)" in shown
    assert "mesures : income (unité 1/10)" in shown
    keys = ("-p", folder / "town.yaml", "--secret-file", folder / "town.secret", "--lang", "fr")
    given = run("tables", folder / "town.cube", "--by", "sex", "--mean", "income", *keys).output
    assert "RÉPONSE : 2 cases." in given
    assert "Aucune somme ne s'écarte de plus de 0,65 fois sa plus grande contribution." in given
    refused = run("tables", folder / "town.cube", "--by", "sex,age,job,district", *keys).output
    assert refused.startswith("REFUS : La demande dépasse ce que la politique permet.")
    assert "REFUSED" not in refused


def test_officers_see_what_sums_say_of_single_contributions(client: TestClient) -> None:
    """CONVENTION 1123: beside what the policy allows."""
    post(client, {**BY_SEX, "measure": "income"})
    page = client.get("/tables/town/held", headers=BROWSER).text
    audience = unquote(re.findall(r"audience=([^\"]*)\"", page)[0])
    cell = {f"code-{k}": code for k, code in enumerate(["D1", "F", "0", "a"])}
    text = client.get("/tables/town/held", params={"audience": audience, **cell}, headers=BROWSER).text
    held = " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())
    assert "What all sums together say of single contributions" in held
    assert "income the largest here" in held
