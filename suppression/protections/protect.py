"""Change the values of a release by a method, and audit what is released: around every method, the same."""

from dataclasses import dataclass, field, fields, replace

from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import now
from tableseal.audit.codec.exact_json import significant
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.io.canonical import release_digest
from tableseal.audit.model import Policy, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.progress import Progress, silent
from tableseal.audit.report.model import ReleaseVerdict, Report
from tableseal.suppression.protections.believed import counted, judged
from tableseal.suppression.protections.figures import MeasureChange, TableChange, changes, table_changes
from tableseal.suppression.protections.method import Outcome, Recoded, Tools
from tableseal.suppression.protections.methods import method_of
from tableseal.suppression.protections.names import WORDS
from tableseal.suppression.protections.published import ordered, published
from tableseal.suppression.protections.statement import Optimum, Statement, written
from tableseal.suppression.protections.subject import Subject, subject_of


@dataclass(frozen=True)
class Protection:
    """A release with changed values.

    Attributes
    ----------
    title, digest: of the release that was given.
    release: with the changed values, and with true values as agency knowledge. statement: what was done.
    measures, tables: how far values moved, risk and utility. report: the audit of what is released.
    stopped_by: `time` if the time limit ended the method before it was sure of its answer.
    """

    title: str
    digest: str
    release: Release
    statement: Statement
    measures: tuple[MeasureChange, ...]
    tables: tuple[TableChange, ...]
    report: Report
    stopped_by: str | None = field(default=None, compare=False)

    @property
    def verdict(self) -> ReleaseVerdict:
        """Of the audit of what is released."""
        return self.report.verdict


def protect(
    release: Release,
    settings: object,
    *,
    seed: int = 0,
    policy: Policy | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    executor: Executor = HERE,
) -> Protection:
    """Change values as the settings say (see `suppression.protections.methods`), and audit the result.

    What is withheld in the release so far counts as any other cell: the method shows it, changed, and the audit says
    what is left of it.

    Parameters
    ----------
    settings: of a method; they say which. seed: of all that it draws: who knows it can undo the draws.
    policy: overrides the release's own. time_limit: seconds for the method, and again for the audit.

    Raises
    ------
    InputError: a release or settings that the method cannot use. LimitError: a size beyond what can be handled.
    """
    name, method = method_of(settings)
    tell = progress or silent
    limits = Limits(None if time_limit is None else now() + time_limit)
    subject = subject_of(release)
    rules = policy or release.policy or Policy()
    tell(name, 0, 0)
    outcome = method.run(subject, settings, Tools(seed, limits, tell, policy))
    if isinstance(outcome, Recoded):
        protected, tables = ordered(outcome.release, release), outcome.tables
    else:
        if not method.decided:
            outcome = judged(subject, outcome, rules, name)
        protected = published(subject, outcome, release)
        if method.decided:
            outcome = replace(outcome, confidence=counted(protected, rules))
        tables = table_changes(subject.release, protected)
    report = audit(protected, policy=policy, time_limit=time_limit, progress=tell, executor=executor).report
    optimised = outcome.optimised
    sure = optimised is None or optimised.status == "optimal"
    return Protection(
        title=release.title,
        digest=release_digest(release),
        release=protected,
        statement=statement_of(subject, settings, outcome, seed),
        measures=changes(subject, outcome.shown),
        tables=tables,
        report=report,
        stopped_by="time" if limits.reached and not sure else None,
    )


def statement_of(subject: Subject, settings: object, outcome: Outcome, seed: int) -> Statement:
    """What a method did, for the record."""
    name, method = method_of(settings)
    said = {one.name: getattr(settings, one.name) for one in fields(method.settings)}
    best = outcome.optimised
    confidence = None if isinstance(outcome, Recoded) else outcome.confidence
    return Statement(
        method=name,
        words=WORDS[name],
        settings={key: written(value) for key, value in said.items() if value not in (None, ())},
        seed=seed if method.draws else None,
        cells=len(subject.cells),
        additive=outcome.additive,
        details=outcome.details,
        confidence=None if confidence is None else significant(float(confidence)),
        optimum=None if best is None else Optimum.of(best),
        combined=outcome.combined if isinstance(outcome, Recoded) else (),
    )
