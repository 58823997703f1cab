"""PostgreSQL stops as in a crash while jobs are under way, and comes back."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from cases.service import orders
from cases.service.figures import Figure
from cases.service.postgres import cluster
from cases.service.running import address, ask, patiently, started


@dataclass(frozen=True)
class Plan:
    """jobs: how many. seconds: for how long the database is away."""

    jobs: int
    seconds: float


FULL = Plan(jobs=100, seconds=30.0)
SHORT = Plan(jobs=3, seconds=2.0)


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Queue jobs, stop the database when the first has begun, ask meanwhile, start it again.

    Raises
    ------
    SkippedError: PostgreSQL is not installed.
    """
    log = folder / "log"
    with cluster() as database:
        database.start()
        options = ("--database", database.url, "--data", str(folder / "data"))
        with (
            started("serve", "--port", "0", "--workers", "0", *options, log=log, **orders.QUICK) as server,
            started("worker", *options, log=folder / "worker.log", **orders.QUICK),
        ):
            at = address(server, log)
            numbers = [1 + k % orders.VARIANTS for k in range(plan.jobs)]
            jobs = [(number, orders.submit(at, number)) for number in numbers]
            for _ in patiently("no job begins"):
                if orders.open_jobs(at)[1]:
                    break
            database.stop()
            stopped = time.monotonic()
            answers = {ask(f"{at}/v1/audits", orders.release(1)), ask(f"{at}/readyz"), ask(at + jobs[0][1])}
            statuses = sorted({status for status, _ in answers})
            problems = {json.loads(body).get("type", "").rpartition(":")[2] for _, body in answers}
            alive = ask(f"{at}/healthz")[0]
            time.sleep(max(0.0, plan.seconds - (time.monotonic() - stopped)))
            database.start()
            away = time.monotonic() - stopped
            for _ in patiently("some jobs are never finished", 60 + 10 * plan.jobs):
                status, _ = ask(f"{at}/readyz")
                if status == 200 and sum(orders.open_jobs(at)) == 0:
                    break
            figures = orders.checked(at, jobs, folder)
    return [
        Figure("seconds without the database", f"{away:.0f}"),
        Figure("answers meanwhile", f"{statuses}, {', '.join(sorted(problems))}", statuses == [503]),
        Figure("/healthz meanwhile", str(alive), alive == 200),
        *figures,
    ]
