"""The kind `table`: a table that somebody asks of a hypercube, where it is too large to be waited for.

What was answered before comes as a file, and what is answered now is kept in the transaction that ends the job: either
both stand, or neither does, whatever becomes of a worker. If somebody else was answered meanwhile, it is judged again.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from tableseal.api.jobs.kinds import Context, Kind, Ledger, OutdatedError, Result
from tableseal.api.store.job import Document
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tableseal.api.generating.counter import Counter

ANSWERED = ".answered.json"
"""Answers that the audience holds; no file of a request can have this name."""

NEW = ".new.json"
"""Answers that are new, and how many there were before."""

TABLE = "table.json"
"""What is told, and nothing else: who reads it need not be of the agency."""


class TableJob(BaseModel):
    """A request for a table.

    hypercube: its name. identity: what the answers depend on (`Counter.identity`). scope: whose answers the policy
    takes together, empty: nothing is remembered; audience: of whoever asks. who: asks.
    """

    model_config = ConfigDict(frozen=True)

    hypercube: str
    identity: str
    scope: str
    audience: str
    who: str
    request: dict[str, Any]


def run(request: TableJob, context: Context) -> Result:
    """Judge the table together with all answers before.

    Raises
    ------
    InputError: the hypercube is not what it was any more, or not here; all that is wrong with the request. LimitError:
        sums beyond 2^62.
    """
    from tableseal.api.generating.document import TableAnswer
    from tableseal.audit.codec.documents import json_of
    from tableseal.audit.codec.public import public_part
    from tableseal.audit.hypercube.ask import request_of
    from tableseal.suppression.generator.memory.kept import kept_of, remembered_of
    from tableseal.suppression.generator.memory.memory import Memory, recall

    counter = _counter(request, context.hypercubes)
    wanted = request_of(request.request, counter.cells)
    variables, before = counter.generator.variables, [b64decode(one) for one in _read(context.folder / ANSWERED)]
    memory = None
    if counter.ground is not None:
        context.progress("earlier answers", 0, len(before))
        memory = recall(Memory.empty(counter.ground), (remembered_of(content, variables) for content in before))
    context.progress("table", 0, 0)
    told = counter.judged(wanted, memory)
    answers = () if told.memory is None else told.memory.answers[len(before) :]
    new = {"known": len(before), "contents": [b64encode(kept_of(one, variables)).decode() for one in answers]}
    shown: TableAnswer = public_part(told.answer)
    documents = (
        Document(TABLE, "application/json", (json_of(shown) + "\n").encode()),
        Document(NEW, "application/json", json.dumps(new).encode()),
    )
    return Result(documents, shown.outcome, wanted.title)


def _counter(request: TableJob, folder: Path | None) -> "Counter":
    from tableseal.api.generating.counters import Counters

    found = Counters(folder).counter(request.hypercube)
    if found is None:
        raise InputError("is not here any more.", at=request.hypercube)
    memory = found.generator.policy.memory
    if found.identity != request.identity or request.scope != ("" if memory is None else memory.scope):
        raise InputError("has changed since the table was asked for; ask again.", at=request.hypercube)
    return found


def _read(path: Path) -> list[str]:
    found: list[str] = json.loads(path.read_bytes())
    return found


def answered_before(connection: "Connection", owner: str, request: TableJob) -> Iterable[Document]:
    """All that the audience holds."""
    from tableseal.api.store.answers import answers_since

    held = answers_since(connection, request.identity, request.audience) if request.scope else ()
    content = json.dumps([b64encode(one.content).decode() for one in held])
    return [Document(ANSWERED, "application/json", content.encode())]


def kept(connection: "Connection", owner: str, request: TableJob, result: Result) -> Result:
    """Keep what is new.

    Raises
    ------
    OutdatedError: the audience was given something else meanwhile.
    """
    from tableseal.api.store.answers import keep_answer
    from tableseal.api.store.log import note
    from tableseal.api.store.tokens import Principal, Role

    shown, made = result.documents
    new: Mapping[str, Any] = json.loads(made.read())
    held = request.identity, request.audience
    for number, content in enumerate(new["contents"], int(new["known"])):
        if keep_answer(connection, *held, number, who=request.who, content=b64decode(content)) is None:
            raise OutdatedError
    asking = Principal(owner, Role.ANALYST, request.who)
    note(connection, asking, "table.ask", request.hypercube, result.outcome or "")
    return Result((shown,), result.outcome, result.title)


KIND = Kind("table", TableJob, run, inline=False, ledger=Ledger(answered_before, kept))
