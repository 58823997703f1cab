"""The audit of one release of a batch: what a worker is given, and what it gives back."""

import hashlib
import json
from dataclasses import dataclass
from typing import Literal

from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.execution.failures import Failure, failure_of
from tableseal.audit.execution.memory import memory_limit
from tableseal.audit.io import release_digest
from tableseal.audit.model import Release
from tableseal.audit.pipeline import Bounds, audit
from tableseal.audit.report import Report, render_html, report_json
from tableseal.audit.version import engine_version


@dataclass(frozen=True)
class Task:
    """A release and how to audit it; seconds, megabytes; `html`: with a page."""

    release: Release
    bounds: Bounds = "integer"
    time_limit: float | None = None
    memory_limit: int | None = None
    html: bool = False

    def key(self) -> str:
        """Digest of all that the result depends on: the release with its policy and notes, the options, the version.

        What only says whether there is a result (memory), or how it is shown (html), is not part of it.
        """
        parts = {
            "release": release_digest(self.release),
            "policy": self.release.policy.sha256 if self.release.policy else None,
            "notes": [[note.code, note.text, note.count] for note in self.release.notes],
            "bounds": self.bounds,
            "time_limit": self.time_limit,
            "version": engine_version(),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Audited:
    """A finished audit: the report, and how it is written."""

    report: Report
    json: str
    html: str | None

    @property
    def verdict(self) -> Literal["safe", "unsafe", "undecided"]:
        """That of the report."""
        return self.report.verdict


def audit_task(task: Task, executor: Executor = HERE) -> Audited | Failure:
    """Audit a release; whatever goes wrong is a result, too, so that one release never stops the others."""
    try:
        with memory_limit(task.memory_limit):
            report = audit(task.release, bounds=task.bounds, time_limit=task.time_limit, executor=executor).report
            page = render_html(report, task.release) if task.html else None
            return Audited(report, report_json(report), page)
    except Exception as error:
        return failure_of(error)
