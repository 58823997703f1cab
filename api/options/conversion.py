"""What `convert` asks besides how the release is read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tableseal.api.options.option import Option, Options

if TYPE_CHECKING:
    from tableseal.audit.io.formats.format import Part


@dataclass(frozen=True, kw_only=True)
class ConversionOptions(Options):
    """In which format, and what of what is confidential."""

    format: Annotated[
        str | None,
        Option(
            "Format to write: json (a release file with all that there is), px, json-stat, sdmx-csv (2.0), sdmx-csv-1 "
            "(1.0), excel, excel-cross, parquet, tau-argus, jj, g-confid, sdctable or csvw. Left out: as the "
            "name ends (.json, .px, .jsonstat.json, .sdmx.csv, .sdmx1.csv, .xlsx, .cross.xlsx, .parquet, .tab, .jj, "
            ".cells.csv, .sdctable.json, .csv-metadata.json).",
            metavar="FORMAT",
        ),
    ] = None
    true_values: Annotated[
        bool,
        Option("Write true values beside statuses into formats that are made for readers, where they have a place."),
    ] = False
    tell_statuses: Annotated[
        bool, Option("Tell sensitive cells from those withheld to protect them, where the format can.")
    ] = False

    def asked(self) -> "frozenset[Part]":
        """Confidential parts that are to be written."""
        from tableseal.audit.io.formats.format import Part

        truth = {Part.TRUTH} if self.true_values else set()
        return frozenset(truth | ({Part.PRIMARY, Part.SECONDARY} if self.tell_statuses else set()))
