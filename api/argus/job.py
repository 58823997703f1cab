"""A job of tau-ARGUS from beginning to end: read, planned, checked, run; what it writes is given back as texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tableseal.api.argus.document import JobReport, Step
from tableseal.api.argus.files import JobFiles
from tableseal.api.argus.outputs import FOR_READERS, output_files, unused_options
from tableseal.api.argus.plan import METHODS, Plan, Section, make_plan
from tableseal.api.argus.protect import protect
from tableseal.api.argus.releases import release_of
from tableseal.api.argus.tables import Built, build_table
from tableseal.api.argus.values import change_values
from tableseal.audit.errors import InputError, LackingDataError
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.batch import read_batch
from tableseal.audit.io.files import read_text
from tableseal.audit.model import Note, Release
from tableseal.audit.progress import Progress
from tableseal.audit.version import engine_version
from tableseal.audit.wording import quoted

if TYPE_CHECKING:
    from tableseal.audit.report.model import ReleaseVerdict, Report


@dataclass(frozen=True)
class Job:
    """A job whose commands are checked. targets: line of a command -> file that it writes."""

    name: str
    plan: Plan
    files: JobFiles
    targets: dict[str, Path]


@dataclass(frozen=True)
class Outcome:
    """What a job came to.

    verdict: the worst of all tables that were protected or are for readers. files: path -> text, all that the job
    writes; nothing but its logbook and version if it is not safe. steps: what was done. notes: what to know.
    """

    verdict: "ReleaseVerdict"
    files: dict[Path, str]
    steps: tuple[Step, ...]
    notes: tuple[Note, ...]

    def report(self, job: str) -> JobReport:
        """As it is written. job: name of its file."""
        return JobReport(self.verdict, job, self.steps, tuple(path.name for path in self.files), self.notes)


@dataclass(frozen=True)
class _Protected:
    """What became of a table. at: its position in the release. keys: see `output_files`."""

    release: Release
    at: int
    report: "Report | None"
    keys: tuple[str, ...] | None = None


UNKNOWN: Final = (
    "UNDECIDED: what readers can work out of magnitudes that cell keys changed is not known; the table is written as "
    "the job says, and whether it goes out is yours to decide."
)
"""What is said of magnitudes with rules that CKM changed."""


@dataclass
class _Run:
    """A job on its way. tables: by number; whole: releases that were made, by the numbers of their tables. binding:
    verdicts without which nothing is written."""

    job: Job
    built: tuple[Built, ...]
    progress: Progress | None
    whole: dict[tuple[tuple[int, ...], bool], Release] = field(default_factory=dict)
    protected: dict[int, _Protected] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    verdicts: list["ReleaseVerdict"] = field(default_factory=list)
    binding: list["ReleaseVerdict"] = field(default_factory=list)
    written: dict[Path, str] = field(default_factory=dict)
    outputs: list[Step] = field(default_factory=list)


def read_job(path: Path, into: Path | None = None) -> Job:
    """The job in an .arb file, with its commands checked and no data read. into: a folder for all outputs.

    Raises
    ------
    InputError: see `read_batch` and `make_plan`; an output on another machine.
    """
    text, notes = read_text(path, source=path.name)
    plan = make_plan(read_batch(text, path.name), path.name)
    files = JobFiles(path.parent, notes=list(notes), into=into)
    files.opened.append(path.resolve())
    written: Sequence[c.WriteTable | c.WriteText] = (*plan.outputs, *plan.texts)
    targets = {str(command.at): files.target(command.file, command.at) for command in written}
    for passed in plan.passed_over:
        files.notes.append(Note("argus_passed_over", f"{passed.at}: {passed.keyword}: {passed.why}."))
    for command in plan.outputs:
        unused = unused_options(command)
        if unused:
            files.notes.append(Note("argus_options", f"{command.at}: {unused}: says nothing for type {command.type}."))
    return Job(path.name, plan, files, targets)


def read_tables(job: Job) -> tuple[tuple[Built, ...], ...]:
    """The tables of each section of a job.

    Raises
    ------
    InputError: whatever in its files cannot be used.
    """
    return tuple(tuple(build_table(table, job.files) for table in section.tables) for section in job.plan.sections)


def run_job(job: Job, built: Sequence[Sequence[Built]], progress: Progress | None = None) -> Outcome:
    """Protect and write, as the job says; nothing is written here.

    Raises
    ------
    InputError, LimitError: of a search or an audit; two outputs to one file, or over an input.
    """
    runs = [_Run(job, tuple(tables), progress) for tables in built]
    for section, run in zip(job.plan.sections, runs, strict=True):
        try:
            _section(section, run)
        except LackingDataError as error:
            raise _lacking(error, section) from error
    verdicts = [verdict for run in runs for verdict in run.verdicts]
    verdict: ReleaseVerdict = "unsafe" if "unsafe" in verdicts else "undecided" if "undecided" in verdicts else "safe"
    may_go = all(verdict == "safe" for run in runs for verdict in run.binding)
    files = {path: text for run in runs for path, text in run.written.items()} if may_go else {}
    steps = [step for run in runs for step in run.steps]
    if may_go:
        steps += [step for run in runs for step in run.outputs]
    elif any(run.written for run in runs):
        steps.append(Step("not written", "No table is written: not all of them are safe."))
    notes = tuple(dict.fromkeys(job.files.notes))
    for command in job.plan.texts:
        text = _logbook(job, steps, notes) if command.what == "logbook" else f"tableseal {engine_version()}\n"
        files[job.targets[str(command.at)]] = text
    _refuse_inputs(job, files)
    return Outcome(verdict, files, tuple(steps), notes)


def _section(section: Section, run: _Run) -> None:
    if not section.actions:
        for number in range(1, len(run.built) + 1):
            _audited(run, number)
    for action in section.actions:
        if isinstance(action, c.WriteTable):
            _write(action, run)
        elif METHODS[action.method].values:
            _change(action, run)
        else:
            _suppress(action, run)


def _lacking(error: LackingDataError, section: Section) -> InputError:
    """What a rule lacks, in the words of a job."""
    rules = [table.rules.at for table in section.tables if table.rules is not None]
    remedy = (
        "the metadata of a table say which columns hold contributors (<FREQUENCY>, and <MAXSCORE> for each of the "
        "largest contributions); from microdata (<OPENMICRODATA>) they are worked out"
    )
    text = f"<SAFETYRULE>: {error.words(advised=False)}"
    return InputError(text, at=rules[0] if rules else None, places=error.places, remedy=remedy)


def _named(command: c.Suppress, run: _Run) -> tuple[tuple[int, ...], list[Built], str]:
    """Numbers of the tables that a command names, the tables, and how they are called."""
    numbers = tuple(range(1, len(run.built) + 1)) if command.table == 0 else (command.table,)
    which = "all tables as linked" if command.table == 0 else f"table {command.table}"
    return numbers, [run.built[number - 1] for number in numbers], which


def _change(command: c.Suppress, run: _Run) -> None:
    numbers, built, which = _named(command, run)
    files = run.job.files
    found = change_values(command, _release(run, numbers, keyed=command.method == "CKM"), built, files, run.progress)
    if not found.judged:
        outcome = "not judged: nothing says which cells are sensitive."
    elif found.report is None:
        outcome = UNKNOWN
        run.verdicts.append("undecided")
    else:
        outcome = _headline(found.report)
        run.verdicts.append(found.report.verdict)
        run.binding.append(found.report.verdict)
    ours = METHODS[command.method].ours
    text = f"{command.method} ({ours}), {which}: {found.words}; {outcome}"
    verdict = run.verdicts[-1] if found.judged else None
    run.steps.append(Step("changed", text, command.at.line, numbers, command.method, ours, verdict, found.report))
    for at, number in enumerate(numbers):
        keys = found.keys[at] if found.keys else ()
        run.protected[number] = _Protected(found.release, at, found.report, keys)


def _suppress(command: c.Suppress, run: _Run) -> None:
    numbers, built, which = _named(command, run)
    result = protect(command, _release(run, numbers), built, run.job.files.notes, run.progress)
    if result.release is None or result.report is None:
        why = "" if result.conflict is None else f" {result.conflict.text}"
        text = f"{command.method}, {which}: no pattern is safe.{why}"
        run.steps.append(Step("protected", text, command.at.line, numbers, command.method, result.method))
        run.verdicts.append("unsafe")
        run.binding.append("unsafe")
        return
    primaries = int(result.problem.primary.sum())
    cells = f"{primaries} sensitive and {result.secondary} further cells withheld"
    text = f"{command.method} ({result.method}), {which}: {cells}; {_headline(result.report)}"
    verdict = result.report.verdict
    run.verdicts.append(verdict)
    run.binding.append(verdict)
    run.steps.append(
        Step("protected", text, command.at.line, numbers, command.method, result.method, verdict, result.report)
    )
    for at, number in enumerate(numbers):
        run.protected[number] = _Protected(result.release, at, result.report)


def _write(command: c.WriteTable, run: _Run) -> None:
    if command.table not in run.protected and (command.type in FOR_READERS or command.options.get("AR")):
        _audited(run, command.table, binding=command.type in FOR_READERS)
    found = run.protected.get(command.table) or _Protected(_release(run, (command.table,)), 0, None)
    target = run.job.targets[str(command.at)]
    given = run.built[command.table - 1].table
    files = output_files(command, target, found.release, found.at, found.report, given, found.keys)
    twice = [path for path in files if path in run.written]
    if twice:
        raise InputError(f"{quoted(twice[0].name)} is written by another command, too.", at=command.at)
    run.written.update(files)
    names = ", ".join(path.name for path in files)
    run.outputs.append(Step("written", f"table {command.table} in {names}", command.at.line, (command.table,)))


def _audited(run: _Run, number: int, *, binding: bool = True) -> None:
    """A table that nothing protects is audited as it is."""
    from tableseal.api.auditing import run_audit
    from tableseal.api.options.audit import AuditOptions

    release = _release(run, (number,))
    report = run_audit(release, AuditOptions(), progress=run.progress).report
    run.protected[number] = _Protected(release, 0, report)
    if binding:
        run.verdicts.append(report.verdict)
        run.binding.append(report.verdict)
        text = f"table {number}, as it is: {_headline(report)}"
        run.steps.append(Step("audited", text, None, (number,), verdict=report.verdict, audit=report))


def _release(run: _Run, numbers: tuple[int, ...], *, keyed: bool = False) -> Release:
    """keyed: with the keys of its records."""
    if (numbers, keyed) not in run.whole:
        built = [run.built[number - 1] for number in numbers]
        titles = [one.table.title for one in built]
        names = [t if titles.count(t) == 1 else f"{t} ({n})" for t, n in zip(titles, numbers, strict=True)]
        release = release_of(built, run.job.files.notes, names, keyed=keyed)
        run.job.files.notes.extend(release.notes)
        run.whole[numbers, keyed] = replace(release, notes=())
    return run.whole[numbers, keyed]


def _headline(report: "Report") -> str:
    from tableseal.audit.report.words import headline

    return headline(report)


def _logbook(job: Job, steps: Sequence[Step], notes: Sequence[Note]) -> str:
    lines = [f"Job {job.name}", *(step.said for step in steps), *(f"Note: {note.text}" for note in notes)]
    return "\n".join(lines) + "\n"


def _refuse_inputs(job: Job, files: dict[Path, str]) -> None:
    inputs = {path.resolve() for path in job.files.opened}
    for path in files:
        if path.resolve() in inputs:
            raise InputError(
                f"{quoted(path.name)} is an input of the job; name another file for the output.", at=job.name
            )
