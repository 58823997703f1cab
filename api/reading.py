"""Read what the command and the service are given as the tables that audits, searches and measures take."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.api.options.risk import RiskOptions
    from tableseal.api.options.sap import SapOptions
    from tableseal.audit.measures.risk.transition import GivenMatrix
    from tableseal.audit.measures.sap.attack import Ints
    from tableseal.audit.measures.sap.population import Population
    from tableseal.audit.model import Release
    from tableseal.audit.model.count_table import CountTable

Read = Callable[[Path], "Release"]
"""Reads a release file or a data file."""


def count_table(
    path: Path, read: Read, options: "RiskOptions", *, after: bool = False
) -> "tuple[CountTable, tuple[Path, ...]]":
    """The leaf counts in a bare matrix, a data file or a release file; and the files that were read besides.

    after: it is the table after protection: of a release the published values are taken, else the true ones.

    Raises
    ------
    InputError: anything about the input that cannot be used.
    """
    from tableseal.audit.io.matrix import matrix_in
    from tableseal.audit.linear.leaf_counts import leaf_counts
    from tableseal.audit.model.count_table import CountTable

    # Sums that protection happens to make are no margins: a matrix with margins would have another shape.
    matrix = matrix_in(path, all_cells=options.all_cells or after)
    if matrix is None:
        release = read(path)
        return leaf_counts(release, published=after, table=options.table), release.files
    if options.table is not None:
        text = f"{path.name} is a bare matrix, which is one table without a name."
        raise InputError(text, at=OptionName("table", options.table))
    return CountTable.of_matrix(path.name, matrix), ()


def transition_matrix(path: Path) -> "GivenMatrix":
    """A matrix of transition probabilities.

    Raises
    ------
    InputError: a file that cannot be read, or is no matrix of numbers.
    """
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.transition_file import read_transition

    return read_transition(read_text(path, source=path.name)[0], path.name)


def population(
    path: Path, read: Read, options: "SapOptions", upper: Path | None
) -> "tuple[Population, tuple[Path, ...]]":
    """The base table in a bare matrix of counts or a release, with what is released of it; and the files that were read
    besides. upper: a matrix of upper bounds.

    Raises
    ------
    InputError: a file that cannot be used, upper bounds that do not fit, options for bare matrices only.
    """
    from tableseal.audit.io.matrix import matrix_in
    from tableseal.audit.measures.sap.population import of_release

    counts = matrix_in(path, all_cells=options.all_cells)
    if counts is None:
        release = read(path)
        refuse_bounds(options, path.name, upper=upper is not None)
        return of_release(release), release.files
    return base_table(counts, None if upper is None else upper_bounds(upper), options, path.name), ()


def refuse_bounds(options: "SapOptions", name: str, *, upper: bool) -> None:
    """InputError if options for bare matrices only go with a release. name: of its file."""
    if upper or options.rounding is not None:
        text = " go with a bare matrix of counts (no header); a release says itself what is released."
        raise InputError(OptionName("upper"), " and ", OptionName("rounding"), text, at=name)


def upper_bounds(path: Path) -> "Ints":
    """A matrix of upper bounds.

    Raises
    ------
    InputError: a file that cannot be used.
    """
    from tableseal.audit.io.files import read_text
    from tableseal.audit.io.matrix import read_matrix

    return read_matrix(read_text(path, source=path.name)[0], path.name, all_cells=True)


def base_table(counts: "Ints", upper: "Ints | None", options: "SapOptions", name: str) -> "Population":
    """The base table that a matrix of counts is, with what is released of it. name: what messages call it.

    Raises
    ------
    InputError: upper bounds that do not fit, a base of rounding that is none, no units.
    """
    from tableseal.audit.measures.sap.matrix_attack import of_counts

    try:
        return of_counts(counts, upper=upper, rounding=options.rounding, rounded_total=options.rounded_total)
    except InputError as error:
        raise InputError(str(error), at=name) from None
