"""`ts.read`: anything that the door takes for a release -> Release."""

from tableseal.api.python.keywords import OfRecords, takes
from tableseal.api.python.source import given
from tableseal.audit.model import Release


@takes(OfRecords)
def read(data: object, keywords: OfRecords) -> Release:
    """Read tables: a release file or bare data file, a release document, or a DataFrame; with `by` records.

    What is not said of a DataFrame or a bare data file is inferred as far as that is safe; `notes` of the release say
    what was assumed, and what can be read in two ways is an error that says which keyword to pass.

    Parameters
    ----------
    data: path (str or Path), release document (dict), Release, or DataFrame of pandas, polars or pyarrow. Of pandas,
        named levels of the index are columns.
    {keywords}

    Raises
    ------
    InputError: anything that cannot be read or used.

    With `by` the tables are made of records, which stay beside them, so that rules can look at single units.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [2, 17, 19]})
    >>> ts.read(frame, value="persons", total="Total").title
    'persons by sex'
    >>> people = pl.DataFrame({"sex": ["F", "M", "F"], "age": ["0-9", "10+", "10+"]})
    >>> ts.read(people, by=["sex", "age"]).title
    'records by sex, age'
    """
    return given(data, keywords).release
