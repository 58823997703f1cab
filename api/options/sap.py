"""Options of `tableseal sap`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge

from tableseal.api.options.option import Option, Options
from tableseal.api.options.shared import AllCells
from tableseal.api.options.texts import names
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.wording import quoted

if TYPE_CHECKING:
    from tableseal.audit.measures.sap.measure import SapSettings

Upper = Annotated[str | None, Option("Matrix of the tightest upper bounds of the counts.", metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class SapOptions(Options):
    """What may be said about SAP besides the table and its upper bounds."""

    rounding: Annotated[int | None, Option("The matrix is released rounded conventionally.", metavar="BASE")] = None
    rounded_total: Annotated[bool, Option("The total of the matrix is released too, rounded in the same way.")] = False
    definition: Annotated[
        Literal["static", "resolved"],
        Option(
            "What recovers a zero.",
            choices={
                "static": "the sample exhausts a cell at its upper bound",
                "resolved": "the intruder subtracts it from all that is released and solves again",
            },
        ),
    ] = "static"
    n: Annotated[
        str | None, Option("Sample sizes: 5, 0-20, 0-1000/50, several with commas, or all.", metavar="RANGE")
    ] = None
    target: Annotated[tuple[str, ...], Option("Only zeros of this cell count.", metavar="VAR=CODE,...")] = ()
    given: Annotated[
        str | None,
        Option("Key variables: one result for each of their conditional tables.", metavar="VAR,..."),
    ] = None
    known: Annotated[
        str | None, Option("Of a known unit the intruder knows these variables only.", metavar="VAR,...")
    ] = None
    schemes: Annotated[
        str | None,
        Option(
            "Compare rounding schemes of a matrix, such as conventional:3,conventional:5+total,random:3.",
            metavar="LIST",
        ),
    ] = None
    all_cells: AllCells = False
    exact: Annotated[bool, Option("Exact fractions, however long.")] = False
    replicates: Annotated[int | None, Option("Random orders where resolved is estimated.", metavar="R"), Ge(1)] = None
    seed: Annotated[int, Option("Seed of the estimate.", metavar="S"), Ge(0)] = 0

    def settings(self, *, upper: bool = False) -> "SapSettings":
        """How SAP is measured. upper: upper bounds are given.

        Raises
        ------
        InputError: an option that would have no effect, is not understood, or contradicts another.
        """
        from tableseal.audit.measures.sap.definitions import Effort
        from tableseal.audit.measures.sap.measure import SapSettings
        from tableseal.audit.measures.sap.schemes import parse_scheme

        self._refuse_mixtures(upper)
        return SapSettings(
            definition=self.definition,
            n=self.n,
            targets=tuple(map(_cell, self.target)),
            given=() if self.given is None else names(self.given),
            known=() if self.known is None else names(self.known),
            schemes=() if self.schemes is None else tuple(map(parse_scheme, self.schemes.split(","))),
            effort=Effort(exact=self.exact, replicates=self.replicates, seed=self.seed),
        )

    def _refuse_mixtures(self, upper: bool) -> None:
        if self.schemes is not None:
            without_effect = {
                "target": self.target or None,
                "given": self.given,
                "known": self.known,
                "exact": self.exact or None,
                "replicates": self.replicates,
            }
            for option in (OptionName(name) for name, value in without_effect.items() if value is not None):
                text = (OptionName("schemes"), " compares whole tables and takes no ", option, "; leave one out.")
                raise InputError(*text, at=option)
        if self.replicates is not None and self.definition == "static":
            resolved = OptionName("definition", "resolved")
            raise InputError("nothing is estimated here; it belongs to ", resolved, ".", at=OptionName("replicates"))
        if self.rounded_total and self.rounding is None:
            raise InputError("needs ", OptionName("rounding", "BASE"), ".", at=OptionName("rounded_total"))
        if upper + (self.rounding is not None) + (self.schemes is not None) > 1:
            one, another, third = map(OptionName, ("upper", "rounding", "schemes"))
            raise InputError(one, ", ", another, " and ", third, " each say what is released; give one of them.")


def _cell(text: str) -> Mapping[str, str]:
    """`row=2,column=3` -> {"row": "2", "column": "3"}."""
    cell: dict[str, str] = {}
    for part in text.split(","):
        variable, equals, code = part.partition("=")
        if not equals or variable.strip() in cell:
            expected = "VARIABLE=CODE, each variable once"
            raise InputError(found=quoted(part), expected=expected, at=OptionName("target", text))
        cell[variable.strip()] = code.strip()
    return cell
