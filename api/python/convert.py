"""`ts.convert`: a release in another format, and what is lost there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tableseal.api.converting import Conversion, converted
from tableseal.api.options.conversion import ConversionOptions
from tableseal.api.python.keywords import Reading, takes
from tableseal.api.python.result import Result
from tableseal.api.python.source import given
from tableseal.api.python.to_frame import Column, Flags, Texts, Whole
from tableseal.audit.codec.exact_json import dumps
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.formats.kept import Loss
from tableseal.audit.io.formats.out import format_named
from tableseal.audit.model import Release


@dataclass(frozen=True, kw_only=True)
class ConvertKeywords(ConversionOptions, Reading):
    """Keywords of `convert`."""


@dataclass(frozen=True, repr=False, eq=False)
class ConvertResult(Result):
    """A release in another format, which `save` writes.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> found = ts.convert(frame, value="persons", total="Total", format="px")
    >>> [loss.text for loss in found.losses]
    []
    """

    release: Release
    options: ConversionOptions

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What of the release the format cannot hold: `part`, `count` and `text` of each."""
        return self._conversion(Path("release")).losses

    def _conversion(self, target: Path) -> Conversion:
        found = format_named(self.options.format, "")
        return converted(self.release, target, found, self.options.asked())

    def save(self, path: Any) -> tuple[Path, ...]:
        """Write the release; of several tables each becomes a file of its own, where the format holds one. Gives the
        files that were written.

        Raises
        ------
        InputError: a file that was read, a folder that is not there.
        """
        target = Path(str(path)).expanduser()
        return self._save(path, {target.suffix.lower(): lambda: self._conversion(target).files})

    def to_json(self) -> str:
        """The losses as JSON text, schema tableseal/conversion/1."""
        return dumps(self._conversion(Path("release")).document(files=False), indent=1)

    def text(self) -> str:
        """The losses in words."""
        return self._conversion(Path("release")).lost() or "Nothing is lost."

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"format": self.options.format, "tables": len(self.release.tables), "losses": len(self.losses)}

    def columns(self) -> Mapping[str, Column]:
        """A row for each loss."""
        return {
            "part": Texts(loss.part.name.lower() for loss in self.losses),
            "count": Whole(loss.count for loss in self.losses),
            "text": Texts(loss.part.value for loss in self.losses),
            "asked_for": Flags(loss.can for loss in self.losses),
        }


@takes(ConvertKeywords)
def convert(data: object, keywords: ConvertKeywords) -> ConvertResult:
    """Put a release into another format; `losses` of the result says what that cannot hold, `save` writes it.

    Parameters
    ----------
    data: path (str or Path), release document (dict), Release, or DataFrame of pandas, polars or pyarrow.
    {keywords}

    Raises
    ------
    InputError: what cannot be read or used, no format, what the format cannot hold and cannot leave out either.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["F", "M", "Total"], "persons": [None, 17, 19]})
    >>> ts.convert(frame, value="persons", total="Total", format="json-stat")
    ConvertResult(format='json-stat', tables=1, losses=0)
    """
    if keywords.format is None:
        raise InputError(expected="json, px, json-stat, sdmx-csv, excel, ...", found="none", at=OptionName("format"))
    format_named(keywords.format, "")
    about = given(data, keywords)
    options = ConversionOptions(
        format=keywords.format, true_values=keywords.true_values, tell_statuses=keywords.tell_statuses
    )
    return ConvertResult(about.origin, about.release, options)
