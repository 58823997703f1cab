"""What came out for every release of a batch: as JSON (schema tableseal/batch/1), CSV and a page with links."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import quote

from tableseal.audit.execution.failures import Failure
from tableseal.audit.io.spreadsheet import csv_text
from tableseal.audit.report.applied import AS_LISTED, applied_to_each, applied_words, counts_words
from tableseal.audit.report.exact_json import Json
from tableseal.audit.report.unknown import unknown_in_words
from tableseal.audit.version import engine_version

SCHEMA = "tableseal/batch/1"

Outcome = Literal["safe", "unsafe", "undecided", "failed"]

COUNTED = ("cells", "published", "withheld", "exposed", "secondary_exposed", "underprotected", "protected",
           "protected_continuous", "undecided", "not_judged")  # fmt: skip
"""What the summary of a report counts in cells."""

IMPLIED = "implied"
"""Sensitive cells that no row lists and that the release gives away, beside those counts."""


@dataclass(frozen=True)
class Entry:
    """One release of a batch.

    verdict: `failed` if there is none; then `failure` says why, and all that a report would say is None.
    counts: cells by what is known of them. report, html: files beside the summary, None if not written.
    required_unknown: withheld cells that no rule could judge.
    called: what the verdict is called ("safe as listed"). judged, rules, headline: as the report says them.
    """

    name: str
    verdict: Outcome
    failure: Failure | None = None
    title: str | None = None
    sha256: str | None = None
    policy_sha256: str | None = None
    bounds: str | None = None
    counts: Mapping[str, int] | None = None
    report: str | None = None
    html: str | None = None
    required_unknown: int | None = None
    called: str | None = None
    judged: bool | None = None
    rules: tuple[str, ...] | None = None
    headline: str | None = None

    @property
    def word(self) -> str:
        """What the verdict is called: "not judged" where nothing was, "safe as listed" where not all was."""
        return self.called or self.verdict

    @property
    def applied(self) -> str | None:
        """By which rules it was judged, in words; None: not audited."""
        return None if self.rules is None else applied_words(self.rules, self.judged is True)


@dataclass(frozen=True)
class Batch:
    """All entries by name. members: the releases that were audited together as the one entry, else empty."""

    entries: tuple[Entry, ...]
    members: tuple[str, ...] = ()

    @property
    def verdict(self) -> Outcome:
        """That of the worst release: unsafe goes before all, then what is not known although it was asked (undecided,
        or a limit was reached), then what could not be asked."""
        verdicts = {entry.verdict for entry in self.entries}
        limited = any(entry.failure is not None and entry.failure.kind == "limit" for entry in self.entries)
        if "unsafe" in verdicts:
            return "unsafe"
        if "undecided" in verdicts or limited:
            return "undecided"
        return "failed" if "failed" in verdicts else "safe"

    @property
    def word(self) -> str:
        """What the verdict is called: of releases together as their report says; else "safe as listed" if any release
        is no more than that."""
        if self.members:
            return self.entries[0].word
        return AS_LISTED if self.verdict == "safe" and self.counts()["safe_as_listed"] else self.verdict

    def counts(self) -> dict[str, int]:
        """How many releases there are of each verdict; not_judged: undecided ones that nothing judged; safe_as_listed:
        safe ones that are no more than that."""
        found = Counter(entry.verdict for entry in self.entries)
        verdicts = {v: found[v] for v in ("safe", "unsafe", "undecided", "failed")}
        return {
            "releases": len(self.entries),
            **verdicts,
            "not_judged": sum(e.judged is False for e in self.entries),
            "safe_as_listed": sum(e.called == AS_LISTED for e in self.entries),
        }

    def applied(self) -> list[str]:
        """By which rules the releases that could be audited were judged, in words."""
        return applied_to_each((e.rules, e.judged is True) for e in self.entries if e.rules is not None)


def batch_document(batch: Batch) -> dict[str, Json]:
    """The summary as nested dicts and lists."""
    return {
        "schema": SCHEMA,
        "verdict": batch.verdict,
        "called": batch.word,
        "engine": {"version": engine_version()},
        "together": list(batch.members) or None,
        "counts": batch.counts(),
        "releases": [entry_document(entry) for entry in batch.entries],
    }


def entry_document(entry: Entry) -> dict[str, Json]:
    """One entry of the summary."""
    failure = entry.failure
    return {
        "name": entry.name,
        "verdict": entry.verdict,
        "failure": None if failure is None else {"kind": failure.kind, "message": failure.message},
        "title": entry.title,
        "sha256": entry.sha256,
        "policy_sha256": entry.policy_sha256,
        "bounds": entry.bounds,
        "counts": None if entry.counts is None else dict(entry.counts),
        "report": entry.report,
        "html": entry.html,
        "required_unknown": entry.required_unknown,
        "called": entry.called,
        "judged": entry.judged,
        "rules": None if entry.rules is None else list(entry.rules),
        "headline": entry.headline,
    }


def entry_from_document(document: Mapping[str, Any]) -> Entry:
    """The entry that `entry_document` wrote. KeyError or TypeError if it is something else."""
    failure, rules = document["failure"], document["rules"]
    read = {
        "failure": None if failure is None else Failure(**failure),
        "rules": None if rules is None else tuple(rules),
    }
    return Entry(**{**document, **read})


def batch_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of tableseal/batch/1."""
    schema: dict[str, object] = json.loads(_asset("batch.json"))
    return schema


def summary_csv(batch: Batch) -> str:
    """A row for each release, for a spreadsheet."""
    counted = (*COUNTED, IMPLIED)
    header = ("release", "title", "verdict", *counted, "required_unknown", "message", "rule", "report")
    rows = [
        (
            entry.name,
            entry.title,
            entry.word,
            *(None if entry.counts is None else entry.counts.get(key) for key in counted),
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
    environment.filters |= {"link": quote, "unknown": unknown_in_words, "counts_words": counts_words}
    template = environment.from_string(_asset("batch.html"))
    return template.render(
        batch=batch, counts=batch.counts(), word=batch.word, worst=_worst_first(batch.entries), version=engine_version()
    )


def _worst_first(entries: Sequence[Entry]) -> list[Entry]:
    order = ("unsafe", "undecided", "failed", "safe")
    return sorted(entries, key=lambda entry: order.index(entry.verdict))


def _asset(name: str) -> str:
    return files("tableseal.audit.batch").joinpath(f"assets/{name}").read_text("utf-8")
