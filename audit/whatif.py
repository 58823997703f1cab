"""What if only the primaries were withheld?"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import AdditivityError, InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.linear.staying import stays_withheld
from tableseal.audit.model import Amounts, Release, Status
from tableseal.audit.rules import Sensitivity

MISFIT = InputError(
    "What-if: the true values of the secondary cells, which the what-if publishes, do not fit what is released. "
    "Audit the release itself, and mend the true values."
)
"""Where no single equation says it."""


def what_if_misfit(error: AdditivityError) -> AdditivityError:
    """The same error in the words of the what-if: values that it alone publishes are not in it (see `prepare`)."""
    text = f"What-if: the true values of withheld cells, which the what-if publishes, do not fit.\n{error}"
    return AdditivityError(text, places=error.places, imbalances=error.imbalances)


def withhold_primaries(release: Release, cells: Cells, sensitivity: Sensitivity) -> Cells:
    """The same cells with exactly the sensitive ones withheld: sensitive by rule, or primary or withheld in the file.

    Secondary cells are published with their true values; missing cells stay as they are; a frozen cell is out already
    and stays published, and what an earlier period withheld stays withheld.

    Raises
    ------
    InputError: a secondary cell without a true value, or of nothing but rounded tables.
    """
    sensitive = sensitivity.sensitive | cells.sensitive_status
    sensitive &= (cells.status != Status.FROZEN) & (cells.status != Status.MISSING)
    earlier = np.array([measure.previous is not None for measure in release.measures.values()], np.bool_)
    published = (cells.status == Status.SECONDARY) & ~sensitive & ~earlier[cells.measure]
    unknown = np.flatnonzero(published & ~cells.truth.known)
    if len(unknown):
        more = f" ({len(unknown)} such cells)" if len(unknown) > 1 else ""
        text = f"the what-if publishes secondary cells, and this one has no true value{more}; add a truth column"
        raise InputError(text, at=place_of(release, cells, int(unknown[0])))
    rounded = np.flatnonzero(published & stays_withheld(release, cells))
    if len(rounded):
        raise InputError(
            "the what-if would have to publish this secondary cell of a rounded table, and its rounded value is not "
            "given; give it as published, or audit the release as it is",
            at=place_of(release, cells, int(rounded[0])),
        )
    return exactly_withheld(cells, sensitive, published)


def exactly_withheld(cells: Cells, sensitive: NDArray[np.bool_], published: NDArray[np.bool_]) -> Cells:
    """The same cells with some withheld as primary and others, whose true values are known, published.

    sensitive, published: bool (cells).
    """
    status = cells.status.copy()
    status[sensitive] = Status.PRIMARY
    status[published] = Status.PUBLISHED

    # A sensitive cell no longer says anything; bounds that the intruder has anyway stay known.
    silent = sensitive & (cells.exact | cells.rounded)
    return replace(
        cells,
        status=status,
        lower=restated(cells.lower, cells.known_lower, cells.truth, silent=silent, shown=published),
        upper=restated(cells.upper, cells.known_upper, cells.truth, silent=silent, shown=published),
        exact=(cells.exact & ~sensitive) | published,
        rounded=cells.rounded & ~sensitive,
        withheld_status=cells.withheld_status & ~published,
    )


def restated(
    said: Amounts, known: Amounts, value: Amounts, *, silent: NDArray[np.bool_], shown: NDArray[np.bool_]
) -> Amounts:
    """What is said of cells when some fall silent (only what is `known` anyway stays) and others show their value."""
    units = np.where(shown, value.units, np.where(silent, known.units, said.units))
    return Amounts(units, np.where(silent, known.known, said.known) | shown)
