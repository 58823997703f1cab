"""Is the service alive, can it work, and how is it doing."""

from fastapi import APIRouter, Response
from sqlalchemy import text

from api.http.described import problems
from api.http.service import ServiceDep
from api.store.jobs import count_by_state

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=problems(500))
async def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", responses=problems(500, 503))
def ready(at: ServiceDep) -> dict[str, str]:
    """The database answers too (503 if not)."""
    with at.store.reading() as connection:
        connection.execute(text("SELECT 1"))
    return {"status": "ok"}


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"description": "Figures.", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **problems(500, 503),
    },
)
def metrics(at: ServiceDep) -> Response:
    """Figures for Prometheus."""
    with at.store.reading() as connection:
        counts = count_by_state(connection)
    return Response(at.metrics.text(counts), media_type="text/plain; version=0.0.4; charset=utf-8")
