"""Protected releases that verbs write."""

from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.cli.streams import STREAM, write_target
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.model import Release


def refuse_mixtures(*, output: str | None, confidential: str | None, symbol: str | None) -> None:
    """Refuse files that cannot hold what is to be written into them, and a symbol that goes nowhere.

    Raises
    ------
    InputError: names the option.
    """
    from tableseal.audit.io import check_symbol
    from tableseal.audit.io.formats.out import refuse_for_readers
    from tableseal.audit.io.formats.registry import format_to_write
    from tableseal.audit.wording import quoted

    if confidential is not None and confidential != STREAM:
        other = format_to_write(Path(confidential).name)
        if other is not None or Path(confidential).suffix.lower() == ".csv":
            what = "a CSV file" if other is None else other.title
            raise InputError(
                f"--confidential {confidential}: {what} has no place for the policy; write .yaml or .json."
            )
    if output not in (None, STREAM):
        remedy = f"write --confidential NAME.json, then `tableseal convert NAME.json {output}`"
        refuse_for_readers(Path(str(output)).name, f"--output {output}", remedy)
    if symbol is None:
        return
    if output in (None, STREAM) or Path(str(output)).suffix.lower() == ".json":
        raise InputError(f"--symbol {quoted(symbol)}: is for CSV files; write them with -o NAME.yaml or NAME.csv.")
    check_symbol(symbol, Path(str(output)))


def release_targets(release: "Release", option: str, target: str | None) -> dict[str, str | None]:
    """Every file that the protected release needs, so that none of them overwrites an input."""
    from tableseal.audit.io import file_names

    if target is None or target == STREAM:
        return {option: target}
    names = file_names(release, Path(target))
    return {option if name == Path(target) else f"{option} ({name.name})": str(name) for name in names}


def write_release(release: "Release", target: str, symbol: str | None = None) -> None:
    """A release as the file's ending says, or as JSON on standard output."""
    from tableseal.audit.io import canonical_json, release_files

    if target == STREAM:
        write_target(STREAM, canonical_json(release).decode("utf-8"))
        return
    for path, text in release_files(release, Path(target), symbol=symbol).items():
        write_target(str(path), text)
