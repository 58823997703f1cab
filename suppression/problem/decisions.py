"""Decisions by hand: cells that somebody wants published, or accepts as withheld, with reason, name and date."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.consent import read_day
from tableseal.audit.io.document_types import Code, Model, Text, validate
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.yaml_text import as_text, parse_document
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Consent, Release, Status
from tableseal.audit.wording import listing
from tableseal.suppression.problem.places import Places

Kind = Literal["keep_published", "accept", "accept_ranks"]


class DecisionDocument(Model):
    """One decision."""

    decision: Kind = Field(
        description="keep_published: the search must not withhold the cell; accept: the cell stays withheld; "
        "accept_ranks: its contributors may know each other by their ranks, whatever is withheld"
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
    return decisions_from_bytes(read_bytes(path, source=path.name), path.name)


def decisions_from_bytes(content: bytes, source: str) -> tuple[Decision, ...]:
    """The decisions in the content of a file; `source` is its name.

    Raises
    ------
    InputError: see `read_decisions`.
    """
    text, _ = decode(content, source)
    return decisions_from_document(parse_document(text, source), source)


def decisions_from_document(document: object, source: str = "decisions") -> tuple[Decision, ...]:
    """The decisions that a Python mapping describes.

    Raises
    ------
    InputError: see `read_decisions`.
    """
    top = Place(source)
    found = validate(DecisionsDocument, as_text(document, top), top)
    decisions = []
    for at, entry in enumerate(found.decisions):
        where = top / "decisions" / at
        for key, text in (("reason", entry.reason), ("name", entry.name)):
            if not text.strip():
                raise InputError("is empty; a decision needs a reason and a name.", at=where / key)
        day = read_day(entry.date, where / "date").isoformat()
        decisions.append(
            Decision(entry.decision, tuple(entry.cell.items()), entry.measure, entry.reason, entry.name, day)
        )
    return tuple(decisions)


@dataclass(frozen=True)
class Decided:
    """What decisions mean for a search; bool (cells). of: cell -> its decision; ranks: those on contributors who know
    each other."""

    keep: NDArray[np.bool_]
    accept: NDArray[np.bool_]
    of: Mapping[int, Decision]
    ranks: Mapping[int, Decision]

    @property
    def every(self) -> list[tuple[int, Decision]]:
        """(cell, decision), in the order of the cells."""
        return sorted([*self.of.items(), *self.ranks.items()], key=lambda entry: entry[0])

    def accepting(self, release: Release, cells: Cells) -> Release:
        """The release that says of whose contributors it is accepted that they know each other."""
        names = list(release.measures)
        new = {
            (names[int(cells.measure[c])], tuple(cells.codes[c].tolist())): f"{d.name}, {d.date}"
            for c, d in self.ranks.items()
        }
        reasons = zip(new.items(), self.ranks.values(), strict=True)
        kept = [a for a in release.accepted if (a.measure, a.codes) not in new]
        return replace(release, accepted=(*kept, *(Consent(*cell, d.reason, by) for (cell, by), d in reasons)))


def decided(
    release: Release,
    cells: Cells,
    primary: NDArray[np.bool_],
    may: NDArray[np.bool_],
    stays: NDArray[np.bool_],
    hopeless: Collection[int],
    decisions: Sequence[Decision],
) -> Decided:
    """Decisions by cell, checked against the release.

    primary, may: bool (cells), sensitive cells and those that may be withheld besides. stays: those that rounded tables
    withhold for others. hopeless: cells whose contributors know each other whatever is withheld.

    Raises
    ------
    InputError: a cell that the release does not have, or about which two decisions were made; a sensitive cell that is
        to be published, or one that only rounded tables withhold; a cell to withhold that must be published, is out
        already or is a zero. (One that is published by consent is withheld where somebody says so.) A cell with nothing
        to accept of its contributors.
    """
    places = Places(release, cells)
    keep, accept = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
    found: dict[int, Decision] = {}
    ranks: dict[int, Decision] = {}
    for decision in decisions:
        shown = listing(f"{v}={c}" for v, c in decision.cell)
        cell = places.of(dict(decision.cell), decision.measure, f"decision about {shown}")
        place = place_of(release, cells, cell)

        def wrong(text: str, place: Place = place) -> InputError:
            return InputError(f"decision about {place}: {text}", places=[place])

        if decision.kind == "accept_ranks":
            if cell not in hopeless:
                raise wrong(
                    "the ranks of its contributors do not make them known to each other (or no insider is audited); "
                    "there is nothing to accept."
                )
            ranks[cell] = decision
            continue
        if cell in found and found[cell].kind != decision.kind:
            raise wrong(f"{found[cell].name} and {decision.name} have decided differently.")
        if decision.kind == "keep_published" and primary[cell]:
            raise wrong("the cell is sensitive and cannot be kept published; it must be withheld.")
        if decision.kind == "keep_published" and stays[cell]:
            raise wrong(
                "a rounded table withholds the cell, and what it would show instead is not known; give its rounded "
                "value there as published."
            )
        agreed = bool(cells.consent[cell] and cells.exact[cell] and cells.status[cell] == Status.CONSENT)
        if decision.kind == "accept" and not (primary[cell] or may[cell] or stays[cell] or agreed):
            status = Status(int(cells.status[cell])).word
            raise wrong(f"the cell ({status}) is none that may be withheld; there is nothing to accept.")
        found[cell] = decision
        keep[cell], accept[cell] = decision.kind == "keep_published", decision.kind == "accept"
    return Decided(keep, accept & ~primary, found, ranks)
