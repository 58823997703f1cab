"""`ts.protect`: change values, and what is left to be worked out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tableseal.api.options.protect import ProtectOptions
from tableseal.api.protecting import chosen_settings, run_protection
from tableseal.api.python.audit import AuditResult
from tableseal.api.python.keywords import Reading, Running, takes
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling, working
from tableseal.api.python.source import given
from tableseal.api.python.suppress import table_columns
from tableseal.api.python.to_frame import Column
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_files
from tableseal.audit.io.formats.out import refuse_for_readers
from tableseal.audit.model import Release
from tableseal.suppression.protections.document import protection_json
from tableseal.suppression.protections.protect import Protection
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.protections.text import protection_text


@dataclass(frozen=True, kw_only=True)
class ProtectKeywords(Running, ProtectOptions, Reading):
    """Keywords of `protect`."""


@dataclass(frozen=True, repr=False, eq=False)
class ProtectResult(Result):
    """A release with changed values, and its audit. Confidential, but for `protected` and `to_frame`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({
    ...     "district": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
    ...     "sex": ["F", "M", "T"] * 3,
    ...     "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    ... })
    >>> rounded = ts.protect(frame, value="persons", base=5)
    >>> rounded.verdict, rounded.to_frame()["persons"].to_list()
    ('safe', [0, 20, 20, 15, 20, 35, 15, 40, 55])
    """

    found: Protection

    def as_tables(self, expected: str) -> Release:
        """The protected release with all that the agency knows."""
        return self.confidential

    @property
    def verdict(self) -> str:
        """Of the audit of what is released: safe, unsafe or undecided."""
        return self.found.verdict

    @property
    def stopped_by(self) -> str | None:
        """Which limit ended the method or left something open in its audit (`time`, `size`); None: none did."""
        return self.found.stopped_by or self.audit.stopped_by

    @property
    def protected(self) -> Release:
        """The release as it goes out: nothing in it but what is published.

        Raises
        ------
        InputError: its audit does not say safe.
        """
        return public_release(self._safe())

    @property
    def confidential(self) -> Release:
        """The protected release with all that the agency knows: what later releases are judged with."""
        return self.found.release

    @property
    def audit(self) -> AuditResult:
        """The audit of what is released."""
        return AuditResult(self.origin, self.found.release, self.found.report)

    def to_json(self) -> str:
        """The outcome as JSON text, schema tableseal/protection/1."""
        return protection_json(self.found)

    def public_json(self) -> str:
        """What everybody may know of it, likewise."""
        return protection_json(self.found, public=True)

    def to_html(self) -> str:
        """The audit of what is released as one page."""
        return self.audit.to_html()

    def text(self) -> str:
        """The outcome in words."""
        return protection_text(self.found, limit=40)

    def columns(self) -> Mapping[str, Column]:
        """The tables as they go out, one after another.

        Raises
        ------
        InputError: the audit does not say safe.
        """
        return table_columns(self.protected, self.origin)

    def save(self, path: Any, *, symbol: str | None = None) -> tuple[Path, ...]:
        """Write the protected release (.yaml with a CSV file for each table, or one .csv), or what was done (.json,
        confidential), or its audit (.html, confidential); gives the files that were written.

        symbol: stands for a value that is not shown, in CSV files.

        Raises
        ------
        InputError: the audit does not say safe, a file that was read, a folder that is not there, another suffix.
        """

        kept = "save ts.convert(result.confidential, format=...) there"
        refuse_for_readers(Path(str(path)).name, f"save(): {path}", kept)

        def protected() -> Mapping[Path, str | bytes]:
            return release_files(self.protected, Path(path).expanduser(), symbol=symbol)

        release = dict.fromkeys((".yaml", ".yml", ".csv"), protected)
        return self._save(path, {**release, ".json": self.to_json, ".html": self.to_html})

    def save_confidential(self, path: Any) -> tuple[Path, ...]:
        """Write the protected release with all that the agency knows, which later releases are judged with.

        Raises
        ------
        InputError: the audit does not say safe; see `save`.
        """
        text = canonical_json(self._safe()).decode("utf-8")
        return self._save(path, {".json": lambda: text})

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        best = self.found.statement.optimum
        return {
            "verdict": self.verdict,
            "method": self.found.statement.method,
            "cells": self.found.statement.cells,
            "status": None if best is None else best.status,
            "gap": None if best is None else best.gap,
            "stopped_by": self.stopped_by,
        }

    def _safe(self) -> Release:
        if self.verdict != "safe":
            raise InputError(
                f"only a release whose audit says safe goes out; this one is {self.verdict} (see result.audit). What "
                "was done is in result.document."
            )
        return self.found.release


@takes(ProtectKeywords)
def protect(data: object, keywords: ProtectKeywords) -> ProtectResult:
    """Change the values of a release by a method, audit what is released, and say risk and utility.

    Parameters
    ----------
    data: path (str or Path), release document (dict), Release, or DataFrame of pandas, polars or pyarrow.
    {keywords}

    Raises
    ------
    InputError: what is given cannot be used: it says what was found and what to pass. LimitError: too much at once.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "T"], "persons": [2, 17, 19]})
    >>> ts.protect(frame, value="persons", total="T", base=5).to_frame()["persons"].to_list()
    [0, 20, 20]
    """
    chosen_settings(keywords)  # what was asked for wrongly is said before anything is read
    about = given(data, keywords)
    with telling(keywords) as progress, working(keywords) as executor:
        found = run_protection(about.release, keywords, progress=progress, executor=executor)
    return ProtectResult(about.origin, found)
