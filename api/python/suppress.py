"""`ts.suppress`: what else to withhold."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tableseal.api.options.option import Option
from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.python.advice import InPython
from tableseal.api.python.audit import AuditResult
from tableseal.api.python.keywords import AS_GIVEN, Reading, Running, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling, working
from tableseal.api.python.source import existing, given
from tableseal.api.python.to_frame import Column, Kind, Texts, frame_of, kind_of, numbers, with_codes
from tableseal.api.suppressing import chosen_search, run_suppression, with_reasons
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io import release_files
from tableseal.audit.io.formats.out import refuse_for_readers
from tableseal.audit.io.formats.registry import format_to_write
from tableseal.audit.io.numbers import decimals_of
from tableseal.audit.model import Release, Status, Table
from tableseal.audit.wording import a_kind
from tableseal.suppression.answer import Suppression
from tableseal.suppression.problem.decisions import Decision, decisions_from_document, read_decisions
from tableseal.suppression.protections.public import public_release
from tableseal.suppression.report import suppression_json, suppression_text


@dataclass(frozen=True, kw_only=True)
class SuppressKeywords(Running, SuppressOptions, Reading):
    """Keywords of `suppress`."""

    decisions: Annotated[
        "str | os.PathLike[str] | Mapping[str, object] | Sequence[Mapping[str, object]] | None",
        AS_GIVEN,
        Option("Cells kept published or accepted as withheld by hand: a file, or what such a file holds."),
    ] = None
    last_period: Annotated[
        object,
        AS_GIVEN,
        Option("Release of the last period (a path, document or Release): stay near its pattern."),
    ] = None


@dataclass(frozen=True, repr=False, eq=False)
class SuppressResult(Result):
    """A pattern of cells to withhold, and the audit of the release with it. Confidential, but for `protected` and
    `to_frame`.

    release: that was given.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({
    ...     "district": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
    ...     "sex": ["F", "M", "T"] * 3,
    ...     "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    ... })
    >>> safe = ts.suppress(frame, value="persons", threshold=5)
    >>> safe.verdict, safe.status, safe.cost, safe.bound
    ('safe', 'optimal', 52, 52)
    >>> frame.filter(safe.pattern)["persons"].to_list()
    [2, 17, 14, 21]
    >>> ts.audit(safe.confidential).verdict
    'safe'
    """

    release: Release
    found: Suppression

    def as_tables(self, expected: str) -> Release:
        """The protected release with all that the agency knows."""
        return self.confidential

    @property
    def verdict(self) -> str:
        """Of the audit of the protected release: safe, unsafe or undecided; unsafe where no pattern is safe."""
        return self.found.verdict

    @property
    def called(self) -> str:
        """The verdict as the headline says it (see `AuditResult.called`)."""
        return self.verdict if self.found.report is None else self.found.report.called

    @property
    def status(self) -> str:
        """optimal (proved: no safe pattern is cheaper), feasible, infeasible (no pattern is safe) or unfinished."""
        return self.found.found.status

    @property
    def cost(self) -> int | float | None:
        """Cost of the secondary cells; None without a pattern."""
        return self._cost(self.found.found.cost)

    @property
    def bound(self) -> int | float | None:
        """No safe pattern is proved to cost less; None without a pattern."""
        return self._cost(self.found.found.bound)

    @property
    def stopped_by(self) -> str | None:
        """Which limit ended the search or left something open in its audit (`time`, `size`); None: none did."""
        return self.found.stopped_by or (None if self.audit is None else self.audit.stopped_by)

    @property
    def pattern(self) -> NDArray[np.bool_] | None:
        """Withheld cells, sensitive ones included: True or False for each row of the tables, one table after another.
        Of one DataFrame: a mask of its rows. None where no pattern is safe."""
        protected = self.found.release
        if protected is None:
            return None
        rows = [len(table.codes) for table in self.release.tables]
        withheld = [t.status[:n] >= Status.SECONDARY for t, n in zip(protected.tables, rows, strict=True)]
        return np.concatenate(withheld)

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
        """The protected release with all that the agency knows: what later releases are judged with.

        Raises
        ------
        InputError: no pattern is safe.
        """
        if self.found.release is None:
            raise InputError(f"no pattern is safe, so there is no protected release: {self.conflict}")
        return self.found.release

    @property
    def audit(self) -> AuditResult | None:
        """The audit of the protected release; None where no pattern is safe."""
        if self.found.report is None or self.found.release is None:
            return None
        return AuditResult(self.origin, self.found.release, self.found.report)

    @property
    def conflict(self) -> str | None:
        """Why no pattern is safe; None if one is."""
        return None if self.found.conflict is None else self.found.conflict.text

    def to_json(self) -> str:
        """The outcome as JSON text, schema tableseal/suppression/1."""
        return suppression_json(self.found)

    def to_html(self) -> str:
        """The audit of the protected release as one page."""
        if self.audit is None:
            raise InputError("no pattern is safe, so there is no protected release and no page of it.")
        return self.audit.to_html()

    def text(self) -> str:
        """The outcome in words."""
        return suppression_text(self.found, limit=40, asked=InPython("suppress"))

    def to_frame(self, kind: Kind | None = None, *, tell_statuses: bool = False) -> Any:
        """The protected tables as they go out, in the order of their rows: no value where one is withheld. Of a pandas
        frame the rows keep their index.

        tell_statuses: whether a cell is withheld for itself (primary) or for another one (secondary) is told.

        Raises
        ------
        InputError: the audit does not say safe; the library is not installed.
        """
        release = public_release(self._safe(), tell_statuses=tell_statuses)
        return frame_of(table_columns(release, self.origin), kind_of(kind, self.origin.kind), self.origin.index)

    def save(self, path: Any, *, tell_statuses: bool = False, symbol: str | None = None) -> tuple[Path, ...]:
        """Write the protected release (.yaml with a CSV file for each table, one .csv, .px, .jsonstat.json or
        .sdmx.csv), or what was found (.json, confidential), or its audit (.html, confidential); gives the files that
        were written.

        tell_statuses: as in `to_frame`. symbol: stands for a withheld value in CSV files.

        Raises
        ------
        InputError: the audit does not say safe, a file that was read, a folder that is not there, another suffix.
        """

        name = Path(str(path)).name
        refuse_for_readers(name, f"save(): {path}", "save ts.convert(result.confidential, format=...) there")

        def protected() -> Mapping[Path, str | bytes]:
            public = public_release(self._safe(), tell_statuses=tell_statuses)
            return release_files(public, Path(path).expanduser(), symbol=symbol)

        release = dict.fromkeys((".yaml", ".yml", ".csv", ".px"), protected)
        named = format_to_write(name) is not None
        return self._save(path, {**release, ".json": protected if named else self.to_json, ".html": self.to_html})

    def save_confidential(self, path: Any) -> tuple[Path, ...]:
        """Write the protected release with all that the agency knows, which later releases are judged with (.yaml with
        a CSV file for each table, or .json); gives the files that were written.

        Raises
        ------
        InputError: the audit does not say safe; see `save`.
        """
        release = self._safe()

        def kept() -> Mapping[Path, str | bytes]:
            return release_files(release, Path(path).expanduser())

        return self._save(path, dict.fromkeys((".yaml", ".yml", ".json"), kept), "save_confidential()")

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {
            "verdict": self.verdict,
            "called": self.called,
            "method": self.found.method,
            "status": self.status,
            "primary": int(self.found.problem.primary.sum()),
            "secondary": self.found.secondary,
            "cost": self.cost,
            "bound": self.bound,
            "stopped_by": self.stopped_by,
        }

    def _safe(self) -> Release:
        if self.verdict != "safe" or self.found.release is None:
            why = self.conflict or "see result.audit"
            raise InputError(
                f"only a release whose audit says safe goes out; this one is {self.verdict} ({why}). What was found is "
                "in result.document."
            )
        return self.found.release

    def _cost(self, steps: int) -> int | float | None:
        if self.found.found.pattern is None:
            return None
        cost = Fraction(steps, self.found.problem.scale)
        return int(cost) if cost.denominator == 1 else float(cost)


def table_columns(
    release: Release, origin: Origin, more: Mapping[str, Column] = MappingProxyType({})
) -> Mapping[str, Column]:
    """The tables of a release as columns, one table after another. more: figures of the cells beside these."""
    named = dict.fromkeys(name for table in release.tables for name in table.named)
    columns: dict[str, list[str | None]] = {name: [] for name in named}
    tables: list[str] = []
    values: list[Fraction | int | None] = []
    statuses: list[str | None] = []
    for table in release.tables:
        for at, (name, hierarchy) in enumerate(release.variables.items()):
            if name in columns:
                columns[name] += [hierarchy.codes[position] for position in table.codes[:, at].tolist()]
        tables += [table.name] * len(table.codes)
        shown = decimals_of(table.value, release.measures[table.measure].unit)
        values += [value if value is None or isinstance(value, int) else Fraction(value) for value in shown]
        statuses += [Status(status).word for status in table.status.tolist()]
    figures: dict[str, Column] = {_value_name(release.tables): numbers(values), "status": Texts(statuses)}
    return with_codes(tables, columns, {**figures, **more}, origin.whole)


def _value_name(tables: Sequence[Table]) -> str:
    """What the user's own table calls its values, if there is one table."""
    headings = tables[0].headings
    return "value" if len(tables) > 1 or headings is None else headings.value


@takes(SuppressKeywords)
def suppress(data: object, keywords: SuppressKeywords) -> SuppressResult:
    """Withhold cells so that every sensitive cell stays protected, at least cost, and audit the result.

    Withheld cells need their true values: of a DataFrame the values beside their statuses, or a column `truth`.

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
    >>> frame = pl.DataFrame({
    ...     "district": ["N", "N", "N", "S", "S", "S", "T", "T", "T"],
    ...     "sex": ["F", "M", "T"] * 3,
    ...     "persons": [2, 17, 19, 14, 21, 35, 16, 38, 54],
    ... })
    >>> ts.suppress(frame, value="persons", total="T", threshold=5).to_frame()["persons"].to_list()
    [None, None, 19, None, None, 35, 16, 38, 54]
    """
    chosen_search(keywords)  # what was asked for wrongly is said before anything is read
    about = given(data, keywords)
    last = None if keywords.last_period is None else given(keywords.last_period, Reading()).release
    decisions = _decisions(keywords.decisions)
    with telling(keywords) as progress, working(keywords) as executor:
        found = run_suppression(
            about.release,
            keywords,
            decisions=decisions,
            last=last,
            progress=progress,
            executor=executor,
        )
        return SuppressResult(about.origin, about.release, with_reasons(found, keywords, executor=executor))


def _decisions(decisions: object) -> tuple[Decision, ...]:
    expected = "the path of a file of decisions, or what such a file holds"
    if decisions is None:
        return ()
    if isinstance(decisions, str | os.PathLike):
        return read_decisions(existing(decisions, expected))
    if isinstance(decisions, Mapping):
        return decisions_from_document(decisions)
    if isinstance(decisions, Sequence):
        return decisions_from_document({"decisions": list(decisions)})
    raise InputError(found=a_kind(decisions), expected=expected, at=OptionName("decisions"))
