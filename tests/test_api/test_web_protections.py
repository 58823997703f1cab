"""Pages for methods that change values, and for attacks on what they leave."""

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from html import unescape
from typing import Any

import pytest
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, until_done

from tableseal.api.http.measures import CHANGED
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.options.attack import MEANINGS
from tableseal.suppression.protections.methods import METHODS
from tableseal.suppression.protections.names import NEEDS, TAKES, WORDS


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("pages")) as opened:
        opened.headers.update(BROWSER)
        yield opened


def bring(client: TestClient, release: dict[str, Any]) -> str:
    sent = {"files": ("release.json", json.dumps(release))}
    return str(until_done(client, client.post("/releases", files=sent)).url.path)


OPEN = {**UNPROTECTED, "policy": {"primary": [{"threshold": 3}]}}


@pytest.mark.parametrize("name", METHODS)
def test_forms_know_the_settings_of_their_method(client: TestClient, name: str) -> None:
    """CONVENTION 884: what is said of them without loading the methods is what the methods have."""
    said = {one.name: one.default is MISSING for one in fields(METHODS[name].settings)}
    assert {s for s, needed in said.items() if needed} == set(NEEDS.get(name, ()))
    assert {s for s, needed in said.items() if not needed} == set(TAKES.get(name, ()))
    page = client.get(f"{bring(client, OPEN)}/protections?method={name}").text
    asked_for = set(re.findall(r'(?:input|select|textarea) [^>]*name="([^"]*)"', page))
    assert {option.removeprefix("no_") for option in asked_for} == {"method", "seed", "time_limit", "symbol", *said}
    assert page.count(" required>") == len(NEEDS.get(name, ()))
    assert unescape(page).count(WORDS[name][1:]) >= 2


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        ({"method": "controlled-rounding"}, "base", "controlled-rounding needs it"),
        ({"method": "controlled-rounding", "base": "many"}, "base", "expected a number"),
        ({"method": "controlled-rounding", "base": "0"}, "base", "base"),
        ({"method": "controlled-rounding", "base": "3", "seed": "-1"}, "seed", "at least 0"),
        ({"method": "cell-key", "range": "x", "variance": "2"}, "range", "a whole number"),
        ({"method": "noise", "share": "0.2", "least": "0.1", "shape": "round"}, "shape", "shape"),
    ],
)
def test_what_is_wrong_stands_at_its_field(client: TestClient, form: dict[str, str], field: str, words: str) -> None:
    # CONVENTION 884
    ready = bring(client, OPEN)
    answer = client.post(f"{ready}/protections", data=form)
    assert answer.status_code == 422
    wrong = re.search(rf'id="protect-{field}-error">([^<]*)<', answer.text)
    assert wrong is not None
    assert words in unescape(wrong[1])
    assert re.search(rf'id="protect-{field}"[^>]*aria-invalid="true"', answer.text)
    assert answer.text.count("aria-invalid") == 1
    for name, value in form.items():  # nothing has to be filled in again
        assert name == "method" or re.search(rf'name="{name}"[^>]*(value="{value}"|>)', answer.text)


def test_a_protection_from_the_form_to_the_map_and_to_an_attack(client: TestClient) -> None:
    """CONVENTION 885: statement, changes, audit, risk and utility, what is released; then the map, and attacks."""
    ready = bring(client, OPEN)
    form = {"method": "random-rounding", "base": "5", "seed": "7"}
    page = until_done(client, client.post(f"{ready}/protections", data=form))
    text = unescape(re.sub(r"<[^>]+>", "", page.text))
    answer = client.get(f"/v1{page.url.path}/result", headers={"Accept": "application/json"}).json()
    assert "random-rounding (base 5): each cell up or down at random, without bias; seed 7" in text
    changed = answer["measures"][0]
    assert f"{changed['measure']}{changed['cells']}{changed['changed']}{changed['withheld']}" in text
    assert f"{answer['tables'][0]['risk_after']:.4g}" in text
    assert 'id="map"' in page.text
    assert answer["verdict"] == "safe"
    released = client.get(f"{page.url.path}/files/protected.json").json()
    assert released["tables"][0]["cells"]["value"]

    compare = re.search(r'name="changing" value="([^"]*)"', page.text)
    assert compare is not None
    asked_for = {"method": "heuristic", "changing": unescape(compare[1]), "time_limit": "60"}
    beside = until_done(client, client.post(f"{ready}/comparisons", data=asked_for))
    assert "random-rounding:base=5" in beside.text
    assert "Risk and utility" in beside.text

    attacked = until_done(client, client.post(f"{page.url.path}/attacks"))
    found = client.get(f"/v1{attacked.url.path}/result", headers={"Accept": "application/json"}).json()
    assert [one["attack"] for one in found["attacks"]] == list(MEANINGS)
    for one in found["attacks"]:
        assert one["example"] is None or one["example"] in unescape(attacked.text)
    guessed = found["as_published"]["all"]
    assert f"as published{guessed['exact']} of {guessed['counts']}" in unescape(re.sub(r"<[^>]+>", "", attacked.text))
    assert ready.rpartition("/")[2] in attacked.text, "the way back"


def test_attacks_are_asked_for_in_a_form(client: TestClient) -> None:
    # CONVENTION 885
    ready = bring(client, CHANGED)
    page = client.get(f"{ready}/attacks").text
    assert page.count('name="attacks"') == len(MEANINGS)
    done = until_done(client, client.post(f"{ready}/attacks", data={"attacks": "sums", "no_curve": "on"}))
    found = client.get(f"/v1{done.url.path}/result", headers={"Accept": "application/json"}).json()
    assert [(one["attack"], one["curve"]) for one in found["attacks"]] == [("sums", None)]
    wrong = client.post(f"{ready}/attacks", data={"attacks": "sums", "tolerate": "2"})
    assert wrong.status_code == 422
    assert re.search(r'id="attack-tolerate-error">[^<]*a share from 0 to 1', wrong.text)
    assert wrong.text.count(" checked") == 1
    unchanged = client.post(f"{bring(client, OPEN)}/attacks", data={})
    assert unchanged.status_code == 422
    assert 'role="alert"' in unchanged.text


def test_what_is_not_safe_is_not_attacked_and_not_downloaded(client: TestClient) -> None:
    # CONVENTION 885
    ready = bring(client, UNPROTECTED)
    page = until_done(client, client.post(f"{ready}/protections", data={"method": "random-rounding", "base": "3"}))
    assert "protected.zip" not in page.text
    assert "/attacks" not in page.text
    assert client.post(f"{page.url.path}/attacks").status_code == 409
