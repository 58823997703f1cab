"""Parts of the documentation that are made from the program: `<!-- generated: NAME -->` in a page becomes `NAME()`."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import dedent, fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer.core import TyperArgument, TyperCommand, TyperOption

    from tableseal.suppression.study.study import Study

PLACE = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)

DOORS = ("tableseal", "tableseal.audit.publications")
"""Modules whose public names are described."""


def expanded(page: str) -> str:
    """A page with its generated parts."""
    return PLACE.sub(lambda place: PARTS[place[1]](), page)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def commands() -> str:
    """All verbs with their usage, an example and their options."""
    return "\n\n".join(_verb(name, verb) for name, verb in verbs())


def verbs() -> Iterator[tuple[str, "TyperCommand"]]:
    """Name and command of every verb, those of groups too (`token create`)."""
    import typer

    from tableseal.api.cli.app import app

    def below(name: str, command: "TyperCommand") -> Iterator[tuple[str, "TyperCommand"]]:
        inside = getattr(command, "commands", None)
        if inside is None:
            yield name, command
        for word, verb in (inside or {}).items():
            yield from below(f"{name} {word}".strip(), verb)

    return below("", typer.main.get_command(app))


def _verb(name: str, verb: "TyperCommand") -> str:
    from tableseal.api.options.table import option_table

    text, _, example = dedent(verb.help or "").partition("Example: ")
    arguments = [p for p in verb.params if p.param_type_name == "argument"]
    usage = " ".join([f"tableseal {name}", *(_argument(p) for p in arguments), "[OPTIONS]"])
    example = " ".join(example.split())
    said = [f"## tableseal {name}", text.strip(), f"```text\n{usage}\n```", f"Example: `{example}`", option_table(name)]
    return "\n\n".join(said)


def _argument(parameter: "TyperArgument | TyperOption") -> str:
    return parameter.metavar or str(parameter.name).upper()


def python() -> str:
    """The public names of the doors, from their signatures and docstrings."""
    return "\n\n".join(_module(name) for name in DOORS if hasattr(import_module(name), "__all__"))


def public_names(module: str) -> list[tuple[str, object]]:
    """The public names of a module and what they stand for."""
    door = import_module(module)
    return [(name, getattr(door, name)) for name in door.__all__]


def _module(module: str) -> str:
    summary = inspect.getdoc(import_module(module)) or ""
    return "\n\n".join([f"## {module}", summary, *(_name(*named) for named in public_names(module))])


def _name(name: str, thing: object) -> str:
    parts = [f"### {name}", *_call(name, thing), described(inspect.getdoc(thing) or ""), *_members(thing)]
    return "\n\n".join(parts)


def _call(name: str, thing: object) -> Iterator[str]:
    """How a function is called; what parameters mean stands below it, in its docstring."""
    if callable(thing) and not isinstance(thing, type):
        parameters = inspect.signature(thing).parameters.values()
        written = (str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters)
        words = [re.sub(r"<.* at 0x.*>", "...", word) for word in written]
        named = next((k for k, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY), len(words))
        call = f"{name}({', '.join([*words[:named], *(['*'] if named < len(words) else []), *words[named:]])})"
        yield f"```python\n{fill(call, 100, subsequent_indent=' ' * (len(name) + 1), break_long_words=False)}\n```"


def _members(thing: object) -> Iterator[str]:
    """What an object of a class has and can do."""
    if not isinstance(thing, type) or issubclass(thing, BaseException):
        return
    rows = []
    for name, member in inspect.getmembers(thing):
        text = inspect.getdoc(member) if isinstance(member, property | cached_property) or callable(member) else None
        if not name.startswith("_") and text:
            rows.append([f"`{name}{'()' if callable(member) else ''}`", " ".join(text.partition("\n\n")[0].split())])
    if rows:
        yield table(["member", "is or does"], rows)


HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
"""Of a section in a docstring."""


def described(docstring: str) -> str:
    """A docstring as Markdown: headings in bold, parameters as lists, examples as blocks."""
    text, *sections = HEADING.split(docstring)
    parts = [_paragraphs(text)]
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        parts += [f"**{heading}**", ENTRY.sub(r"- `\1`: ", body) if heading in LISTS else _paragraphs(body)]
    return "\n\n".join(part.strip("\n") for part in parts if part)


LISTS = ("Parameters", "Attributes", "Raises")
ENTRY = re.compile(r"^(\w[\w, ]*): ", re.MULTILINE)
"""Begin of an entry of such a section; what goes on is indented."""


def _paragraphs(text: str) -> str:
    """The text with its examples as blocks."""
    return "\n\n".join(
        f"```pycon\n{part}\n```" if part.startswith(">>> ") else part for part in re.split(r"\n{2,}", text.strip("\n"))
    )


def measures() -> str:
    """The risk panel: what each measure tells, and what it does not."""
    from tableseal.audit.report.panel import MEASURES

    rows = [[f"**{measure.title}**", measure.tells, measure.does_not_tell] for measure in MEASURES]
    return table(["measure", "tells", "does not tell"], rows)


def formats() -> str:
    """The formats, and what each holds."""
    from tableseal.audit.io.formats.format import CONFIDENTIAL, Part
    from tableseal.audit.io.formats.registry import FORMATS

    written = [one for one in FORMATS if one.writes]
    known = [
        [one.title, ", ".join(one.endings), one.written or one.endings[0] if one.writes else "", one.key]
        for one in FORMATS
    ]
    holds = [
        [part.value, "yes", *(_holds(part in one.holds, part in CONFIDENTIAL) for one in written)] for part in Part
    ]
    return "\n\n".join(
        [
            table(["format", "read: names end in", "written: name ends in", "`--format`"], known),
            "What of a release each can hold (`asked`: confidential, only if you ask for it):",
            table(["", "release file", *(one.title for one in written)], holds),
        ]
    )


def _holds(can: bool, confidential: bool) -> str:
    return ("asked" if confidential else "yes") if can else "no"


def parameters() -> str:
    """The query parameters of every route that has some."""
    from tempfile import TemporaryDirectory

    from tableseal.api.http.app import create_app
    from tableseal.api.settings import Settings

    with TemporaryDirectory() as folder:
        paths = create_app(Settings(data=Path(folder))).openapi()["paths"]
    parts = []
    for path, route in paths.items():
        for method, operation in route.items():
            asked = [parameter for parameter in operation.get("parameters", ()) if parameter["in"] == "query"]
            rows = [[f"`{parameter['name']}`", parameter.get("description", "")] for parameter in asked]
            if rows:
                parts.append(f"### {method.upper()} {path}\n\n{table(['parameter', 'meaning'], rows)}")
    return "\n\n".join(parts)


def schemes() -> str:
    """The letters of every status scheme, by what they mean."""
    from tableseal.audit.io.statuses.schemes import SCHEMES

    rows = []
    for name, letters in SCHEMES.items():
        if name != "words":  # the table of words stands above
            meanings: dict[str, list[str]] = {}
            for letter, status in letters.items():
                meanings.setdefault(status.word, []).append(f"`{letter}`" if letter else "nothing")
            rows.append([f"`{name}`", "; ".join(f"{word}: {', '.join(found)}" for word, found in meanings.items())])
    return table(["scheme", "letters"], rows)


@cache
def study() -> "Study":
    """The comparison study of the shipped case, run once."""
    from tableseal.api.cases import load_case
    from tableseal.api.cases.study import compute
    from tableseal.audit.progress import silent

    return compute(load_case("s15_study").runs[0], silent)


@cache
def printed() -> dict[str, str]:
    """What the paper prints of a value of the study, where it is said in its words: `T1 RS risk` -> `0.282`."""
    from tableseal.api.cases import load_case

    found = ((one.field, re.search(r"in print (.*)\)", one.what)) for one in load_case("s15_study").expected)
    return {field: said[1] for field, said in found if said}


def study_requests() -> str:
    """What was asked of the hypercube, beside the paper."""
    head = ["", "persons", "cells", "counts of 0, 1, ... 5, 6 and over", "in print", "risk before", "in print"]
    rows = [
        [
            *(asked.name, f"{asked.persons:,}", f"{asked.cells:,}"),
            *(", ".join(map(str, asked.classes)), printed()[f"{asked.name} classes"]),
            *(f"{asked.risk:.3f}", printed()[f"{asked.name} risk"]),
        ]
        for asked in study().asked
    ]
    return table(head, rows)


def study_answers() -> str:
    """Risk, utility and changes of every table by every method, beside the paper."""
    head = ["", "method", "risk", "in print", "utility", "in print", "1s and 2s changed", "in print"]
    rows = []
    for one in study().answered:
        told = [printed().get(f"{one.name} {one.method} {what}", "") for what in ("risk", "utility", "changed")]
        if one.method in ("RR", "RRP"):
            told[2] = "1.000"
        if (one.name, one.method) == ("T3", "RS"):
            told[2] = "0.000"
        ours = f"{one.risk:.3f}", f"{one.utility:.4f}", f"{one.changed:.3f}"
        rows.append([one.name, one.method, *(text for pair in zip(ours, told, strict=True) for text in pair)])
    return table(head, rows)


def study_rankings() -> str:
    """Methods by risk and by utility, beside the paper."""
    head = ["", "least risk first", "in print", "most utility first", "in print"]
    rows = []
    for asked in study().asked:
        own = [a for a in study().answered if a.name == asked.name]
        row = [asked.name]
        for what in ("risk", "utility"):
            values = {a.method: float(printed()[f"{a.name} {a.method} {what}"]) for a in own}
            row += [", ".join(study().ranked(asked.name, what)), _ranked(values, most=what == "utility")]
        rows.append(row)
    return table(head, rows)


def _ranked(values: Mapping[str, float], *, most: bool) -> str:
    """Names by their values, equal ones with `=` between them."""
    order = sorted(values, key=lambda name: -values[name] if most else values[name])
    signs = ["", *(" = " if values[a] == values[b] else ", " for a, b in pairwise(order))]
    return "".join(sign + name for sign, name in zip(signs, order, strict=True))


def study_maps() -> str:
    """The risk-utility map, a picture for each request."""
    from tableseal.suppression.comparison.chart import picture
    from tableseal.suppression.study.map import study_maps

    return "\n\n".join(picture(one).strip() for one in study_maps(study()))


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "formats": formats,
    "measures": measures,
    "parameters": parameters,
    "python": python,
    "schemes": schemes,
    "study_answers": study_answers,
    "study_maps": study_maps,
    "study_rankings": study_rankings,
    "study_requests": study_requests,
}
