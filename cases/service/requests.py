"""Requests that schemathesis makes from `/openapi.json`, one by one and in sequences, to a running service."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases.service.figures import Figure, SkippedError
from cases.service.running import DEADLINE, address, ask, started


@dataclass(frozen=True)
class Plan:
    """sequences: of requests that follow from each other's answers. steps: in each."""

    sequences: int
    steps: int


FULL = Plan(sequences=100, steps=12)
SHORT = Plan(sequences=2, steps=4)

TOGETHER = 5
"""Sequences in a round."""


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Let it send what it likes; nothing may be answered by a fault, or otherwise than the document says."""
    log = folder / "log"
    options = ("--port", "0", "--data", str(folder / "data"))
    with started("serve", *options, log=log, max_wait="1", max_body="100000") as server:
        at = address(server, log)
        kinds, sent, faults, unlike = sequences(plan, at)
        status, health = ask(f"{at}/readyz")
    told = [line for line in log.read_text("utf-8").splitlines() if "unexpected error" in line]
    return [
        Figure("requests in sequences", f"{sent}, of {len(kinds)} operations"),
        Figure("answered by a fault (5xx)", f"{len(faults)} {faults[:3] or ''}".strip(), not faults),
        Figure("answers unlike `/openapi.json`", f"{len(unlike)} {unlike[:3] or ''}".strip(), not unlike),
        Figure("unexpected errors in the log", str(len(told)), not told),
        Figure("/readyz afterwards", f"{status}, {json.loads(health).get('database')}", status == 200),
    ]


def sequences(plan: Plan, at: str) -> tuple[set[str], int, list[str], list[str]]:
    """Operations, number of requests, those that were answered by a fault, and those in another way than is said."""
    try:
        import schemathesis
        from hypothesis import HealthCheck, Phase, settings
        from hypothesis.errors import Flaky
        from schemathesis.checks import CHECKS, load_all_checks
        from schemathesis.core.failures import FailureGroup
    except ModuleNotFoundError:
        raise SkippedError("schemathesis is not here") from None
    from cases.service.explained import ELSEWHERE, explained

    load_all_checks()
    checks = [check for check in CHECKS.get_all() if check.__name__ not in ELSEWHERE]
    kinds: set[str] = set()
    faults: list[str] = []
    unlike: list[str] = []
    sent = 0

    schema = schemathesis.openapi.from_url(f"{at}/openapi.json", timeout=DEADLINE)
    schema.config.request_timeout = DEADLINE

    class Machine(schema.as_state_machine()):  # type: ignore[misc]
        """Sequences; what is wrong is written down, and the sequence goes on."""

        def validate_response(self, response: Any, case: Any, *_: Any, **__: Any) -> None:
            nonlocal sent
            sent += 1
            said = f"{case.operation.label}: {response.status_code}"
            kinds.add(case.operation.label)
            if response.status_code >= 500:
                faults.append(said)
            try:
                case.validate_response(response, checks=checks)
            except FailureGroup as group:
                wrong = [one for one in group.exceptions if not explained(one, response, case.media_type)]
                unlike.extend(f"{said}: {type(one).__name__}" for one in wrong)

    chosen = settings(
        max_examples=min(plan.sequences, TOGETHER),
        stateful_step_count=plan.steps,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for _ in range(0, plan.sequences, TOGETHER):
        with suppress(Flaky):  # what a service answers depends on what it was asked before, which ends a round
            Machine.run(settings=chosen)
    return kinds, sent, faults, unlike
