"""The folder of results of a batch: every file whole or not there, and what was done is known again.

summary.csv  summary.json  summary.html     once the batch is done
reports/NAME.json  reports/NAME.html        what an audit says
records/NAME.json                           written last: with which inputs and options it was said
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from tableseal.audit.batch.summary import (
    Batch,
    Entry,
    EntryCounts,
    summary_csv,
    summary_html,
)
from tableseal.audit.batch.work import Audited
from tableseal.audit.codec.documents import document_of, json_of, read_record
from tableseal.audit.codec.exact_json import Json, dumps
from tableseal.audit.errors import InputError
from tableseal.audit.execution.own_folder import own_folder, write_into
from tableseal.audit.report.model import CellCounts
from tableseal.audit.report.words import headline

RECORD = "tableseal/batch-record/3"

_MARK = ".tableseal-batch"
"""Locked by the batch that is at work; marks the folder as one of ours."""

_SUMMARIES = ("summary.csv", "summary.json", "summary.html")


class Results:
    """What is in the folder. Made by `opened`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def kept(self, name: str, key: str, *, html: bool) -> Entry | None:
        """The entry of an audit with the same key that is there with its files; None if there is none."""
        try:
            record = json.loads(self._record(name).read_text("utf-8"))
            if record["schema"] != RECORD or record["key"] != key:
                return None
            entry = read_record(Entry, record["entry"], what="entry")
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return None
        wanted = [entry.report, *([entry.html] if html or entry.html else [])]
        return entry if all(file is not None and (self._folder / file).is_file() for file in wanted) else None

    def keep(self, name: str, key: str, found: Audited) -> Entry:
        """Write the report, then the record: without a record there is no report."""
        self.forget(name)
        report = found.report
        counted = {field.name: getattr(report.summary, field.name) for field in fields(CellCounts)}
        page = None if found.html is None else f"reports/{name}.html"
        entry = Entry(
            name=name,
            verdict=report.verdict,
            title=report.title,
            sha256=report.release_sha256,
            policy_sha256=report.policy_sha256,
            bounds=report.bounds,
            counts=EntryCounts(**counted, implied=len(report.implied)),
            report=f"reports/{name}.json",
            html=page,
            required_unknown=report.required_unknown,
            called=report.called,
            judged=report.judged,
            rules=report.rules,
            headline=headline(report),
        )
        write_into(self._folder, f"reports/{name}.json", found.json)
        if page is not None and found.html is not None:
            write_into(self._folder, page, found.html)
        record: dict[str, Json] = {"schema": RECORD, "key": key, "entry": document_of(entry)}
        write_into(self._folder, f"records/{name}.json", dumps(record, indent=1))
        return entry

    def forget(self, name: str) -> None:
        """Take away what an earlier run said of a release, the record first."""
        for file in (f"records/{name}.json", f"reports/{name}.json", f"reports/{name}.html"):
            (self._folder / file).unlink(missing_ok=True)

    def sum_up(self, batch: Batch) -> None:
        """Write the summaries."""
        for name, text in zip(_SUMMARIES, (summary_csv(batch), json_of(batch), summary_html(batch)), strict=True):
            write_into(self._folder, name, text)

    def clean(self) -> None:
        """Take away summaries, which would be of an earlier run."""
        for name in _SUMMARIES:
            (self._folder / name).unlink(missing_ok=True)

    def _record(self, name: str) -> Path:
        return self._folder / "records" / f"{name}.json"


@contextmanager
def opened(folder: Path) -> Iterator[Results]:
    """The results in a folder, which is made if it is not there, for one batch at a time.

    Raises
    ------
    InputError: it cannot be written, holds something else, or another batch is at work there.
    """
    with own_folder(folder, _MARK, "a batch"):
        results = Results(folder)
        results.clean()
        yield results
