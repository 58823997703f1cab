"""What came out for every release of a batch: as JSON (schema tableseal/batch/1), CSV and a page with links."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Annotated, ClassVar, Literal
from urllib.parse import quote

from tableseal.audit.codec.declared import Key, derived
from tableseal.audit.codec.kinds import Also, Count, Digest
from tableseal.audit.execution.failures import Failure
from tableseal.audit.io.spreadsheet import csv_text
from tableseal.audit.report.applied import AS_LISTED, applied_to_each, applied_words, counts_words
from tableseal.audit.report.model import Called, CellCounts, ReleaseVerdict
from tableseal.audit.report.unknown import unknown_in_words
from tableseal.audit.version import engine_version

Outcome = Literal[ReleaseVerdict, "failed"]


def worst(outcomes: Iterable[tuple[Outcome, Failure | None]]) -> Outcome:
    """The worst of several: unsafe goes before all, then what is not known although it was asked (undecided, or a limit
    was reached), then what could not be asked."""
    found = list(outcomes)
    verdicts = {verdict for verdict, _ in found}
    limited = any(failure is not None and failure.kind == "limit" for _, failure in found)
    if "unsafe" in verdicts:
        return "unsafe"
    if "undecided" in verdicts or limited:
        return "undecided"
    return "failed" if "failed" in verdicts else "safe"


@dataclass(frozen=True)
class EntryCounts(CellCounts):
    """Numbers of cells, as the summary of a report has them."""

    implied: Annotated[Count, "Sensitive cells that no row lists and that the release gives away."]


@dataclass(frozen=True)
class Entry:
    """One release of a batch: without a verdict, all that a report would say is null."""

    name: Annotated[str, "File of the release inside the folder, the archive or beside the manifest."]
    verdict: Outcome
    failure: Annotated[Failure | None, "Why there is no report."] = None
    title: str | None = None
    sha256: Annotated[Digest | None, "Digest of the canonical release."] = None
    policy_sha256: Digest | None = None
    bounds: Annotated[str | None, Also({"enum": ["shuttle", "lp", "integer", None]})] = None
    counts: Annotated[EntryCounts | None, "Cells."] = None
    report: Annotated[str | None, "File of the report beside the summary."] = None
    html: Annotated[str | None, "The report as a page."] = None
    required_unknown: Annotated[
        Count | None,
        "Withheld cells that no rule could judge, for want of true values, contributors or a policy: how wide their "
        "intervals must stay is not known.",
    ] = None
    called: Annotated[
        Called | None,
        "What the verdict is called: `safe as listed` where cells that no row lists can be computed and no rule could "
        "judge them, or were not looked for; `not judged` where nothing says what is sensitive; else the verdict.",
    ] = None
    judged: Annotated[
        bool | None,
        "A rule or a status says what is sensitive; false: nothing was judged, and the verdict is undecided.",
    ] = None
    rules: Annotated[tuple[str, ...] | None, "The rules that were applied, in words; empty: none."] = None
    headline: Annotated[str | None, "What the report says in one or two sentences."] = None

    @property
    def word(self) -> Literal[Called, "failed"]:
        """What the verdict is called: "not judged" where nothing was, "safe as listed" where not all was."""
        return self.called or self.verdict

    @property
    def applied(self) -> str | None:
        """By which rules it was judged, in words; None: not audited."""
        return None if self.rules is None else applied_words(self.rules, self.judged is True)


@dataclass(frozen=True)
class BatchCounts:
    """How many releases there are, and how many of each verdict."""

    releases: Count
    safe: Count
    unsafe: Count
    undecided: Count
    failed: Count
    not_judged: Annotated[Count, "Undecided ones of which nothing says what is sensitive."]
    safe_as_listed: Annotated[
        Count,
        "Safe ones of which cells that no row lists can be computed and no rule could judge them.",
    ]


@dataclass(frozen=True)
class Batch:
    """Summary of a batch. All entries stand by name."""

    schema: ClassVar[Literal["tableseal/batch/1"]] = "tableseal/batch/1"
    members: Annotated[
        tuple[str, ...] | None,
        "Releases that were audited together as the one entry; null: each by itself.",
        Also({"minItems": 1}),
        Key("together"),
    ]
    entries: Annotated[tuple[Entry, ...], Also({"minItems": 1}), Key("releases")]

    @derived(after="schema")
    def verdict(self) -> Outcome:
        """That of the worst release: unsafe goes before all, then what is not known although it was asked (undecided,
        or a limit was reached), then what could not be asked."""
        return worst((entry.verdict, entry.failure) for entry in self.entries)

    @derived(after="verdict", key="called")
    def word(self) -> Literal[Called, "failed"]:
        """What the verdict is called: of releases together as their report says; else `safe as listed` if any release
        is no more than that."""
        if self.members:
            return self.entries[0].word
        return AS_LISTED if self.verdict == "safe" and self.counts.safe_as_listed else self.verdict

    @derived(after="word", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()

    @derived(after="members")
    def counts(self) -> BatchCounts:
        """How many releases there are, and how many of each verdict."""
        found = Counter(entry.verdict for entry in self.entries)
        return BatchCounts(
            releases=len(self.entries),
            safe=found["safe"],
            unsafe=found["unsafe"],
            undecided=found["undecided"],
            failed=found["failed"],
            not_judged=sum(e.judged is False for e in self.entries),
            safe_as_listed=sum(e.called == AS_LISTED for e in self.entries),
        )

    def applied(self) -> list[str]:
        """By which rules the releases that could be audited were judged, in words."""
        return applied_to_each((e.rules, e.judged is True) for e in self.entries if e.rules is not None)


def summary_csv(batch: Batch) -> str:
    """A row for each release, for a spreadsheet."""
    counted = [field.name for field in fields(EntryCounts)]
    header = ("release", "title", "verdict", *counted, "required_unknown", "message", "rule", "report")
    rows = [
        (
            entry.name,
            entry.title,
            entry.word,
            *(None if entry.counts is None else getattr(entry.counts, key) for key in counted),
            entry.required_unknown,
            entry.headline if entry.failure is None else entry.failure.message,
            entry.applied,
            entry.html or entry.report,
        )
        for entry in batch.entries
    ]
    return csv_text(header, rows)


def summary_html(batch: Batch) -> str:
    """A self-contained page that links to the reports beside it."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters |= {"link": quote, "unknown": unknown_in_words}
    template = environment.from_string(files("tableseal.audit.batch").joinpath("assets/batch.html").read_text("utf-8"))
    return template.render(batch=batch, verdicts=counts_words(vars(batch.counts)), worst=_worst_first(batch.entries))


def _worst_first(entries: Sequence[Entry]) -> list[Entry]:
    order = ("unsafe", "undecided", "failed", "safe")
    return sorted(entries, key=lambda entry: order.index(entry.verdict))
