"""Jobs for a service, and what has to come of them."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from cases.service.figures import Figure
from cases.service.running import ask
from tableseal.api.cli.app import app
from tableseal.api.http.audits import EXAMPLE

VARIANTS = 5
"""Different releases among the jobs."""

QUICK = {"lease_seconds": "2", "poll_seconds": "0.05", "backoff_seconds": "0"}
"""Settings under which a job that lost its worker is taken up soon."""


def release(number: int) -> dict[str, Any]:
    """A small release; its values are those of the example times `number`."""
    first = EXAMPLE["tables"][0]
    values = [None if value is None else value * number for value in first["cells"]["value"]]
    return {**EXAMPLE, "tables": [{**first, "cells": {**first["cells"], "value": values}}]}


def report_of_the_command(document: Mapping[str, Any], folder: Path) -> bytes:
    """What `tableseal audit` says of a release."""
    source, target = folder / "release.json", folder / "report.json"
    source.write_text(json.dumps(document), "utf-8")
    result = CliRunner().invoke(app, ["audit", str(source), "--json", str(target)])
    assert result.exit_code in (0, 1, 3), result.output
    return target.read_bytes()


def submit(at: str, number: int) -> str:
    """Queue an audit; its place."""
    status, body = ask(f"{at}/v1/audits", release(number))
    assert status == 202, body
    place: str = json.loads(body)["links"]["self"]
    return place


def open_jobs(at: str) -> tuple[int, int]:
    """How many jobs of the service wait, and how many run."""
    text = ask(f"{at}/metrics")[1].decode()
    found = dict(re.findall(r'^tableseal_jobs\{state="(\w+)"\} ([\d.]+)$', text, re.MULTILINE))
    return int(float(found["queued"])), int(float(found["running"]))


def checked(at: str, jobs: Sequence[tuple[int, str]], folder: Path) -> list[Figure]:
    """Whether all jobs (variant, place) succeeded once, with the reports of the command."""
    reports = {number: report_of_the_command(release(number), folder) for number in sorted({n for n, _ in jobs})}
    succeeded = once = same = attempts = 0
    for number, job in jobs:
        found = json.loads(ask(at + job)[1])
        succeeded += found["state"] == "succeeded"
        attempts = max(attempts, found["attempts"])
        once += ask(f"{at}{job}/events")[1].count(b'"state": "succeeded"') == 1
        same += ask(f"{at}{job}/result")[1] == reports[number]
    total = len(jobs)
    return [
        Figure("jobs that succeeded", f"{succeeded} of {total}", succeeded == total),
        Figure("finished exactly once", f"{once} of {total}", once == total),
        Figure("reports equal to those of the command", f"{same} of {total}", same == total),
        Figure("most attempts at one job", str(attempts)),
    ]
