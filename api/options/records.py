"""Options that say what a bare file of records holds, and which tables are made of them."""

from csv import reader
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tableseal.api.options.option import Option, Options, declared
from tableseal.api.options.texts import pairs
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.wording import quoted, repeated

if TYPE_CHECKING:
    from tableseal.audit.io.records_document import AboutRecords


@dataclass(frozen=True, kw_only=True)
class RecordColumns(Options):
    """Whose records they are."""

    id: Annotated[
        str | None,
        Option(
            "Of records: column that identifies the unit, which is one contributor however many records it has.",
            metavar="COLUMN",
        ),
    ] = None
    holding: Annotated[
        str | None,
        Option("Of records: column of the holding; units of one holding are one contributor.", metavar="COLUMN"),
    ] = None
    weight: Annotated[str | None, Option("Of records: column of sampling weights.", metavar="COLUMN")] = None


@dataclass(frozen=True, kw_only=True)
class RecordOptions(RecordColumns):
    """Tables of records, said in few words."""

    by: Annotated[
        tuple[str, ...],
        Option(
            "Each row is the record of a unit: make a table of these columns, with totals. REGION/DISTRICT: two levels "
            "of one classification. A name with a comma stands in double quotes. May be repeated: a table each.",
            metavar="COLUMN,...",
        ),
    ] = ()
    value: Annotated[
        str | None,
        Option("Of records: column that is added up (default: records are counted).", metavar="COLUMN"),
    ] = None
    hierarchy: Annotated[
        tuple[str, ...],
        Option(
            "Of records: nested codes of a column, as .hrc or as CSV with the columns code and parent.",
            metavar="COLUMN=FILE",
        ),
    ] = ()
    total: Annotated[str | None, Option("Of records: code that totals get (default: Total).", metavar="CODE")] = None

    def about(self) -> "AboutRecords | None":
        """What is said of records; None: nothing, so that the file is a table.

        Raises
        ------
        InputError: something else is said and not what the tables are made by.
        """
        from tableseal.audit.io.records_document import AboutRecords

        if not self.by:
            others = [one.name for one in declared(RecordOptions) if getattr(self, one.name)]
            if others:
                raise InputError(
                    "is for records, of which tables are made; say by which columns (`--by region,size`).",
                    at=OptionName(others[0]),
                )
            return None
        files = pairs(self.hierarchy, "hierarchy", "COLUMN=FILE, such as region=regions.csv")
        twice = repeated(column for column, _ in files)
        if twice:
            raise InputError(f"{quoted(twice[0])} is there twice.", at=OptionName("hierarchy"))
        return AboutRecords(
            [_columns(table) for table in self.by],
            self.value,
            self.id,
            self.holding,
            self.weight,
            self.total,
            {column: {"file": file} for column, file in files},
        )


def _columns(table: str) -> list[str]:
    """Names between commas; in double quotes they may have commas themselves."""
    return [name.strip() for name in next(reader([table], skipinitialspace=True)) or [""]]
