"""What table generators answered, as servers keep it together; on SQLite and on PostgreSQL."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import BACKENDS, KEYS, new_database

from tableseal.api.store.answers import answers_since, audiences_of, keep_answer
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with new_database(request.param, tmp_path) as url:
        opened = Store(url, KEYS)
        migrate(opened)
        yield opened
        opened.close()


def keep(store: Store, known: int, content: bytes, audience: str = "public", hypercube: str = "c") -> bool:
    with store.writing() as connection:
        return keep_answer(connection, hypercube, audience, known, who="ann", content=content) is not None


def contents(store: Store, audience: str = "public", hypercube: str = "c", known: int = 0) -> list[bytes]:
    with store.reading() as connection:
        return [answer.content for answer in answers_since(connection, hypercube, audience, known)]


def test_answers_come_back_in_their_order(store: Store) -> None:
    assert contents(store) == []
    assert [keep(store, number, b"%d" % number) for number in range(12)] == [True] * 12
    assert contents(store) == [b"%d" % number for number in range(12)]
    assert contents(store, known=10) == [b"10", b"11"]


def test_audiences_and_hypercubes_are_apart(store: Store) -> None:
    assert keep(store, 0, b"a")
    assert keep(store, 0, b"b", audience="user:ann")
    assert keep(store, 0, b"c", hypercube="d")
    assert (contents(store), contents(store, "user:ann"), contents(store, hypercube="d")) == ([b"a"], [b"b"], [b"c"])
    with store.reading() as connection:
        assert audiences_of(connection, "c") == (("public", 1), ("user:ann", 1))


@pytest.mark.parametrize("known", [0, 1, 3])
def test_an_answer_judged_with_others_than_there_are_is_not_kept(store: Store, known: int) -> None:
    assert keep(store, 0, b"first")
    assert keep(store, 1, b"second")
    assert not keep(store, known, b"late")
    assert contents(store) == [b"first", b"second"]


def test_servers_that_answer_at_once_lose_nothing(store: Store) -> None:
    def work(name: int) -> None:
        for turn in range(6):
            while not keep(store, len(contents(store)), b"%d %d" % (name, turn)):
                pass

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(contents(store)) == sorted(b"%d %d" % (name, turn) for name in range(3) for turn in range(6))
