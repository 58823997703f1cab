"""Users ask two servers with one database for tables, while the servers are killed without warning."""

import http.client
import json
import random
import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError

from pydantic import SecretStr

from cases.service.figures import Figure, SkippedError
from cases.service.postgres import cluster
from cases.service.running import Process, address, ask, launch, patiently
from cases.service.town import town
from tableseal.api.generating.counter import opened_counter
from tableseal.api.hypercubes import build
from tableseal.api.options.hypercube import HypercubeOptions
from tableseal.api.settings import Settings
from tableseal.api.store.answers import answers_since, audiences_of
from tableseal.api.store.migrate import opened
from tableseal.api.store.tokens import Role, create_token
from tableseal.audit.hypercube.read import read_source
from tableseal.audit.hypercube.store import pieces, write_cube
from tableseal.suppression.generator.memory.kept import remembered_of
from tableseal.suppression.generator.memory.memory import Memory, judge


@dataclass(frozen=True)
class Plan:
    """users: each asks both servers at once. requests: different ones, of every user. kills: of a server, in all."""

    users: int
    requests: int
    kills: int
    persons: int = 3000
    seed: int = 0


FULL = Plan(users=8, requests=40, kills=4)
SHORT = Plan(users=2, requests=6, kills=1, persons=600)

NAME = "town"
POLICY = {
    "tableseal-generator": 1,
    "threshold": 3,
    "rules": {"variables": 3, "filters": 2, "population": {"table": 50, "area": 20}},
    "protection": {"cell_key": {"range": 5, "variance": 2}},
}


def run(plan: Plan, folder: Path) -> list[Figure]:
    """With SQLite, and with PostgreSQL where it is installed."""
    found = []
    for kind in ("SQLite", "PostgreSQL"):
        own = folder / kind
        own.mkdir()
        try:
            with cluster() if kind == "PostgreSQL" else nullcontext() as database:
                if database is not None:
                    database.start()
                url = f"sqlite:///{own / 'tables.db'}" if database is None else database.url
                figures = _run(plan, own, url)
        except SkippedError as reason:
            figures = [Figure("left out", str(reason))]
        found += [Figure(f"{kind}: {one.what}", one.value, one.ok) for one in figures]
    return found


def _run(plan: Plan, folder: Path, url: str) -> list[Figure]:
    cubes = folder / "cubes"
    cubes.mkdir()
    _build(plan, cubes)
    settings = Settings(data=folder / "data", database=SecretStr(url))
    with opened(settings.database_url, settings.keys) as store, store.writing() as connection:
        keys = [create_token(connection, f"user{k}", Role.ANALYST) for k in range(plan.users)]
    wanted = list(_requests(plan))
    with _Servers(folder, url, cubes) as servers:
        storm = _Storm(plan, servers, keys, wanted)
        begun = time.monotonic()
        storm.run()
        seconds = time.monotonic() - begun
        again = storm.again()
    kept, sound = _kept_are_sound(cubes, settings)
    told = storm.told
    given = {index: {body for (_, at), bodies in told.items() if at == index for body in bodies} for _, index in told}
    answers = sum(len(bodies) for bodies in told.values())
    cuts = statistics.quantiles(storm.times, n=100)
    return [
        Figure(
            f"{plan.users} users, each on two servers at once: questions a second",
            f"{len(storm.times) / seconds:.0f}",
        ),
        Figure("p50, p99 of an answer", f"{1000 * cuts[49]:.0f} ms, {1000 * cuts[98]:.0f} ms"),
        Figure("kill -9 of a server", str(servers.kills), servers.kills == plan.kills),
        Figure("answers but 200 while a server is there", str(storm.faults), storm.faults == 0),
        Figure("tables answered, refused", f"{answers}, {storm.refused}", answers > 0),
        Figure(
            "requests with one and the same table for all users, servers and starts",
            f"{sum(len(bodies) == 1 for bodies in given.values())} of {len(given)}",
            all(len(bodies) == 1 for bodies in given.values()),
        ),
        Figure("asked again of both servers afterwards, the same", f"{again[0]} of {again[1]}", again[0] == again[1]),
        Figure("kept answers that one process gives in the same order", f"{sound} of {kept}", sound == kept > 0),
    ]


def _build(plan: Plan, folder: Path) -> None:
    """A hypercube of made-up persons with policy and secret."""
    source = folder / "source.json"
    (folder / "keys.txt").write_text("keys of records are made of this", "utf-8")
    source.write_text(json.dumps(town(random.Random(plan.seed), plan.persons)), "utf-8")
    cube = build([(source.name, read_source(source))], HypercubeOptions(areas=("district",))).cube
    write_cube(folder / f"{NAME}.cube", cube.about, pieces(cube.held))
    (folder / f"{NAME}.yaml").write_text(json.dumps(POLICY), "utf-8")
    (folder / f"{NAME}.secret").write_text("changes of counts are drawn by this", "utf-8")


