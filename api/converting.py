"""A release in another format: what is to be written, and what it loses."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json
    from tableseal.audit.io.formats.format import Format, Part
    from tableseal.audit.io.formats.kept import Loss
    from tableseal.audit.model import Release


@dataclass(frozen=True)
class Conversion:
    """A release and the files that it becomes in a format (None: our own release file). Nothing is written yet.

    files: path -> text in UTF-8, or bytes. losses: what of the release is not in them.
    """

    release: "Release"
    format: "Format | None"
    files: dict[Path, str | bytes]
    losses: "tuple[Loss, ...]"

    def document(self, *, files: bool = True) -> "dict[str, Json]":
        """What is said of it, schema tableseal/conversion/1. files: they are written."""
        from tableseal.audit.io import release_digest

        return {
            "schema": "tableseal/conversion/1",
            "sha256": release_digest(self.release),
            "tables": len(self.release.tables),
            "rows": self.rows,
            "format": "json" if self.format is None else self.format.key,
            "files": [path.name for path in self.files] if files else [],
            "losses": [
                {"part": loss.part.name.lower(), "count": loss.count, "text": loss.part.value, "asked_for": loss.can}
                for loss in self.losses
            ],
        }

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(len(table.codes) for table in self.release.tables)

    def lost(self) -> str:
        """The losses in words, empty if there are none."""
        lines = [f"  - {loss.text}" for loss in self.losses]
        return "\n".join(["Not in the output:", *lines]) if lines else ""


def converted(release: "Release", target: Path, found: "Format | None", asked: "Collection[Part]" = ()) -> Conversion:
    """A release in a format (None: our own), for a target.

    Raises
    ------
    InputError: what the format cannot hold and cannot leave out either. LimitError: too many cells.
    """
    from tableseal.audit.io import canonical_json
    from tableseal.audit.io.formats.out import written

    if found is None:
        return Conversion(release, None, {target: canonical_json(release).decode("utf-8")}, ())
    whole = written(release, target, found, asked)
    return Conversion(release, found, whole.files, whole.losses)


def refuse_several(release: "Release", found: "Format | None") -> None:
    """InputError if a format that holds one table is to be written to a stream."""
    if found is not None and len(release.tables) > 1:
        text = f"the release has {len(release.tables)} tables, and {found.title} holds one in a file; expected a file."
        raise InputError(f"OUT -: {text}")
