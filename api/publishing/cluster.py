"""One cluster of a plan: what is to be done, and all files that come of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.options.protect import ProtectOptions
from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.protecting import run_protection
from tableseal.api.publishing.methods import Way, way_document
from tableseal.api.publishing.summary import HELD_FILES
from tableseal.api.suppressing import run_suppression
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.execution.failures import Failure, failure_of
from tableseal.audit.execution.memory import memory_limit
from tableseal.audit.io import canonical_json, release_digest, release_files
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.report import Report, render_html, report_json
from tableseal.audit.version import engine_version
from tableseal.suppression.protections.apply import protected_release
from tableseal.suppression.protections.document import protection_json
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.report import suppression_json

if TYPE_CHECKING:
    from tableseal.suppression.answer import Suppression


@dataclass(frozen=True)
class Task:
    """A release and the way to protect it. stem: what its files are called. proof: write a proof, too.
    megabytes: of memory."""

    name: str
    stem: str
    release: Release
    way: Way
    proof: bool = False
    megabytes: int | None = None

    def key(self) -> str:
        """Digest of all that the result depends on: the release with its policy, the options, the version."""
        policy = self.release.policy
        parts = {
            "release": release_digest(self.release),
            "policy": None if policy is None else policy.sha256,
            **way_document(self.way),
            "stem": self.stem,
            "proof": self.proof,
            "version": engine_version(),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Protected:
    """A cluster after its method. secondary, cost, bound: where cells were withheld.

    report: of the audit with the pattern, or, if no pattern is safe (conflict says why), with everything withheld that
    may be; None: that says nothing. release: what was audited, without its records. files: name below the folder of
    results -> content; nothing of what is public where the audit does not say safe.
    """

    report: Report | None
    release: Release | None
    conflict: str | None
    status: str | None
    secondary: int | None
    cost: float | None
    bound: float | None
    method: str
    seed: int
    files: Mapping[str, str | bytes]


def protect_task(task: Task, executor: Executor = HERE) -> Protected | Failure:
    """Protect a cluster; whatever goes wrong is a result, too, so that one cluster never stops the others."""
    try:
        with memory_limit(task.megabytes):
            return _protected(task, executor)
    except Exception as error:
        return failure_of(error)


def _protected(task: Task, executor: Executor) -> Protected:
    if isinstance(task.way, ProtectOptions):
        return _changed(task, task.way, executor)
    return _withheld(task, task.way, executor)


def _withheld(task: Task, way: SuppressOptions, executor: Executor) -> Protected:
    found = run_suppression(task.release, way, executor=executor)
    files: dict[str, str | bytes] = {f"agency/{task.stem}.pattern.json": suppression_json(found)}
    report, release = found.report, found.release
    if report is None:
        report, release = _at_most(found, way, executor)
    if report is not None and release is not None:
        files |= _files(task, release, report, executor)
    scale = found.problem.scale
    return Protected(
        report,
        None if release is None else replace(release, microdata=None),
        None if found.conflict is None else found.conflict.text,
        found.found.status,
        found.secondary,
        None if found.found.pattern is None else found.found.cost / scale,
        None if found.found.pattern is None else found.found.bound / scale,
        way.method,
        way.seed,
        files,
    )


def _at_most(
    found: "Suppression", way: SuppressOptions, executor: Executor
) -> tuple[Report, Release] | tuple[None, None]:
    """No pattern is safe: the audit with everything withheld that may be, which has the arithmetic of what falls."""
    problem = found.problem
    release = protected_release(
        problem.release, problem.cells, problem.primary, problem.primary | problem.stays | problem.may
    )
    release = replace(problem.as_given(release), policy=problem.policy)
    report = audit(release, time_limit=way.time_limit, executor=executor).report
    return (report, release) if report.verdict == "unsafe" else (None, None)


def _changed(task: Task, way: ProtectOptions, executor: Executor) -> Protected:
    """By a method that changes values."""
    found = run_protection(task.release, way, executor=executor)
    files: dict[str, str | bytes] = {f"agency/{task.stem}.protection.json": protection_json(found)}
    files |= _files(task, found.release, found.report, executor)
    release = replace(found.release, microdata=None)
    best = found.statement.optimum
    status = None if best is None else best.status
    return Protected(found.report, release, None, status, None, None, None, way.method, way.seed, files)


def _files(task: Task, release: Release, report: Report, executor: Executor) -> dict[str, str | bytes]:
    """What is written of every protected release."""
    files: dict[str, str | bytes] = {
        f"agency/{task.stem}.report.json": report_json(report),
        f"agency/{task.stem}.report.html": render_html(report, release),
        f"agency/{task.stem}.json": canonical_json(release).decode("utf-8"),
    }
    if task.proof:
        proved = audit(release, prove=True, executor=executor).proof
        assert proved is not None
        files[f"agency/{task.stem}.proof.json"] = proof_json(proved)
    if report.verdict == "safe":
        public = release_files(public_release(release), Path(HELD_FILES) / f"{task.stem}.yaml")
        files |= {str(path): content for path, content in public.items()}
    return files
