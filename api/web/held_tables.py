"""The officer's page on tables that users made: what each audience holds, and what stands around a base cell."""

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from tableseal.api.generating.counter import Counter
from tableseal.api.generating.memories import PUBLIC, is_of
from tableseal.api.generating.said import question_words
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.service import Officer, Service, ServiceDep, may
from tableseal.api.http.tables import Name, counter_of
from tableseal.api.problems import Problem
from tableseal.api.store.answers import answers_since, audiences_of
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Role
from tableseal.api.web.pages import page
from tableseal.suppression.generator.memory.held import Holding, base_cell, holding
from tableseal.suppression.generator.memory.kept import remembered_of

SHOWN = 500
"""Answers on a page, the newest."""

router = APIRouter(prefix="/tables")


@dataclass(frozen=True)
class Held:
    """An answer that an audience holds. number: from 1. who: empty where it is nobody's business."""

    number: int
    at: float
    who: str
    words: str
    cells: int


@router.get("/{name}/held")
def get_held(name: Name, request: Request, at: ServiceDep, asking: Officer, audience: str = "") -> Response:
    """Audiences of a hypercube; of one of them its answers, and what is held of a base cell. It is in the log.

    An officer sees those of his own owner and what everybody holds; who runs the service sees all.
    """
    counter = counter_of(at, name)
    every = may(asking, Role.ADMIN)
    with at.store.reading() as connection:
        audiences = [one for one in audiences_of(connection, counter.identity) if every or is_of(one[0], asking.owner)]
    if audience and audience not in dict(audiences):
        raise ProblemError(Problem("not-found", "No such audience", 404, "Nobody of this name was answered here."))
    with at.store.writing() as connection:
        note(connection, asking, "table.held", f"{name} {audience}".strip())
    variables = counter.generator.variables
    codes = tuple(request.query_params.get(f"code-{k}", "").strip() for k in range(len(variables)))
    answers = _answers(at, counter, audience, named=every or audience != PUBLIC) if audience else []
    return page(
        request,
        "held.html",
        name=name,
        path=f"/tables/{quote(name)}",
        remembers=counter.ground is not None,
        audiences=audiences,
        audience=audience,
        answers=answers[-SHOWN:][::-1],
        more=max(0, len(answers) - SHOWN),
        variables=variables,
        codes=codes,
        chosen=any(codes),
        holding=_holding(at, counter, audience, codes) if audience and any(codes) else None,
    )


def _answers(at: Service, counter: Counter, audience: str, *, named: bool) -> list[Held]:
    with at.store.reading() as connection:
        kept = answers_since(connection, counter.identity, audience)
    found = []
    for one in kept:
        question = remembered_of(one.content, counter.generator.variables).question
        words = question_words(question, counter.generator.variables)
        found.append(Held(one.number + 1, one.at, one.who if named else "", words, question.size))
    return found


def _holding(at: Service, counter: Counter, audience: str, codes: tuple[str, ...]) -> Holding | None:
    memory = at.memories.held(counter, audience)
    variables = counter.generator.variables
    cell = base_cell(memory.ground.base, variables, codes)
    return None if cell is None else holding(memory, cell, variables)
