"""What a table generator answered: for each hypercube and audience, all answers in order.

Nothing in it is confidential to the agency: questions, and the values that were shown. Who judges a new answer says how
many answers he judged it with; if there are more by now, nothing is kept, and it has to be judged again. So any number
of servers can share the memory.
"""

from dataclasses import dataclass, field
from secrets import token_hex

from sqlalchemy import ColumnElement, Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from tableseal.api.store.engine import clock
from tableseal.api.store.schema import answers, audiences


@dataclass(frozen=True)
class KeptAnswer:
    """number: counted from 0, for each hypercube and audience. at: seconds since 1970. who: asked for it."""

    number: int
    at: float
    who: str
    content: bytes = field(repr=False)


def answers_since(connection: Connection, hypercube: str, audience: str, known: int = 0) -> tuple[KeptAnswer, ...]:
    """Answers after the first `known` ones, in order.

    hypercube: digest of its data. audience: who holds the answers together.
    """
    chosen = (
        select(answers.c.number, answers.c.at, answers.c.who, answers.c.content)
        .join(audiences, audiences.c.id == answers.c.audience)
        .where(_named(hypercube, audience) & (answers.c.number >= known))
        .order_by(answers.c.number)
    )
    return tuple(KeptAnswer(row.number, row.at, row.who, bytes(row.content)) for row in connection.execute(chosen))


def keep_answer(
    connection: Connection, hypercube: str, audience: str, known: int, *, who: str, content: bytes
) -> KeptAnswer | None:
    """Keep an answer that was judged together with the first `known` ones. None: there are more by now."""
    if known == 0 and not _begun(connection, hypercube, audience):
        return None
    same = _named(hypercube, audience) & (audiences.c.version == known)
    # Whoever counts the version up has the audience for himself until his transaction ends.
    if connection.execute(update(audiences).where(same).values(version=known + 1)).rowcount != 1:
        return None
    key = connection.execute(select(audiences.c.id).where(_named(hypercube, audience))).scalar_one()
    kept = KeptAnswer(known, clock(connection), who, content)
    row = {"audience": key, "number": known, "at": kept.at, "who": who, "content": content}
    connection.execute(insert(answers).values(**row))
    return kept


def audiences_of(connection: Connection, hypercube: str) -> tuple[tuple[str, int], ...]:
    """Every audience of a hypercube with the number of answers that it holds, by name."""
    chosen = select(audiences.c.name, audiences.c.version).where(audiences.c.hypercube == hypercube)
    return tuple((row.name, row.version) for row in connection.execute(chosen.order_by(audiences.c.name)))


def _begun(connection: Connection, hypercube: str, audience: str) -> bool:
    """Make an audience without answers, or find one; False if another transaction is making it."""
    if connection.execute(select(audiences.c.id).where(_named(hypercube, audience))).one_or_none() is not None:
        return True
    try:
        with connection.begin_nested():
            row = {"id": token_hex(16), "hypercube": hypercube, "name": audience, "version": 0}
            connection.execute(insert(audiences).values(**row))
    except IntegrityError:
        return False
    return True


def _named(hypercube: str, audience: str) -> ColumnElement[bool]:
    return (audiences.c.hypercube == hypercube) & (audiences.c.name == audience)
