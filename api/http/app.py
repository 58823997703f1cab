"""The app."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from tableseal.api.access.browser import Browsers
from tableseal.api.access.guessing import Guesses
from tableseal.api.access.who import Identity
from tableseal.api.generating.counters import Counters
from tableseal.api.generating.memories import Memories
from tableseal.api.generating.opened import open_all
from tableseal.api.http import (
    audits,
    batches,
    errors,
    health,
    jobs,
    log,
    measures,
    openapi,
    plans,
    protections,
    publications,
    tables,
)
from tableseal.api.http.body_limit import BodyLimit
from tableseal.api.http.heads import Heads
from tableseal.api.http.inline import Inline
from tableseal.api.http.metrics import Measured, Metrics
from tableseal.api.http.no_nul import NoNul
from tableseal.api.http.parameters import known_parameters
from tableseal.api.http.service import Service
from tableseal.api.http.threads import Threads
from tableseal.api.http.waiting import Watch
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.api.web import account, administration, decisions, held_tables, workbench
from tableseal.api.web import attacks as attack_pages
from tableseal.api.web import audits as audit_pages
from tableseal.api.web import batches as batch_pages
from tableseal.api.web import jobs as job_pages
from tableseal.api.web import patterns as pattern_pages
from tableseal.api.web import plans as plan_pages
from tableseal.api.web import protections as protection_pages
from tableseal.api.web import publications as publication_pages
from tableseal.api.web import releases as release_pages
from tableseal.api.web import tables as table_pages
from tableseal.api.web.pages import problem_page, static
from tableseal.audit.errors import InputError
from tableseal.audit.version import engine_version

WRITERS = 4
"""Threads of requests for work. More would wait for each other: a database is written by one at a time, or by few."""


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI app; it opens the database when it starts, and closes it when it ends.

    Raises
    ------
    InputError: a database URL that cannot be used.
    """
    store = Store(settings.database_url, settings.keys)
    inline = Inline(
        settings.inline_workers,
        each=settings.inline_each,
        folder=settings.working_folder,
        memory=settings.job_memory,
        cells=settings.max_cells,
    )
    threads, checks, generating = Threads(WRITERS, "intake"), Threads(1, "checks"), Threads(2, "tables")
    service = Service(
        settings,
        store,
        inline,
        Metrics(),
        threads,
        checks,
        Watch(store, threads),
        Guesses(),
        Counters(settings.hypercubes),
        Memories(store),
        generating,
        _identity(settings),
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        migrate(store)
        inline.warm()
        opening = asyncio.create_task(generating.run(open_all, service.counters))
        yield
        opening.cancel()
        inline.close()
        threads.close()
        checks.close()
        generating.close()
        store.close()

    app = FastAPI(
        title="tableseal",
        version=engine_version(),
        summary="What can an intruder work out from tables before they are published?",
        lifespan=lifespan,
        docs_url=None,  # the usual page loads scripts from elsewhere
        redoc_url=None,
        openapi_url="/openapi.json",
        generate_unique_id_function=lambda route: route.name,  # generated clients name their functions so
    )
    app.state.service = service
    for module in (audits, batches, measures, plans, protections, publications, tables, jobs, log):
        app.include_router(module.router, dependencies=[Depends(known_parameters)])
    app.include_router(health.router)  # who watches may add what he likes
    for router in (
        release_pages.router,
        audit_pages.router,
        pattern_pages.router,
        protection_pages.router,
        attack_pages.router,
        batch_pages.router,
        plan_pages.router,
        publication_pages.router,
        job_pages.router,
        table_pages.router,
        held_tables.router,
        workbench.router,
        decisions.router,
        account.router,
        administration.router,
        static,
    ):
        app.include_router(router, include_in_schema=False)
    problems = partial(problem_page, hours=settings.session_hours)
    errors.install(app, problems)
    openapi.install(app)

    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)  # but for streams of events
    app.add_middleware(BodyLimit, most=settings.max_body, seconds=settings.upload_seconds, page=problems)
    app.add_middleware(NoNul, page=problems)
    app.add_middleware(Heads)
    app.add_middleware(Browsers)
    app.add_middleware(Measured, metrics=service.metrics)
    return app


def _identity(settings: Settings) -> Identity | None:
    if settings.oidc is None:
        return None
    try:
        from tableseal.api.access.oidc import provider_of
    except ModuleNotFoundError:
        raise InputError("oidc_issuer: tokens need a package: pip install 'tableseal[oidc]'.") from None
    return provider_of(settings.oidc)
