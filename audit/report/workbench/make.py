"""A report written so that any part of it is at hand."""

from dataclasses import asdict, fields

from tableseal.audit.codec.exact_json import decimal_text
from tableseal.audit.language import ENGLISH, LANGUAGES, speaking
from tableseal.audit.model.release import Release
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.cell_words import cell_words
from tableseal.audit.report.front import front_of
from tableseal.audit.report.model import Report
from tableseal.audit.report.outline import outline_of
from tableseal.audit.report.words import HTML, number, printable, totals_of
from tableseal.audit.report.workbench.cells import Columns, Mark, columns_of
from tableseal.audit.report.workbench.packed import packed


def workbench(report: Report, release: Release, asked: Asked | None = None) -> bytes:
    """The file. Of a public report it holds only the report and what the release publishes.

    Raises
    ------
    InputError: the report does not belong to this release.
    """
    columns = columns_of(release, report)
    named = {field.name: getattr(columns, field.name) for field in fields(Columns)}
    return packed({"meta": _meta(report, release, asked)}, named, {"details": _details(report, release, columns)})


def _meta(report: Report, release: Release, asked: Asked | None) -> dict[str, object]:
    """What every page needs; names and codes are written as they are shown."""
    variables = []
    for name, hierarchy in release.variables.items():
        outline = outline_of(hierarchy)
        codes = [printable(code) for code in hierarchy.codes]
        said = {"name": printable(name), "codes": codes, "rank": outline.rank, "depth": outline.depth}
        variables.append({**said, "total": hierarchy.total_index})
    measures = list(release.measures)
    units = [release.measures[name].unit for name in measures]
    return {
        "front": asdict(front_of(report, release, asked)),
        "fronts": {language: _front(report, release, asked, language) for language in LANGUAGES if language != ENGLISH},
        "variables": variables,
        "measures": [
            {"name": printable(name), "unit": [u.numerator, u.denominator], "places": _places(decimal_text(u))}
            for name, u in zip(measures, units, strict=True)
        ],
        "tables": [{"name": printable(t.name), "measure": measures.index(t.measure)} for t in release.tables],
    }


def _front(report: Report, release: Release, asked: Asked | None, language: str) -> dict[str, object]:
    """What the report says as a whole, in another language."""
    with speaking(language):
        return asdict(front_of(report, release, asked))


def _details(report: Report, release: Release, columns: Columns) -> list[tuple[str, ...]]:
    """`CellWords` of every cell in the report."""
    totals = totals_of(release)
    helpless = {(found.measure, found.cell): found for found in report.beyond_help}
    published = _published(release, columns)
    return [
        cell_words(cell, totals, published[n], helpless.get((cell.measure, cell.cell)))
        for n, cell in enumerate((*report.cells, *report.implied))
    ]


def _published(release: Release, columns: Columns) -> list[str | None]:
    """What the release gives as value of the listed cells."""
    units = [(m.unit, _places(decimal_text(m.unit))) for m in release.measures.values()]
    listed = len(columns.worst)
    known = (columns.marks[:listed] & Mark.KNOWN > 0).tolist()
    found: list[str | None] = []
    for is_known, value, measure in zip(known, columns.value.tolist(), columns.measure.tolist(), strict=False):
        unit, places = units[measure]
        found.append(number(value * unit, HTML, places) if is_known else None)
    return found


def _places(unit: str | None) -> int:
    return len((unit or "").partition(".")[2])
