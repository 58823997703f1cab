"""What became of a job, as it is written: schema tableseal/run/1."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import derived
from tableseal.audit.codec.kinds import Count
from tableseal.audit.model import Note
from tableseal.audit.report.model import ReleaseVerdict, Report
from tableseal.audit.version import engine_version

Kind = Literal["protected", "changed", "audited", "written", "not written"]


@dataclass(frozen=True)
class Step:
    """What one command came to."""

    kind: Annotated[
        Kind, "protected: cells are withheld; changed: values are; audited: a table as it is; written, not written."
    ]
    text: Annotated[str, "In words."]
    line: Annotated[Count | None, "Of the command in the job; null: of none."] = None
    tables: Annotated[tuple[int, ...], "Numbers of the tables."] = ()
    asked: Annotated[str | None, "The method that the job names; null: none."] = None
    method: Annotated[str | None, "The method that was run; null: none."] = None
    verdict: Annotated[ReleaseVerdict | None, "null: nothing was to be judged, or no pattern was found."] = None
    audit: Annotated[Report | None, "The report on it, schema tableseal/report/1; null: there is none."] = None

    @property
    def said(self) -> str:
        """In words, with the line."""
        return self.text if self.line is None else f"line {self.line}: {self.text}"


@dataclass(frozen=True)
class JobReport:
    """Outcome of a job of tau-ARGUS. The agency's own: audits in it hold confidential figures. No timings: the same job
    and files give the same bytes."""

    schema: ClassVar[Literal["tableseal/run/1"]] = "tableseal/run/1"
    verdict: Annotated[ReleaseVerdict, "The worst of all tables that were protected, changed or are for readers."]
    job: Annotated[str, "Name of the file."]
    steps: Annotated[tuple[Step, ...], "What was done, in order; files that are written come last."]
    files: Annotated[tuple[str, ...], "Names of the files that were written."]
    notes: Annotated[tuple[Note, ...], "What is not as it was in tau-ARGUS, and what else is to be known."]

    @derived(after="job", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()
