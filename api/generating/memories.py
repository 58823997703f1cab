"""What audiences hold, kept in the database: all servers judge a new answer together with all that were given."""

from collections import OrderedDict
from threading import Lock
from urllib.parse import quote

from tableseal.api.generating.counter import Counter
from tableseal.api.generating.document import TableAnswer
from tableseal.api.store.answers import answers_since, keep_answer
from tableseal.api.store.engine import Store
from tableseal.audit.hypercube.request import TableRequest
from tableseal.suppression.generator.memory.kept import kept_of, remembered_of
from tableseal.suppression.generator.memory.memory import Memory, recall
from tableseal.suppression.generator.policy import Scope

MOST = 8
"""Memories that stay in the process; others are made again of what is kept. One of 200 answers from 18,761 cells has
some 50 MB, and near the limit on averages up to 40 more (`inverse.AT_ONCE`)."""


PUBLIC = "public"
"""Name of the audience that is everybody."""


def audience_of(scope: Scope, user: str, group: str | None) -> str:
    """Who holds answers together: the name under which they are kept. A user without a group is one of his own."""
    if scope == "public":
        return PUBLIC
    return f"group {group}" if scope == "group" and group is not None else f"user {user}"


def audience_in_service(scope: Scope, owner: str, who: str) -> str:
    """The same of somebody who asks a service, where a group is an owner. No two of them have one name."""
    return audience_of(scope, f"{quote(owner, safe='')} {who}", quote(owner, safe=""))


def is_of(audience: str, owner: str) -> bool:
    """Whether answers that an audience holds were given to this owner, or to everybody."""
    name = quote(owner, safe="")
    return audience in (PUBLIC, f"group {name}") or audience.startswith(f"user {name} ")


class Memories:
    """Memories in this process, each as new as the database when it is asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: OrderedDict[tuple[str, str], Memory] = OrderedDict()
        self._locks: dict[tuple[str, str], Lock] = {}
        self._lock = Lock()

    def told(self, counter: Counter, request: TableRequest, audience: str, who: str) -> TableAnswer:
        """What an audience is told; it is kept before it is told. who: asked for it.

        Raises
        ------
        InputError, LimitError: as for `Counter.judged`.
        """
        if counter.ground is None:
            return counter.judged(request, None).answer
        key = (counter.identity, audience)
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:  # who asks at the same time would be judged twice
            while True:
                before = self._current(counter, audience)
                told = counter.judged(request, before)
                assert told.memory is not None
                if self._kept(counter, audience, who, before, told.memory):
                    self._hold(key, told.memory)
                    return told.answer

    def held(self, counter: Counter, audience: str) -> Memory:
        """What an audience holds.

        Raises
        ------
        ValueError: nothing is remembered here.
        """
        if counter.ground is None:
            raise ValueError(counter.name)
        return self._current(counter, audience)

    def _current(self, counter: Counter, audience: str) -> Memory:
        assert counter.ground is not None
        key, variables = (counter.identity, audience), counter.generator.variables
        with self._lock:
            memory = self._held.get(key)
        if memory is None or memory.ground is not counter.ground:  # which is another one under another policy
            memory = Memory.empty(counter.ground)
        with self._store.reading() as connection:
            new = answers_since(connection, *key, known=len(memory.answers))
        if new:
            memory = recall(memory, (remembered_of(answer.content, variables) for answer in new))
            self._hold(key, memory)
        return memory

    def _kept(self, counter: Counter, audience: str, who: str, before: Memory, after: Memory) -> bool:
        """Whether what is new is kept; False: another server was quicker."""
        known = len(before.answers)
        contents = [kept_of(answer, counter.generator.variables) for answer in after.answers[known:]]
        if not contents:
            return True
        with self._store.writing() as connection:
            for number, content in enumerate(contents, known):
                if keep_answer(connection, counter.identity, audience, number, who=who, content=content) is None:
                    assert number == known  # whoever counted up first has the audience until the end
                    return False
        return True

    def _hold(self, key: tuple[str, str], memory: Memory) -> None:
        with self._lock:
            self._held[key] = memory
            self._held.move_to_end(key)
            while len(self._held) > MOST:
                self._held.popitem(last=False)