def _requests(plan: Plan) -> Iterator[dict[str, Any]]:
    """Different requests of one to three variables, some of a part of the population."""
    draw, seen = random.Random(plan.seed + 1), set[str]()
    names = {"district": ["North", "South"], "sex": ["F", "M"], "age": ["young", "old"], "job": ["a", "b"]}
    while len(seen) < plan.requests:
        chosen = draw.sample(list(names), draw.randint(1, 3))
        by = [f"{name}@1" if name in ("district", "age") and draw.random() < 0.4 else name for name in chosen]
        rest = [name for name in names if name not in chosen]
        where = {}
        if draw.random() < 0.5:
            name = draw.choice(rest)
            where[name] = [draw.choice(names[name])]
        document = {"tableseal-request": 1, "by": by, "where": where}
        if (text := json.dumps(document)) not in seen:
            seen.add(text)
            yield document


class _Servers:
    """Two servers with one database, which are killed and started again. Use as a context manager, which ends them."""

    def __init__(self, folder: Path, url: str, cubes: Path) -> None:
        self._folder, self._cubes = folder, cubes
        self._options = ("--port", "0", "--workers", "0", "--data", str(folder / "data"), "--database", url)
        self.kills = 0
        self._processes: list[Process] = []
        self.at: list[str | None] = [None, None]

    def __enter__(self) -> "_Servers":
        for k in range(2):
            self._processes.append(self._launched(k))
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def kill(self, k: int) -> None:
        """Kill one, and start it again."""
        self.at[k] = None
        self._processes[k].kill()
        self._processes[k].wait()
        self.kills += 1
        self._processes[k] = self._launched(k)

    def _launched(self, k: int) -> Process:
        log = self._folder / f"server-{k}-{self.kills}.log"
        process = launch("serve", *self._options, log=log, access="keys", hypercubes=str(self._cubes))
        self.at[k] = address(process, log)
        return process


@dataclass
class _Storm:
    """All users at once. told: (user, request) -> tables that were given. times: seconds of each answer."""

    plan: Plan
    servers: _Servers
    keys: list[str]
    wanted: list[dict[str, Any]]
    told: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    refused: int = 0
    faults: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Ask for everything, and kill meanwhile."""
        killer = threading.Thread(target=self._kill)
        killer.start()
        with ThreadPoolExecutor(2 * self.plan.users) as pool:
            for one in [pool.submit(self._user, user, k) for user in range(self.plan.users) for k in range(2)]:
                one.result()
        self._over.set()
        killer.join()

    def again(self) -> tuple[int, int]:
        """How many tables are given again by each server, and how many were given."""
        same = asked = 0
        for (user, index), bodies in self.told.items():
            for k in range(2):
                asked += 1
                same += self._asked(user, index, k)[0] in bodies
        return same, asked

    def _user(self, user: int, k: int) -> None:
        order = list(range(len(self.wanted)))
        random.Random(1000 * user + k).shuffle(order)
        for index in order:
            table, seconds = self._asked(user, index, k)
            with self._lock:
                self.times.append(seconds)
                if table is None:
                    self.refused += 1
                else:
                    self.told.setdefault((user, index), set()).add(table)

    def _asked(self, user: int, index: int, k: int) -> tuple[str | None, float]:
        """What a server says, or the other one while it is away: the table (None: refused), and in how many seconds."""
        headers = {"Authorization": f"Bearer {self.keys[user]}"}
        body = {"hypercube": NAME, "request": self.wanted[index]}
        for _ in patiently("no server answers", 300):
            at = self.servers.at[k] or self.servers.at[1 - k]
            if at is None:
                continue
            begun = time.monotonic()
            try:
                status, content = ask(f"{at}/v1/tables", body, headers=headers, timeout=300)
            except (URLError, OSError, http.client.HTTPException):  # killed meanwhile
                continue
            if status == 200:
                found: Mapping[str, Any] = json.loads(content)
                table = None if found["outcome"] == "refused" else json.dumps(found["answer"], sort_keys=True)
                return table, time.monotonic() - begun
            with self._lock:
                self.faults += 1
        raise AssertionError

    def _kill(self) -> None:
        """Each time a part of the questions is answered."""
        draw, total = random.Random(self.plan.seed), 2 * self.plan.users * self.plan.requests
        for number in range(self.plan.kills):
            while len(self.times) < total * (number + 1) / (self.plan.kills + 1) and not self._over.is_set():
                time.sleep(0.01)
            self.servers.kill(draw.randrange(2))


def _kept_are_sound(cubes: Path, settings: Settings) -> tuple[int, int]:
    """How many answers are kept, and how many of them one process gives that judges them in the same order."""
    counter = opened_counter(cubes / f"{NAME}.cube", cubes / f"{NAME}.yaml", cubes / f"{NAME}.secret")
    assert counter.ground is not None
    kept = sound = 0
    with opened(settings.database_url, settings.keys) as store, store.reading() as connection:
        for audience, _ in audiences_of(connection, counter.identity):
            memory = Memory.empty(counter.ground)
            for one in answers_since(connection, counter.identity, audience):
                kept += 1
                found = judge(memory, remembered_of(one.content, counter.generator.variables))
                if isinstance(found, Memory):
                    memory, sound = found, sound + 1
    return kept, sound
