"""Tables that users make themselves: by the command, by the service, by several servers, and after a restart."""

import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from asking import asked
from commands import run
from databases import BACKENDS, KEYS, new_database
from fastapi.testclient import TestClient
from towns import POLICY, built

from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.memories import Memories, audience_in_service, audience_of, is_of
from tableseal.api.generating.written import table_written
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.ask import request_of
from tableseal.suppression.generator.memory.kept import kept_of, remembered_of

VERSION = {"tableseal-request": 1}

REQUESTS: list[dict[str, Any]] = [
    {**VERSION, "by": list(names), "where": where}
    for number in (1, 2, 3)
    for names in combinations(["district", "sex", "age", "job"], number)
    for where in ({}, {"district": "North"}, {"age": ["0", "5"]})
    if not set(names) & set(where)
]
"""Mixed requests; some are refused by the rules, later ones by the memory."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("cubes")
    built(found)
    return found


def counter_in(folder: Path, name: str = "town") -> Counter:
    return opened_counter(folder / f"{name}.cube", folder / f"{name}.yaml", folder / f"{name}.secret")


@pytest.fixture(scope="module")
def counter(folder: Path) -> Counter:
    return counter_in(folder)


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with new_database(request.param, tmp_path) as url:
        opened = Store(url, KEYS)
        migrate(opened)
        yield opened
        opened.close()


def tell(memories: Memories, counter: Counter, request: dict[str, Any], audience: str = "user a") -> TableAnswer:
    return memories.told(counter, request_of(request, counter.cells), audience, "a")


def values(told: TableAnswer) -> tuple[int, ...] | None:
    return None if told.answer is None else told.answer.values


def test_a_memory_outlives_the_process(store: Store, counter: Counter) -> None:
    """CONVENTION 1100. What is answered after a restart is what would have been answered without."""
    steady = Memories(store)
    always = [values(tell(steady, counter, request)) for request in REQUESTS]
    assert None in always
    assert sum(one is not None for one in always) > 5
    again = [values(tell(Memories(store), counter, request, "user b")) for request in REQUESTS]
    assert again == always


def test_two_servers_answer_as_one(store: Store, counter: Counter) -> None:
    """CONVENTION 1100. Whichever server is asked, all that was answered is known to it."""
    alone, pair = Memories(store), (Memories(store), Memories(store))
    draw = random.Random(3)
    for request in REQUESTS:
        one = tell(alone, counter, request, "user alone")
        other = tell(draw.choice(pair), counter, request, "user both")
        assert values(one) == values(other)


def test_servers_at_the_same_moment_forget_nothing(store: Store, counter: Counter) -> None:
    """CONVENTION 1100. What was given to an audience is in its memory, whoever gave it, and nothing stands twice."""
    pair = (Memories(store), Memories(store))
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda k: tell(pair[k % 2], counter, REQUESTS[k]), range(12)))
    given = sum(one.answer is not None for one in told)
    assert len(Memories(store).held(counter, "user a").answers) == given > 0


def test_the_same_cell_has_the_same_value(store: Store, counter: Counter) -> None:
    """CONVENTION 1101. For everybody, whatever was asked before."""
    memories = Memories(store)
    found: dict[tuple[Any, ...], set[int]] = {}
    draw = random.Random(5)
    for audience in ("user a", "user b", "public"):
        for request in draw.sample(REQUESTS, len(REQUESTS)):
            told = tell(memories, counter, request, audience)
            if told.answer is not None:
                key = (str(request["by"]), str(request["where"]), told.answer.codes)
                found.setdefault(key, set()).add(hash(told.answer.values))
    assert all(len(one) == 1 for one in found.values())
    assert len(found) > 5


def test_a_repeated_request_is_no_new_answer(store: Store, counter: Counter) -> None:
    """CONVENTION 1101."""
    memories = Memories(store)
    first = tell(memories, counter, REQUESTS[0])
    assert values(tell(memories, counter, REQUESTS[0])) == values(first) is not None
    assert len(memories.held(counter, "user a").answers) == 1


def test_kept_answers_come_back(store: Store, counter: Counter) -> None:
    memories = Memories(store)
    for request in REQUESTS[:6]:
        tell(memories, counter, request)
    variables = counter.generator.variables
    for answer in memories.held(counter, "user a").answers:
        content = kept_of(answer, variables)
        assert kept_of(remembered_of(content, variables), variables) == content
        for wrong in (content[:-3], b"", b"nothing", content[::-1]):
            with pytest.raises(InputError, match="damaged"):
                remembered_of(wrong, variables)


@pytest.mark.parametrize(
    ("scope", "group", "name"), [("user", "g", "user u"), ("group", "g", "group g"), ("public", "g", "public")]
)
def test_who_holds_answers_together(scope: Any, group: str, name: str) -> None:
    assert audience_of(scope, "u", group) == name
    assert audience_of("group", "u", None) == "user u"


def test_audiences_of_owners_are_apart(store: Store, counter: Counter) -> None:
    """CONVENTION 1107. Whatever owners and users are called, and however long."""
    who = [("a", "b c"), ("a b", "c"), ("a%20b", "c"), ("a/b", "c"), ("x" * 200, "y" * 200)]
    names = [audience_in_service("user", *one) for one in who]
    assert len(set(names)) == len(names)
    for name, (owner, _) in zip(names, who, strict=True):
        assert [is_of(name, other) for other, _ in who].count(True) == 1
        assert is_of(name, owner)
        assert is_of(audience_in_service("group", owner, "z"), owner)
        assert tell(Memories(store), counter, REQUESTS[0], name).answer is not None


def test_areas_that_a_whole_leaves_out_have_no_share(tmp_path: Path) -> None:
    """CONVENTION 1102."""
    rules = {"population": {"table": 50, "area": 60}}
    built(tmp_path, policy={**POLICY, "rules": rules, "memory": False})
    counter = counter_in(tmp_path)
    request = {**VERSION, "by": ["district"], "share": {"age": ["0-3"]}}
    told = counter.judged(request_of(request, counter.cells), None).answer
    assert told.answer is not None
    assert told.whole is not None
    assert told.whole.left_out
    (codes,), (whole,) = told.answer.codes, told.whole.codes
    assert set(codes) < set(whole) < {f"D{k}" for k in range(6)}
    published = dict(zip(whole, told.whole.values, strict=True))
    assert told.shares == tuple(n / published[code] for code, n in zip(codes, told.answer.values, strict=True))


def test_no_code_becomes_a_formula(counter: Counter) -> None:
    """CONVENTION 1106. Groups have the names that users give them."""
    groups = {"=1+1": ["0", "1"], "old": ["4-7"]}
    request = request_of({**VERSION, "by": [{"age": {"groups": groups}}]}, counter.cells)
    rows = str(table_written(counter.judged(request, None).answer, "t.csv")).splitlines()
    assert [row.partition(",")[0] for row in rows] == ["age", "'=1+1", "old"]


def test_shares_are_of_published_counts(store: Store, counter: Counter) -> None:
    """CONVENTION 1102. A share is a published count over a published count, and nothing else."""
    told = tell(Memories(store), counter, {**VERSION, "by": ["sex", "district@1"], "share": {"age": "young"}})
    assert told.answer is not None
    assert told.whole is not None
    pairs = zip(told.answer.values, told.whole.values, strict=True)
    assert told.shares == tuple(part / whole if whole else None for part, whole in pairs)


# --- the command -----------------------------------------------------------------------------------------------------


def ask(folder: Path, data: Path, *more: str) -> Any:
    files = ("--policy", str(folder / "town.yaml"), "--secret-file", str(folder / "town.secret"))
    return run("tables", str(folder / "town.cube"), *files, "--data", str(data), *more)


def test_the_command_gives_a_table(folder: Path, tmp_path: Path) -> None:
    files = ("-o", str(tmp_path / "t.csv"), "--json", str(tmp_path / "t.json"))
    found = ask(folder, tmp_path, "--by", "district,sex", *files)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("ANSWERED: 12 cells.")
    rows = (tmp_path / "t.csv").read_text("utf-8").splitlines()
    assert rows[0] == "district,sex,value"
    assert len(rows) == 13
    document = json.loads((tmp_path / "t.json").read_text("utf-8"))
    assert [int(row.rpartition(",")[2]) for row in rows[1:]] == document["answer"]["values"]
    assert document["answer"]["figures"]["risk_before"] is not None


def test_users_are_told_nothing_made_of_true_counts(folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1103. Neither risk nor utility of true counts, nor by how much a rule blocks what a table holds."""
    public = ("--public", "--json", str(tmp_path / "t.json"))
    assert ask(folder, tmp_path, "--by", "district,sex", *public).exit_code == 0
    figures = json.loads((tmp_path / "t.json").read_text("utf-8"))["answer"]["figures"]
    assert {name for name, value in figures.items() if value is not None} == {"expected_utility"}
    rare = ask(folder, tmp_path, "--by", "sex", "--where", "job=d", *public)
    assert rare.exit_code == 1
    (held,) = json.loads((tmp_path / "t.json").read_text("utf-8"))["refusal"]["held"]
    assert (held["rule"], held.get("found"), held["allowed"]) == ("population", None, 20)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "say what is asked"),
        (("--by", "distrikt"), 'did you mean "district"'),
        (("--by", "district@9"), "a level of district"),
        (("--by", "sex,sex"), "stands twice"),
        (("--by", "sex", "--where", "age=99"), "99"),
        (("nothing.yaml",), "nothing.yaml"),
        (("--by", "sex", "-o", "nowhere/x.csv"), "there is no folder"),
    ],
)
def test_requests_that_cannot_be_understood(folder: Path, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    found = ask(folder, tmp_path, *more)
    assert (found.exit_code, said in found.output) == (2, True), found.output


def test_what_a_generator_needs(folder: Path, tmp_path: Path) -> None:
    found = run("tables", str(folder / "town.cube"), "--by", "sex", "--data", str(tmp_path))
    assert (found.exit_code, "--policy" in found.output) == (2, True)
    (tmp_path / "short.txt").write_text("short", "utf-8")
    found = ask(folder, tmp_path, "--by", "sex", "--secret-file", str(tmp_path / "short.txt"))
    assert (found.exit_code, "16 characters" in found.output) == (2, True)


# --- the service -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    cubes = tmp_path_factory.mktemp("served")
    built(cubes)
    built(cubes, "open", {**POLICY, "memory": False})
    with asked(tmp_path_factory.mktemp("service"), worker=False, hypercubes=cubes) as opened:
        yield opened


def post(client: TestClient, request: dict[str, Any], name: str = "town", **more: Any) -> Any:
    return client.post("/v1/tables", json={"hypercube": name, "request": request}, **more)


def test_hypercubes_are_listed(client: TestClient) -> None:
    found = client.get("/v1/hypercubes").json()
    assert [one["name"] for one in found] == ["open", "town"]
    district = client.get("/v1/hypercubes/town").json()["variables"][0]
    assert district == {
        "name": "district",
        "areas": True,
        "levels": [{"name": "1", "codes": 2}, {"name": "2", "codes": 6}],
    }
    codes = client.get("/v1/hypercubes/town/codes?variable=district&level=1").json()
    assert codes == {"variable": "district", "level": "1", "codes": ["North", "South"]}


def test_the_service_gives_what_the_command_gives(client: TestClient, folder: Path, tmp_path: Path) -> None:
    request = {**VERSION, "by": ["district", "sex"], "where": {"age": "young"}}
    found = post(client, request)
    assert found.status_code == 200, found.text
    (tmp_path / "r.json").write_text(json.dumps(request), "utf-8")
    printed = ask(folder, tmp_path, str(tmp_path / "r.json"), "--public", "--json", "-")
    assert printed.exit_code == 0, printed.output
    assert found.json() == json.loads(printed.stdout)
    rows = post(client, request, headers={"Accept": "text/csv"}).text.splitlines()
    assert rows[0] == "district,sex,value"
    more = post(client, request, params={"agency": "true"}).json()
    assert more["answer"]["values"] == found.json()["answer"]["values"]
    assert more["answer"]["figures"]["risk_before"] is not None


def test_refusals_are_answers(client: TestClient) -> None:
    found = post(client, {**VERSION, "by": ["sex"], "where": {"job": "d"}})
    assert (found.status_code, found.json()["outcome"]) == (200, "refused")
    as_csv = post(client, {**VERSION, "by": ["sex"], "where": {"job": "d"}}, headers={"Accept": "text/csv"})
    assert (as_csv.status_code, as_csv.json()["type"]) == (422, "urn:tableseal:problem:refused")


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({"hypercube": "none", "request": {**VERSION, "by": ["sex"]}}, 404, "no hypercube"),
        ({"hypercube": "../town", "request": {**VERSION, "by": ["sex"]}}, 422, "hypercube"),
        ({"hypercube": "town"}, 422, "request"),
        ({"hypercube": "town", "request": {**VERSION, "by": ["sexx"]}}, 422, 'did you mean "sex"'),
        ({"hypercube": "town", "request": {**VERSION, "by": [3]}}, 422, "by"),
        ({"hypercube": "town", "request": {"by": ["sex"]}}, 422, "tableseal-request"),
        ({"hypercube": "town", "request": {**VERSION, "by": ["sex"], "measure": "money"}}, 422, "no measures"),
        ([], 422, ""),
    ],
)
def test_requests_that_are_problems(client: TestClient, sent: Any, status: int, said: str) -> None:
    found = client.post("/v1/tables", json=sent)
    assert (found.status_code, said in found.text.replace('\\"', '"')) == (status, True), found.text
    assert found.headers["content-type"] == "application/problem+json"


def test_a_hypercube_without_a_memory_remembers_nothing(client: TestClient) -> None:
    for _ in range(2):
        assert post(client, REQUESTS[0], "open").json()["outcome"] == "answered"
