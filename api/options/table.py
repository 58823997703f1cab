"""The options of a verb as a table of the documentation, in Markdown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tableseal.api.options.option import OFF

if TYPE_CHECKING:
    from typer import Context

KINDS = {
    "attack": "attack",
    "audit": "audit",
    "batch": "batch",
    "compare": "comparison",
    "protect": "protection",
    "publication audit": "publication",
    "risk": "risk",
    "sap": "sap",
    "suppress": "suppression",
}
"""Verb -> kind of work whose request has its options over HTTP."""


def option_table(verb: str) -> str:
    """A line for each argument and option of a verb, such as `audit` or `token create`: how it is written, what it
    means, and by what names it is said over HTTP and in Python, if it is."""
    import typer

    from tableseal.api.cli.verbs import command

    found = typer.main.get_command(command(verb.split()[0]))
    for part in verb.split():
        found = found.commands[part]  # type: ignore[attr-defined]
    context = typer.Context(found)
    elsewhere = names_elsewhere(verb)
    lines: list[Sequence[str]] = [("argument or option", "meaning", "HTTP, Python"), ("---", "---", "---")]
    for parameter in sorted(found.params, key=lambda one: one.param_type_name):  # arguments first
        written, meaning = _in_help(parameter, context)
        names = [name for name in elsewhere if name.removeprefix(OFF) == parameter.name]
        lines.append((written, meaning, ", ".join(f"`{name}`" for name in names)))
    return "".join(f"| {' | '.join(entry.replace('|', chr(92) + '|') for entry in line)} |\n" for line in lines)


def _in_help(parameter: Any, context: "Context") -> tuple[str, str]:
    """How a parameter is written, each word as code, and what it means."""
    written, meaning = parameter.get_help_record(context) or (str(parameter.name), "")
    if parameter.param_type_name == "argument":
        return f"`{written.removesuffix(' <str>')}`", " ".join(meaning.split())
    names = [*parameter.opts, *parameter.secondary_opts]
    metavar = "" if parameter.secondary_opts else written.removeprefix(", ".join(parameter.opts)).strip()
    return ", ".join(f"`{name}`" for name in names) + (f" `{metavar}`" if metavar else ""), " ".join(meaning.split())


def names_elsewhere(verb: str) -> list[str]:
    """Names of the options of a verb over HTTP (and, but for those that switch off, in Python)."""
    if verb not in KINDS:
        return []
    from tableseal.api.jobs.kinds import all_kinds
    from tableseal.api.options.request import options_of

    found = options_of(all_kinds()[KINDS[verb]].request)
    return [name for one in found for name in (one.name, *([OFF + one.name] if one.switch else []))]
