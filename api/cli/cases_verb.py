"""`tableseal cases`: shipped cases, expected and computed values side by side."""

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.report.columns import Column, aligned

if TYPE_CHECKING:
    from tableseal.api.cases import Case, Comparison
    from tableseal.audit.codec.exact_json import Json

HEADER = ("run", "value", "expected", "computed", "agrees", "origin")

WIDEST = 44
"""Characters of one column; longer texts are cut (they are whole in the JSON)."""


def cases_verb(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One case; all if left out.")] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Compute each case and compare; exit 1 if a value deviates.")
    ] = False,
    slow: Annotated[bool, typer.Option("--slow", help="With --run: also what takes minutes.")] = False,
    copy: Annotated[
        str | None, typer.Option("--copy", metavar="DIR", help="Copy the files of a case into a new folder.")
    ] = None,
    json: JsonFile = None,
) -> Code:
    """List, copy or compute the shipped cases.

    With --run, expected and computed values stand side by side. With --copy the files of one case are there to work
    with.

    Example: tableseal cases o03_table1 --run
    """
    from tableseal.api.cases import case_names, copy_case, load_case

    if copy is not None:
        if name is None:
            raise InputError(OptionName("copy"), " copies one case; name it, such as french_business.")
        files = sorted(path.name for path in copy_case(name, Path(copy)).iterdir())
        say(f"{copy}: {', '.join(files)}", error=json == STREAM)
    check_targets({"--json": json})
    cases = [load_case(case) for case in ([name] if name else case_names())]
    results: list[tuple[Case, Sequence[Comparison]]] = []
    for case in cases:
        results.append((case, _computed(case, slow) if run else ()))
        say(_text(*results[-1], about=name is not None), error=json == STREAM)
    agree = all(comparison.agrees for _, found in results for comparison in found)
    if json is not None:
        write_target(json, _document(results, agree=agree if run else None))
    if run:
        values = sum(len(found) for _, found in results)
        say(f"{values} values, {'all agree' if agree else 'SOME DEVIATE'}", error=json == STREAM)
    return Code.DONE if agree else Code.UNSAFE


def _computed(case: "Case", slow: bool) -> "Sequence[Comparison]":
    from tableseal.api.cases import run_case

    with Progress() as progress:
        return run_case(case, progress, slow=slow)


def _document(results: "Sequence[tuple[Case, Sequence[Comparison]]]", *, agree: bool | None) -> str:
    from tableseal.audit.codec.exact_json import dumps

    cases = [_case_document(case, found) for case, found in results]
    return dumps({"schema": "tableseal/cases/1", "agree": agree, "cases": cases}, indent=1)


def _case_document(case: "Case", found: "Sequence[Comparison]") -> "Json":
    values: list[Json] = [
        {
            "run": comparison.expected.run,
            "what": comparison.expected.what,
            "expected": comparison.expected.value,
            "computed": comparison.computed,
            "tolerance": comparison.expected.tolerance,
            "agrees": comparison.agrees,
            "source": comparison.expected.source,
        }
        for comparison in found
    ]
    described: dict[str, Json] = {
        key: getattr(case, key) for key in ("name", "title", "source", "licence", "about", "chosen")
    }
    return {**described, "runs": [run.name for run in case.runs], "values": values}


def _text(case: "Case", found: "Sequence[Comparison]", *, about: bool) -> str:
    from tableseal.api.cases import folder_of

    lines = [f"{case.name}: {case.title}", f"  source: {case.source}"]
    if about:
        lines += [f"  licence: {case.licence}", f"  folder: {folder_of(case.name)} (--copy DIR copies it)"]
        lines += textwrap.wrap(case.about, 100, initial_indent="  ", subsequent_indent="  ")
        lines += textwrap.wrap(f"chosen by us: {case.chosen}", 100, initial_indent="  ", subsequent_indent="  ")
    if found:
        lines += aligned([Column(name, most=WIDEST) for name in HEADER], map(_row, found), indent="  ")
    return "\n".join([*lines, ""])


def _row(comparison: "Comparison") -> tuple[str, ...]:
    expected = comparison.expected
    origin = expected.source.replace(";", ":").split(":")[0]
    agrees = "yes" if comparison.agrees else "NO"
    return (
        expected.run,
        expected.what,
        _shown(expected.value),
        _shown(comparison.computed),
        agrees,
        origin,
    )


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, Fraction | float):
        return str(int(value)) if value == int(value) else f"{float(value):.8g}"
    return "-" if value is None else " ".join(str(value).split())
