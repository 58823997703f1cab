"""Pages on plans: from the files to what may go out, and under a name."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import archive, asked
from fastapi.testclient import TestClient
from paging import BROWSER, identity, log, until_done

from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.api.store.tokens import Role, create_token

REGIONS = ["N1", *["S1"] * 4, *["S2"] * 5, *["S3"] * 6]
RECORDS = "region,sales\n" + "".join(f"{region},{10 + k}\n" for k, region in enumerate(REGIONS))
PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Sales <i>",
    "measures": {"sales": {"kind": "magnitude"}, "firms": {"kind": "count"}},
    "variables": {"region": {"total": "T", "tree": {"North": ["N1", "N2"], "South": ["S1", "S2", "S3"]}}},
    "tables": [
        {"name": "sales", "measure": "sales", "by": ["region@1"]},
        {"name": "firms", "measure": "firms", "by": ["region@1"]},
    ],
    "microdata": {"file": "firms.csv", "values": {"sales": "sales"}},
    "policy": {"primary": [{"threshold": 3}]},
}
SOUTH = {**PLAN, "tables": [{**table, "where": {"region": "South"}, "by": []} for table in PLAN["tables"]]}
"""What gives away what PLAN withholds."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        opened.headers.update(BROWSER)
        yield opened


def bring(client: TestClient, plan: Any = PLAN, records: str | None = RECORDS, **headers: str) -> Any:
    """The page of a plan."""
    files: list[Any] = [("plan", ("my plan.json", json.dumps(plan)))]
    files += [] if records is None else [("files", ("firms.csv", records))]
    return until_done(client, client.post("/plans", files=files, headers=headers))


def make(client: TestClient, plan: str, headers: dict[str, str] | None = None, **fields: str) -> Any:
    """The page of what was made of it."""
    return until_done(client, client.post(f"/plans/{plan}/published", data=fields, headers=headers))


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def links(page: str) -> list[str]:
    return re.findall(r'href="(/(?:v1/)?(?:jobs|publications)/[^"]+)"', page)


def test_from_the_files_to_what_may_go_out(client: TestClient) -> None:
    """CONVENTION 993: with nothing but links and forms of pages."""
    assert "None yet." in client.get("/plans").text
    page = bring(client)
    assert page.status_code == 200
    assert "Sales &lt;i&gt;" in page.text
    assert "Tables: 2. Clusters: 2." in plain(page.text)
    found = make(client, identity(page), time_limit="60")
    assert '<div class="banner safe" role="status">' in found.text
    assert "2 of 2 clusters are safe." in found.text
    assert "threshold 3" in found.text
    assert "to protect other cells" in found.text
    for path in links(found.text):
        if "/erase" not in path:
            assert client.get(path).status_code == 200, path
    reports = [path for path in links(found.text) if "/reports/" in path]
    assert [path.rpartition("/")[2] for path in reports] == ["sales.html", "firms.html"]
    assert "Sales &lt;i&gt;" in client.get(reports[0]).text
    with zipfile.ZipFile(io.BytesIO(client.get(f"/v1/jobs/{identity(found)}/public.zip").content)) as packed:
        assert "public/sales.yaml" in packed.namelist()
    again = make(client, identity(page), method="heuristic")
    assert "heuristic" in again.text, "the files of the plan are still there"
    listed = client.get("/plans").text
    assert f'href="/jobs/{identity(page)}"' in listed
    assert f'href="/jobs/{identity(found)}"' in listed
    assert ("published.submit", identity(found)) in [(e["action"], e["object"]) for e in log(client)]


def test_under_a_name(client: TestClient) -> None:
    """CONVENTION 993, 990: held back while it is not safe beside what is out, and then an entry."""
    out = make(client, identity(bring(client, SOUTH)), publication="Sales 2026")
    assert "it is safe, and out as entry 1" in out.text
    assert client.get("/publications/Sales%202026/entries/1").status_code == 200
    plan = identity(bring(client))
    held = make(client, plan, publication="Sales 2026")
    assert '<div class="banner unsafe" role="status">' in held.text
    assert "nothing goes out, all of it is held back" in held.text
    assert "/public.zip" not in held.text
    assert "/publications/Sales%202026/entries/2" not in held.text
    despite = make(client, plan, publication="Sales 2026", despite="both <b>")
    assert "out all the same, as entry 2" in despite.text
    assert "both &lt;b&gt;" in despite.text
    assert "/public.zip" in despite.text
    assert "Names so far: Sales 2026" in plain(client.get(f"/jobs/{plan}").text)


