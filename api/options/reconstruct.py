"""Options of `tableseal reconstruct`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from tableseal.api.options.option import Option, Options
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.audit.reconstruction.reconstruct import Effort


@dataclass(frozen=True, kw_only=True)
class ReconstructOptions(Options):
    """What is asked of small areas."""

    areas: Annotated[str | None, Option("Variable of places; each of them is one area.", metavar="VARIABLE")] = None
    tables: Annotated[
        int, Option("Possible tables that are counted of each part of an area.", metavar="N"), Ge(2), Le(10**6)
    ] = 1000
    records: Annotated[bool, Option("Also list which records are certain (confidential, in JSON).")] = False

    def chosen(self) -> str:
        """The variable of places.

        Raises
        ------
        InputError: it is not said.
        """
        if self.areas is None:
            raise InputError(expected="the variable of places", at=OptionName("areas"))
        return self.areas

    def effort(self) -> "Effort":
        """How long it is looked."""
        from tableseal.audit.reconstruction.reconstruct import Effort

        return Effort(self.tables)
