"""`ts.audit`: what an intruder can work out."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tableseal.api.auditing import run_audit
from tableseal.api.options.audit import AuditOptions
from tableseal.api.options.option import Option
from tableseal.api.python.advice import InPython
from tableseal.api.python.keywords import AS_GIVEN, Reading, Running, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.prior import belief_in
from tableseal.api.python.result import Result
from tableseal.api.python.running import remembering, telling, working
from tableseal.api.python.source import given
from tableseal.api.python.to_frame import Column, Flags, Floats, Kind, Texts, frame_of, kind_of, numbers, with_codes
from tableseal.audit.errors import InputError
from tableseal.audit.measures.feasible_tables import TablePosterior
from tableseal.audit.model import Release
from tableseal.audit.proof import Proof, proof_json
from tableseal.audit.report import (
    Report,
    ReportCell,
    public_copy,
    render_html,
    render_text,
    report_json,
)
from tableseal.audit.wording import a_kind, listing, quoted, suggestion
from tableseal.suppression.protections.public import public_release


@dataclass(frozen=True, kw_only=True)
class AuditKeywords(Running, AuditOptions, Reading):
    """Keywords of `audit`."""

    prior: Annotated[
        Any,
        AS_GIVEN,
        Option(
            "What is likely before the release, for the entropy of every cell over tables (else all that "
            "fit are equally likely): a function (cell, values) -> natural logarithms of weights, whose sum over the "
            "base cells is that of a table (cell: {variable: code}; values: array, in the measure's decimals); or "
            "means of independent Poisson counts: {codes: mean}, an array (leaf codes of each variable) or a DataFrame "
            "of codes and means; or 'poisson': every way to put the units into the cells is equally likely."
        ),
    ] = None
    state: Annotated[
        "str | os.PathLike[str] | None",
        AS_GIVEN,
        Option("File that keeps what is found (confidential); run again, it goes on from there."),
    ] = None


@dataclass(frozen=True, repr=False, eq=False)
class AuditResult(Result):
    """What an audit found. Confidential; `public()` is what may be shown.

    release: that was audited. posteriors: see `distribution`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> found = ts.audit(frame, value="persons")
    >>> found.verdict, found.cells[0].verdict, found.stopped_by
    ('unsafe', 'exposed', None)
    >>> found.to_frame().select("sex", "lower", "upper", "verdict").row(0)
    ('F', 2, 2, 'exposed')
    """

    release: Release
    report: Report
    proof: Proof | None = None
    posteriors: tuple[TablePosterior | None, ...] = ()

    def as_tables(self, expected: str) -> Release:
        """The release that was audited, with its policy."""
        return self.release

    @property
    def verdict(self) -> str:
        """safe, unsafe or undecided."""
        return self.report.verdict

    @property
    def called(self) -> str:
        """The verdict as the headline says it: `safe as listed` where more goes out than anybody judged (notes say
        what), `not judged` where nothing says what is sensitive; else the verdict."""
        return self.report.called

    @property
    def cells(self) -> tuple[ReportCell, ...]:
        """Every cell whose exact value is not published, and published ones with a finding."""
        return self.report.cells

    @property
    def stopped_by(self) -> str | None:
        """Which limit left ends of intervals open: `time` (the time limit), `bounds` (quicker ones than `integer` were
        asked for), `size` (too much hangs together to be settled by what an audit spends); None: all is settled."""
        if any(note.code == "time_limit" for note in self.report.notes):
            return "time"
        if all(cell.exact for cell in self.report.cells):
            return None
        return "size" if self.report.bounds == "integer" else "bounds"

    def public(self) -> "AuditResult":
        """The part that holds nothing but what anyone can work out from the published tables.

        Raises
        ------
        InputError: of a what-if, and where intervals rest on true values.
        """
        return AuditResult(self.origin, public_release(self.release), public_copy(self.report))

    def distribution(self, cell: Mapping[str, object], *, measure: str | None = None, kind: Kind | None = None) -> Any:
        """p(x|y): how likely each value of an open cell is over all tables that fit, by the prior if one was given.

        cell: variable -> code; a variable that is not named is at its total. measure: where there are several. Gives a
        DataFrame with the columns value and probability (see `to_frame`).

        Raises
        ------
        InputError: no such open cell; its distribution was not computed.
        """
        if not isinstance(cell, Mapping):
            raise InputError(
                f"distribution(): found {a_kind(cell)}, expected a cell as {{variable: code}}; variables are "
                f"{listing(self.release.variables)}."
            )
        at = self._position({name: str(code) for name, code in cell.items()}, measure)
        found, unit = self.report.cells[at], self.release.measures[self.report.cells[at].measure].unit
        posterior = self.posteriors[at] if at < len(self.posteriors) else None
        if found.lower is not None and found.lower == found.upper:
            values, shares = [found.lower], [1.0]
        elif posterior is None:
            raise InputError(
                "distribution(): was not computed for this cell; ask for it: audit(..., entropy='tables')."
            )
        else:
            known = posterior.distribution
            values = [(known.first + known.step * k) * unit for k in range(len(known.p))]
            shares = known.p.tolist()
        return frame_of({"value": numbers(values), "probability": Floats(shares)}, kind_of(kind, self.origin.kind))

    def _position(self, cell: Mapping[str, str], measure: str | None) -> int:
        """Where an open cell stands in the report."""
        variables = self.release.variables
        for name in cell:
            if name not in variables:
                raise InputError(
                    f"there is no variable {quoted(name)}{suggestion(name, variables)}; variables are "
                    f"{listing(variables)}."
                )
        for at, each in enumerate(self.report.cells):
            same = all(code == cell.get(name, variables[name].total) for name, code in each.cell)
            if same and measure in (None, each.measure):
                return at
        words = ", ".join(f"{name}={code}" for name, code in cell.items())
        raise InputError(f"no open cell is {words}: its value is published, or no table lists it.")

    def to_json(self) -> str:
        """The report as JSON text, schema tableseal/report/1."""
        return report_json(self.report)

    def to_html(self) -> str:
        """The report as one self-contained page."""
        return render_html(self.report, self.release, InPython("audit"))

    def text(self) -> str:
        """The report in words."""
        return render_text(
            self.report, colour=False, width=120, release=self.release, limit=40, asked=InPython("audit")
        )

    def save_proof(self, path: Any) -> tuple[Path, ...]:
        """Write the proof, which `verify` checks (confidential).

        Raises
        ------
        InputError: no proof was asked for; see `save`.
        """
        if self.proof is None:
            raise InputError("save_proof(): there is no proof; ask for one: audit(..., proof=True).")
        proof = self.proof
        return self._save(path, {".json": lambda: proof_json(proof)}, "save_proof()")

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        s = self.report.summary
        return {
            "verdict": self.verdict,
            "called": self.called,
            "cells": s.cells,
            "withheld": s.withheld,
            "exposed": s.exposed,
            "underprotected": s.underprotected,
            "undecided": s.undecided,
            "stopped_by": self.stopped_by,
        }

    def columns(self) -> Mapping[str, Column]:
        """One row for each cell that is not published exactly or that there is a finding of, then cells that no row
        lists; see the guide for the columns."""
        return cell_columns(self.report, self.release, self.origin)


def cell_columns(report: Report, release: Release, origin: Origin) -> Mapping[str, Column]:
    """Cells of a report as columns; columns of which every report of this kind has nothing are left out."""
    cells = (*report.cells, *report.implied)
    codes = {name: [dict(cell.cell).get(name) for cell in cells] for name in release.variables}
    figures: dict[str, Column] = {}
    if len(release.measures) > 1:
        figures["measure"] = Texts(cell.measure for cell in cells)
    figures |= {
        "status": Texts(cell.status for cell in cells),
        "lower": numbers([cell.lower for cell in cells]),
        "upper": numbers([cell.upper for cell in cells]),
        "attained_lower": numbers([cell.attained[0] if cell.attained else None for cell in cells]),
        "attained_upper": numbers([cell.attained[1] if cell.attained else None for cell in cells]),
        "exact": Flags(cell.exact for cell in cells),
        "values_at_least": numbers([cell.possible.at_least for cell in cells]),
        "values_at_most": numbers([cell.possible.at_most for cell in cells]),
        "entropy_bits": Floats(cell.entropy_bits for cell in cells),
        "risk": Floats(float("inf") if cell.risk is None else cell.risk for cell in cells),
        "bits_over_tables": Floats(cell.over_tables.entropy_bits if cell.over_tables else None for cell in cells),
        "verdict": Texts(cell.verdict for cell in cells),
    }
    if report.confidential:
        figures |= {
            "truth": numbers([cell.truth for cell in cells]),
            "required_lower": numbers([cell.required[0] if cell.required else None for cell in cells]),
            "required_upper": numbers([cell.required[1] if cell.required else None for cell in cells]),
            "sensitive": Flags(cell.sensitive for cell in cells),
            "rule": Texts(cell.rule for cell in cells),
            "reason": Texts(cell.reason for cell in cells),
            "insider": Texts(cell.insider.who if cell.insider else None for cell in cells),
            "insider_risk": Floats(_insider_risk(cell) for cell in cells),
            "arithmetic": Texts(cell.reveals.text if cell.reveals else None for cell in cells),
        }
    return with_codes([cell.table for cell in cells], codes, figures, origin.whole)


def _insider_risk(cell: ReportCell) -> float | None:
    known = cell.insider_risk
    return None if known is None else float("inf") if known.risk is None else known.risk


@takes(AuditKeywords)
def audit(data: object, keywords: AuditKeywords) -> AuditResult:
    """Find out what an intruder can work out from tables that are about to be published.

    Gives the interval in which an intruder can place each withheld cell, the arithmetic that reveals the exposed ones,
    the risk that remains, and a verdict: safe, unsafe or undecided.

    Parameters
    ----------
    data: path (str or Path), release document (dict), Release, or DataFrame of pandas, polars or pyarrow.
    {keywords}

    Raises
    ------
    InputError: what is given cannot be used: it says what was found and what to pass. LimitError: too much to audit.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> ts.audit(frame, value="persons", total="Total").cells[0].reveals.text
    'F = Total - M = 19 - 17 = 2'
    """
    about = given(data, keywords)
    prior = None if keywords.prior is None else belief_in(keywords.prior, about.release)
    with telling(keywords) as progress, working(keywords) as executor, remembering(keywords.state) as memory:
        found = run_audit(about.release, keywords, progress=progress, executor=executor, state=memory, prior=prior)
    return AuditResult(about.origin, about.release, found.report, found.proof, found.posteriors)