def test_an_archive_and_a_list_of_tables(client: TestClient) -> None:
    packed = archive(("plan.json", json.dumps(PLAN).encode()), ("firms.csv", RECORDS.encode()))
    page = until_done(client, client.post("/plans", files={"files": ("all.zip", packed)}))
    assert '<div class="banner safe"' in make(client, identity(page)).text
    listed = client.post("/plans", files={"plan": ("list.csv", "table_name,indicator,spanning_1\na,firms,region\n")})
    assert "Tables: 1. Clusters: 1." in plain(listed.text)
    refused = make(client, identity(listed))
    assert "is a list of tables" in refused.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"publication": "../x"}, "expected letters, digits"),
        ({"despite": "x"}, "is for publication"),
        ({"publication": "a", "revises": "x"}, "the number of an entry"),
        ({"time_limit": "soon"}, "expected a number"),
        ({"method": "no"}, "method"),
    ],
)
def test_what_cannot_be_used_is_said_on_the_page_of_the_plan(
    client: TestClient, fields: dict[str, str], said: str
) -> None:
    plan = identity(bring(client))
    page = make(client, plan, **fields)
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    assert said in plain(page.text)
    assert "Sales &lt;i&gt;" in page.text


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({**PLAN, "tabels": []}, "tabels"),
        ({"tableseal": 1}, "tableseal-plan"),
        ({**PLAN, "tables": [{"name": "t", "measure": "no", "by": []}]}, "measure"),
    ],
)
def test_a_plan_that_cannot_be_used_is_said_above_the_form(client: TestClient, plan: Any, said: str) -> None:
    page = bring(client, plan)
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    assert said in page.text
    nothing = client.post("/plans", data={"x": "y"}, files={"z": ("", "")})
    assert 'role="alert"' in nothing.text


def test_a_file_that_is_missing_is_an_entry_of_its_cluster(client: TestClient) -> None:
    found = make(client, identity(bring(client, PLAN, None)))
    assert '<div class="banner undecided" role="status">' in found.text
    assert "0 of 2 clusters are safe." in found.text
    assert "firms.csv" in plain(found.text)


def test_how_far_it_is_cluster_by_cluster(tmp_path: Path) -> None:
    """CONVENTION 993"""
    with asked(tmp_path, worker=False) as client:
        client.headers.update(BROWSER)
        plan = identity(client.post("/plans", files=[("plan", ("p.json", json.dumps(PLAN)))]))
        page = client.post(f"/plans/{plan}/published", data={})
        assert [plain(one).strip() for one in re.findall(r"<li>(.*?</span>)</li>", page.text)] == [
            "sales: waits",
            "firms: waits",
        ]
        assert "data-clusters" in page.text


def test_in_french(client: TestClient) -> None:
    plan = identity(bring(client))
    made = identity(make(client, plan))
    for path, said in (
        ("/plans", "Nouveau plan"),
        (f"/jobs/{plan}", "Tout rendre sûr"),
        (f"/jobs/{made}", "sont sûrs"),
    ):
        assert said in client.get(path, headers={"Accept-Language": "fr"}).text
    under = identity(make(client, plan, publication="français"))
    page = client.get(f"/jobs/{under}", headers={"Accept-Language": "fr"}).text
    assert "elle est sûre, et parue comme entrée 1" in page


def test_owners_roles_and_other_sites(tmp_path: Path) -> None:
    """CONVENTION 990, 932: what is another owner's is answered as what never was."""
    store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    migrate(store)
    people = {"officer": ("anna", Role.OFFICER), "analyst": ("anna", Role.ANALYST), "reader": ("anna", Role.READER)}
    with store.writing() as connection:
        keys = {
            name: {"Authorization": f"Bearer {create_token(connection, owner, role)}"}
            for name, (owner, role) in {**people, "other": ("bert", Role.OFFICER)}.items()
        }
    store.close()
    with asked(tmp_path, access="keys") as client:
        client.headers.update(BROWSER)
        assert client.get("/plans").status_code == 401
        foreign = {**keys["officer"], "Origin": "http://evil.example"}
        for who in (keys["reader"], foreign):
            assert bring(client, **who).status_code == 403
        client.headers.update(keys["analyst"])
        page = bring(client)
        assert 'name="publication"' not in page.text
        plan = identity(page)
        for who, status in ((keys["reader"], 403), (keys["other"], 404), (foreign, 403)):
            assert make(client, plan, who).status_code == status
        assert make(client, plan, publication="p").status_code == 403
        made = make(client, plan)
        assert made.status_code == 200
        officer = make(client, plan, keys["officer"], publication="p")
        assert "out as entry 1" in officer.text
        never = "0" * 32
        for path in (f"/jobs/{plan}", f"/jobs/{identity(made)}", f"/v1/jobs/{identity(made)}/reports/sales.html"):
            assert client.get(path, headers=keys["reader"]).status_code == 200
            gone = re.sub("[0-9a-f]{32}", never, path)
            one, another = (client.get(at, headers=keys["other"]) for at in (path, gone))
            assert (one.status_code, one.text.replace(path, gone)) == (404, another.text)
        assert "Sales" not in client.get("/plans", headers=keys["other"]).text
