"""Tables whose values were changed as tau-ARGUS writes them: what readers see, and type 7 of cell keys."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tableseal.audit.io.argus.intermediate import SEPARATOR, code_text, described_dimensions, free_word
from tableseal.audit.io.argus.shown import ShownTable
from tableseal.audit.model import Release


@dataclass(frozen=True)
class ChangedColumns:
    """What type 7 has beside changed values: true ones, differences, keys. With any of them it is not for readers."""

    original: bool = False
    difference: bool = False
    key: bool = False


def as_published(release: Release, at: int) -> Release:
    """The release whose table at a position has no value but the published one, and says nothing of contributors: an
    empty cell must not differ from one that was changed to 0."""
    table = release.tables[at]
    tables = list(release.tables)
    tables[at] = replace(table, rounding=None, truth=table.value, frequency=None, contributors=(), cost=None)
    return replace(release, tables=tuple(tables))


def changed_files(
    shown: ShownTable,
    true: Sequence[Fraction],
    keys: Sequence[str],
    stem: str,
    wanted: ChangedColumns,
    *,
    quotes: bool,
    leave_out_empty: bool,
) -> dict[str, str]:
    """Type 7: name -> text of STEM.rda and of its hierarchies, and of the data under the name "".

    true: of each row of the table; keys: of each row, as text.

    Raises
    ------
    InputError: codes that the format cannot hold.
    """
    described, files = described_dimensions(shown, stem)
    files[f"{stem}.rda"] = described + _columns(shown, wanted)
    lines = []
    for cell in shown.cells:
        if cell.empty and leave_out_empty:
            continue
        assert cell.value is not None
        entries = [*(code_text(code, quotes=quotes) for code in cell.codes), shown.number(cell.value)]
        entries += [shown.number(true[cell.row])] if wanted.original else []
        entries += [shown.number(cell.value - true[cell.row])] if wanted.difference else []
        entries += [keys[cell.row]] if wanted.key else []
        lines.append(SEPARATOR.join(entries))
    files[""] = "\n".join(lines) + "\n"
    return files


def _columns(shown: ShownTable, wanted: ChangedColumns) -> str:
    """Of the .rda file, behind the classifications. Keys have no role that files of tables know."""
    taken = {h.name.casefold() for h in shown.dimensions}
    lines: list[str] = []
    numeric = [(True, shown.table.measure), (wanted.original, "Original"), (wanted.difference, "Difference")]
    for there, name in numeric:
        if there:
            lines += [free_word(name, taken), "  <NUMERIC>", f"  <DECIMALS> {shown.decimals}"]
    return "\n".join([*lines, *([free_word("CellKey", taken)] if wanted.key else [])]) + "\n"
