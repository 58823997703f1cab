"""What somebody chooses of a table, field by field, and the request that this is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import FormData, QueryParams

from tableseal.audit.errors import InputError
from tableseal.audit.hypercube.model import Cells, Hypercube
from tableseal.audit.hypercube.request import Statistic
from tableseal.audit.hypercube.request_document import VERSION_KEY
from tableseal.audit.io.yaml_out import write_document
from tableseal.audit.io.yaml_text import parse_document

SAID = "request"
"""Field with a request that somebody wrote; it goes before the others."""


@dataclass(frozen=True)
class Choices:
    """Fields of the form.

    Attributes
    ----------
    levels: of each variable, the name of a level; empty: the variable does not span the table. where: of each
        variable, codes of the population, one a line. share_of: name of the variable of which some codes are counted;
        share: those codes, one a line. measure: of sums and means. said: a whole request, in place of all of these.
    """

    levels: tuple[str, ...]
    where: tuple[str, ...]
    statistic: Statistic = "count"
    share_of: str = ""
    share: str = ""
    measure: str = ""
    said: str = ""

    @property
    def anything(self) -> bool:
        """Whether something was chosen at all."""
        return any((*self.levels, *map(str.strip, self.where), self.said.strip())) or self.statistic != "count"


def choices_of(form: FormData | QueryParams | Mapping[str, str], about: Hypercube) -> Choices:
    """What a form says; fields are numbered as the variables are."""

    def text(name: str) -> str:
        found = form.get(name, "")
        return found if isinstance(found, str) else ""

    numbers = range(len(about.variables))
    statistic = text("statistic")
    return Choices(
        tuple(text(f"level-{k}") for k in numbers),
        tuple(text(f"where-{k}") for k in numbers),
        statistic if statistic in ("share", "sum", "mean") else "count",  # type: ignore[arg-type]  # they are these
        text("share-of"),
        text("share"),
        text("measure"),
        text(SAID),
    )


def document_of(choices: Choices, cells: Cells) -> Mapping[str, Any]:
    """The request.

    Raises
    ------
    InputError: what was written is no YAML.
    """
    if choices.said.strip():
        parsed = parse_document(choices.said, SAID)
        if not isinstance(parsed, dict):
            raise InputError("expected a request: keys with what they say.", at=SAID)
        return parsed
    variables = cells.about.variables
    chosen = [(v, level) for v, level in zip(variables, choices.levels, strict=True) if level]
    found: dict[str, Any] = {VERSION_KEY: 1}
    places = next((at for at, (v, _) in enumerate(chosen) if v.areas), None)
    if places is not None:
        variable, level = chosen.pop(places)
        found["areas"] = f"{variable.name}@{level}"
    found["by"] = [{v.name: level} for v, level in chosen]
    where = {v.name: codes for v, text in zip(variables, choices.where, strict=True) if (codes := _lines(text))}
    found |= {"where": where} if where else {}
    match choices.statistic:
        case "share":
            found["share"] = {choices.share_of: _lines(choices.share)}
        case "sum":
            found["measure"] = choices.measure
        case "mean":
            found["mean"] = choices.measure
    return found


def choices_behind(document: Mapping[str, Any], about: Hypercube) -> Choices:
    """The fields that say a request as `request_said` writes it; as a whole where they cannot."""
    position = {variable.name: k for k, variable in enumerate(about.variables)}
    levels, where = [""] * len(position), [""] * len(position)
    share: Mapping[str, Sequence[str]] = document.get("share", {})
    axes = [*([document["areas"]] if "areas" in document else []), *document["by"]]
    # Places come first in what the form makes, the others in the order of the hypercube.
    order = [position[axis.partition("@")[0]] for axis in axes if isinstance(axis, str)]
    others = order[1:] if "areas" in document else order
    plain = len(order) == len(axes) and others == sorted(others) and len(share) <= 1 and not document.get("title")
    if not plain or (others and "areas" not in document and any(about.variables[k].areas for k in others)):
        return Choices(tuple(levels), tuple(where), said=write_document(dict(document)))
    for axis in axes:
        name, _, level = axis.partition("@")
        levels[position[name]] = level or about.variables[position[name]].levels[-1].name
    for name, codes in document.get("where", {}).items():
        where[position[name]] = "\n".join(codes)
    found = Choices(tuple(levels), tuple(where))
    for key, statistic in (("measure", "sum"), ("mean", "mean")):
        if key in document:
            found = replace(found, statistic=statistic, measure=document[key])  # type: ignore[arg-type]  # as above
    for name, codes in share.items():
        found = replace(found, statistic="share", share_of=name, share="\n".join(codes))
    return found


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
