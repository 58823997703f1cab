"""A protection as it is written, schema tableseal/protection/1."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.codec.declared import PUBLIC, Key, derived
from tableseal.audit.codec.documents import document_of
from tableseal.audit.codec.exact_json import Json, dumps
from tableseal.audit.codec.kinds import Digest
from tableseal.audit.codec.public import public_part
from tableseal.audit.report.model import ReleaseVerdict, Report
from tableseal.audit.report.public import public_copy
from tableseal.audit.version import engine_version
from tableseal.suppression.protections.figures import MeasureChange, TableChange
from tableseal.suppression.protections.protect import Protection
from tableseal.suppression.protections.statement import Statement


@dataclass(frozen=True)
class ProtectionReport:
    """Outcome of a protection that changes values. What was done, how far values moved, risk, utility, and the audit of
    what is released. No timings: the same input and seed give the same bytes."""

    schema: ClassVar[Literal["tableseal/protection/1"]] = "tableseal/protection/1"
    confidential: Annotated[bool, "False: a public copy, with what everybody may know."]
    verdict: Annotated[ReleaseVerdict, "Of the audit.", PUBLIC]
    title: Annotated[str, Key("release.title"), PUBLIC]
    release_sha256: Annotated[
        Digest | None, "Of the release that was given; null in a public copy.", Key("release.sha256")
    ]
    statement: Annotated[Statement, PUBLIC]
    measures: Annotated[tuple[MeasureChange, ...], "How far values moved; empty in a public copy."]
    tables: Annotated[tuple[TableChange, ...], "Risk and utility of tables of counts; empty in a public copy."]
    audit: Annotated[Report, "The report on the release as it goes out, schema tableseal/report/1.", PUBLIC]

    @derived(after="release_sha256", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()


def protection_report(found: Protection) -> ProtectionReport:
    """The outcome as it is written."""
    return ProtectionReport(
        True,
        found.verdict,
        found.title,
        found.digest,
        found.statement,
        found.measures,
        found.tables,
        found.report,
    )


def public_protection(report: ProtectionReport) -> ProtectionReport:
    """What everybody may know of it."""
    return public_part(report, confidential=False, audit=public_copy(report.audit))


def protection_document(found: Protection, *, public: bool = False) -> dict[str, Json]:
    """The outcome as a document, numbers still exact. public: the public copy."""
    report = protection_report(found)
    return document_of(public_protection(report) if public else report)


def protection_json(found: Protection, *, public: bool = False) -> str:
    """The same as JSON text; same outcome, same text."""
    return dumps(protection_document(found, public=public), indent=1)
