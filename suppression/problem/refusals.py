"""What a search refuses before it begins: sensitive cells that no pattern can withhold, true values that cannot be."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of, places_of, plural
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.said import InFile, Said

NO_ROW = "a table that has its codes has no row for it, which says that it is zero; its true value is another one"


def refuse_table_risk(release: Release, policy: Policy) -> None:
    """Refuse a search where the policy limits the risk of whole tables and one is above it: withholding does not lower
    R1 (CONVENTION 806), so that no pattern makes the release safe.

    Raises
    ------
    InputError: such a table.
    """
    limit = policy.require.table_risk
    if limit is None:
        return
    from tableseal.audit.measures.risk.requirement import judge_table_risk

    found = judge_table_risk(release, limit, policy.require.table_risk_measure)
    if found.above and any(table.which == "R1" for table in found.exceeding):
        raise InputError(f"no pattern makes this release safe. {found.note().text}", keys=("require.table_risk",))


def refuse_published(release: Release, cells: Cells, primary: NDArray[np.bool_]) -> None:
    """Refuse sensitive cells that are out already, must be published or are known to everyone, and those that a rounded
    table shows.

    primary: bool (cells), to be withheld.

    Raises
    ------
    InputError: there is one.
    """
    for which, why in (
        (cells.status == Status.CONSENT, "is published by consent"),
        (cells.status == Status.MUST_PUBLISH, "must be published"),
        (cells.status == Status.FROZEN, "has been published already, as it is frozen"),
        (cells.status == Status.STRUCTURAL_ZERO, "is a zero that everyone knows"),
        (
            cells.absent_zero,
            Said(
                "another table that has its codes has no row for it, which says that it is zero: list it there as "
                "withheld, or say ",
                InFile("absent", {"leaves": "not_released"}, keyword="absent"),
                "; as it is",
            ),
        ),
    ):
        at = np.flatnonzero(primary & which)
        if len(at):
            cell = int(at[0])
            by = _says(release, cells, cell, Status.WITHHELD, Status.PRIMARY) if cells.sensitive_status[cell] else ""
            shown = int(cells.status[cell])
            against = _says(release, cells, cell, shown, shown) if shown <= Status.STRUCTURAL_ZERO else ""
            text = Said(f"is sensitive{by}, but ", why, f"{against}; it cannot be protected")
            raise InputError(text, at=place_of(release, cells, cell))
    at = np.flatnonzero(primary & cells.rounded)
    if len(at):
        raise InputError(
            f"is sensitive and stands in a rounded table ({plural(len(at), 'such cell')}). A search does not choose "
            "what a rounded table withholds: leave the cell's value out (empty, status `primary`, its true value in "
            "the column of true values), and the search sees to it that the rounded values around it do not give it "
            "away; or protect the exact table, and round what that publishes",
            at=place_of(release, cells, int(at[0])),
            places=places_of(release, cells, at.tolist()),
        )


def _says(release: Release, cells: Cells, cell: int, least: int, most: int) -> str:
    """ " (table "t1")": the first one that gives the cell a status between these; several tables may disagree."""
    codes, measure = cells.codes[cell], list(release.measures)[int(cells.measure[cell])]
    for table in release.tables if len(release.tables) > 1 else ():
        rows = (table.codes == codes).all(axis=1) & (least <= table.status) & (table.status <= most)
        if table.measure == measure and rows.any():
            return f' (table "{table.name}")'
    return ""


def refuse_differing(release: Release, cells: Cells) -> None:
    """Refuse cells whose exact value is not released and of which two tables state different true values, or of which
    one states another value than the zero that a table says by having no row.

    Raises
    ------
    InputError: there is one.
    """
    order = np.argsort(cells.listing_table, kind="stable")
    cell = cells.listing_cell[order]
    units = np.concatenate([np.empty(0, np.int64), *(table.truth.units for table in release.tables)])
    known = np.concatenate([np.empty(0, np.bool_), *(table.truth.known for table in release.tables)])
    differs = known & (units != cells.truth.units[cell]) & ~cells.exact[cell]
    at = np.unique(cell[differs])
    if len(at):
        why = NO_ROW if cells.absent_zero[at[0]] else "two tables give different true values of it"
        text = f"{why} ({plural(len(at), 'such cell')})"
        raise InputError(text, at=place_of(release, cells, int(at[0])), places=places_of(release, cells, at.tolist()))


def refuse_impossible(release: Release, cells: Cells, impossible: NDArray[np.bool_]) -> None:
    """Refuse true values that contradict what everybody is taken to know of their cells; they are confidential.

    impossible: bool (cells), those with such a value.

    Raises
    ------
    InputError: there is one.
    """
    at = np.flatnonzero(impossible)
    if len(at):
        text = f"{_contradicted(release, cells, int(at[0]))} ({plural(len(at), 'such cell')})"
        raise InputError(text, at=place_of(release, cells, int(at[0])), places=places_of(release, cells, at.tolist()))


def _contradicted(release: Release, cells: Cells, cell: int) -> str:
    if cells.rounded[cell]:
        return "is published rounded, and its true value is none that this (with the bounds everybody knows) stands for"
    if cells.absent_zero[cell]:
        return NO_ROW
    nonempty = "`intruder: {nonempty: true}` (a withheld cell is at least one unit) or " * release.intruder.nonempty
    state = "not released" if cells.status[cell] == Status.MISSING else "withheld"
    return f"is {state}, but its true value contradicts {nonempty}what bounds everybody knows of it"
