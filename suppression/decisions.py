"""Decisions by hand: cells that somebody wants published, or accepts as withheld, with reason, name and date."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from audit.errors import InputError
from audit.io.document_types import Code, Model, Text, validate
from audit.io.files import read_text
from audit.io.wording import listing, quoted
from audit.io.yaml_text import as_text, parse_document
from audit.linear.cells import Cells
from audit.linear.naming import full_name
from audit.model import Release, Status
from suppression.places import Places

Kind = Literal["keep_published", "accept"]


class DecisionDocument(Model):
    """One decision."""

    decision: Kind = Field(
        description="keep_published: the search must not withhold the cell; accept: the cell stays withheld"
    )
    cell: dict[str, Code] = Field(min_length=1, description="variable: code; a variable not named is at its total")
    measure: Text | None = Field(default=None, description="needed where the release has several")
    reason: Text
    name: Text = Field(description="who decided")
    date: Text = Field(description="YYYY-MM-DD")


class DecisionsDocument(Model):
    """A file of decisions."""

    decisions: list[DecisionDocument]


@dataclass(frozen=True)
class Decision:
    """A decision about one cell. date: ISO 8601."""

    kind: Kind
    cell: tuple[tuple[str, str], ...]
    measure: str | None
    reason: str
    name: str
    date: str


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """The decisions in a YAML or JSON file.

    Raises
    ------
    InputError: an unreadable file, an unknown key, a missing reason, name or date.
    """
    text, _ = read_text(path, source=path.name)
    return decisions_from_document(parse_document(text, path.name), path.name)


def decisions_from_document(document: object, source: str = "decisions") -> tuple[Decision, ...]:
    """The decisions that a Python mapping describes.

    Raises
    ------
    InputError: see `read_decisions`.
    """
    found = validate(DecisionsDocument, as_text(document, source), source)
    decisions = []
    for at, entry in enumerate(found.decisions):
        where = f"{source}: decisions[{at}]"
        for key, text in (("reason", entry.reason), ("name", entry.name)):
            if not text.strip():
                raise InputError(f"{where}.{key}: is empty; a decision needs a reason and a name.")
        try:
            day = date.fromisoformat(entry.date)
        except ValueError:
            raise InputError(f"{where}.date: found {quoted(entry.date)}, expected a date such as 2026-11-28.") from None
        decisions.append(
            Decision(
                entry.decision, tuple(entry.cell.items()), entry.measure, entry.reason, entry.name, day.isoformat()
            )
        )
    return tuple(decisions)


@dataclass(frozen=True)
class Decided:
    """What decisions mean for a search; bool (cells). of: cell -> its decision."""

    keep: NDArray[np.bool_]
    accept: NDArray[np.bool_]
    of: Mapping[int, Decision]


def decided(
    release: Release, cells: Cells, primary: NDArray[np.bool_], may: NDArray[np.bool_], decisions: Sequence[Decision]
) -> Decided:
    """Decisions by cell, checked against the release.

    primary, may: bool (cells), sensitive cells and those that may be withheld besides.

    Raises
    ------
    InputError: a cell that the release does not have, or about which two decisions were made; a sensitive cell that is
        to be published; a cell to withhold that must be published, is out already or is a zero. (One that is published
        by consent is withheld where somebody says so.)
    """
    places = Places(release, cells)
    keep, accept = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
    found: dict[int, Decision] = {}
    for decision in decisions:
        shown = listing(f"{v}={c}" for v, c in decision.cell)
        cell = places.of(dict(decision.cell), decision.measure, f"decision about {shown}")
        name = f"decision about {full_name(release, cells, cell)}"
        if cell in found and found[cell].kind != decision.kind:
            raise InputError(f"{name}: {found[cell].name} and {decision.name} have decided differently.")
        if decision.kind == "keep_published" and primary[cell]:
            raise InputError(f"{name}: the cell is sensitive and cannot be kept published; it must be withheld.")
        agreed = bool(cells.consent[cell] and cells.exact[cell] and cells.status[cell] == Status.CONSENT)
        if decision.kind == "accept" and not (primary[cell] or may[cell] or agreed):
            status = Status(int(cells.status[cell])).word
            raise InputError(f"{name}: the cell ({status}) is none that may be withheld; there is nothing to accept.")
        found[cell] = decision
        keep[cell], accept[cell] = decision.kind == "keep_published", decision.kind == "accept"
    return Decided(keep, accept & ~primary, found)
