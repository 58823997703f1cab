"""Read a report back from its JSON."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal, NoReturn, TypeVar, get_args

from tableseal.audit.attackers.answer import Whose
from tableseal.audit.errors import InputError
from tableseal.audit.model.release import Note
from tableseal.audit.report.exact_json import Json, loads
from tableseal.audit.report.model import (
    Accepted,
    BeyondHelp,
    CellRank,
    Figure,
    ImpliedCount,
    InsiderFinding,
    OverTables,
    PanelEntry,
    Possible,
    Reason,
    Report,
    ReportCell,
    Reveals,
    Step,
    Summary,
    Term,
    Verdict,
)
from tableseal.audit.report.to_json import SCHEMA

Word = TypeVar("Word", bound=str)

TOP_KEYS = [
    "schema",
    "verdict",
    "judged",
    "confidential",
    "release",
    "policy",
    "rules",
    "engine",
    "summary",
    "risk_panel",
    "cells",
    "notes",
]
OPTIONAL = frozenset({"steps", "over_tables", "rank"})
CELL_KEYS = {*ReportCell._fields} - OPTIONAL


def report_from_json(text: str) -> Report:
    """The report that `report_json` wrote; equal to the original where all its numbers have finite decimals.

    Raises
    ------
    InputError: not JSON, another schema, or a key or value that does not belong; the place is named.
    """
    at = _At(loads(text, what="The report"), "report")
    top = at.keys(TOP_KEYS, optional=frozenset({"called", "implied", "beyond_help"}))
    top["schema"].choice(SCHEMA)
    release = top["release"].keys(["title", "sha256"])
    policy = None if top["policy"].value is None else top["policy"].keys(["sha256"])["sha256"].text()
    summary = top["summary"].keys(
        [field.name for field in fields(Summary) if field.name != "implied"], optional=frozenset({"implied"})
    )
    implied = summary.pop("implied", None)
    return Report(
        verdict=top["verdict"].choice("safe", "unsafe", "undecided"),
        title=release["title"].text(),
        release_sha256=release["sha256"].optional_text() or "",
        policy_sha256=policy,
        bounds=top["engine"].keys(["version", "bounds"])["bounds"].text(),
        summary=Summary(
            **{name: count.whole() for name, count in summary.items()},
            implied=None if implied is None or implied.value is None else _implied(implied),
        ),
        cells=tuple(_cell(cell) for cell in top["cells"].entries()),
        notes=tuple(_note(note) for note in top["notes"].entries()),
        confidential=top["confidential"].truth(),
        risk_panel=tuple(_entry(entry) for entry in top["risk_panel"].entries()),
        implied=tuple(_cell(cell) for cell in top["implied"].entries()) if "implied" in top else (),
        judged=top["judged"].truth(),
        rules=tuple(rule.text() for rule in top["rules"].entries()),
        beyond_help=tuple(map(_beyond_help, top["beyond_help"].entries())) if "beyond_help" in top else (),
    )


def _implied(at: "_At") -> ImpliedCount:
    return ImpliedCount(**{name: count.whole() for name, count in at.keys([*ImpliedCount._fields]).items()})


@dataclass(frozen=True)
class _At:
    """A value of the document and its path, for messages."""

    value: Json
    path: str

    def fail(self, expected: str) -> NoReturn:
        # Only the kind of what was found: the value itself may be confidential.
        kinds = {
            str: "a text",
            bool: "true or false",
            int: "a whole number",
            dict: "an object",
            list: "a list",
        }
        found = "null" if self.value is None else kinds.get(type(self.value), "a number")
        raise InputError(f"{self.path}: found {found} where {expected} was expected.")

    def keys(self, wanted: list[str] | set[str], optional: frozenset[str] = frozenset()) -> "dict[str, _At]":
        if not isinstance(self.value, dict):
            self.fail("an object")
        for name in wanted:
            if name not in self.value:
                raise InputError(f'{self.path}: the key "{name}" is missing.')
        for name in self.value:
            if name not in wanted and name not in optional:
                raise InputError(f'{self.path}: the key "{name}" does not belong there.')
        return {name: _At(entry, f"{self.path}.{name}") for name, entry in self.value.items()}

    def pairs(self) -> tuple[tuple[str, str], ...]:
        if not isinstance(self.value, dict):
            self.fail("an object")
        return tuple((name, _At(code, f"{self.path}.{name}").text()) for name, code in self.value.items())

    def entries(self) -> "Iterator[_At]":
        if not isinstance(self.value, list):
            self.fail("a list")
        return (_At(entry, f"{self.path}[{n}]") for n, entry in enumerate(self.value))

    def two(self) -> "tuple[_At, _At]":
        found = list(self.entries())
        if len(found) != 2:
            self.fail("a list of two")
        return found[0], found[1]

    def ends(self) -> tuple[Fraction | None, Fraction | None] | None:
        if self.value is None:
            return None
        low, high = self.two()
        return low.number(), high.number()

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("a text")
        return self.value

    def optional_text(self) -> str | None:
        return None if self.value is None else self.text()

    def truth(self) -> bool:
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value

    def exact(self) -> Fraction:
        if not isinstance(self.value, int | Fraction) or isinstance(self.value, bool):
            self.fail("a number")
        return Fraction(self.value)

    def number(self) -> Fraction | None:
        return None if self.value is None else self.exact()

    def floating(self) -> float | None:
        return None if self.value is None else float(self.exact())

    def whole(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("a whole number")
        return self.value

    def count(self) -> int | None:
        return None if self.value is None else self.whole()

    def choice(self, *options: Word) -> Word:
        for option in options:
            if self.value == option:
                return option
        self.fail("one of " + ", ".join(f'"{option}"' for option in options))


def _note(at: _At) -> Note:
    note = at.keys(["code", "text", "count"])
    return Note(note["code"].text(), note["text"].text(), note["count"].whole())


def _cell(at: _At) -> ReportCell:
    cell = at.keys(CELL_KEYS, optional=OPTIONAL)
    possible = cell["possible"].keys(["at_least", "at_most"])
    required = None if cell["required"].value is None else cell["required"].two()
    verdicts: tuple[Verdict, ...] = get_args(Verdict)
    reasons: tuple[Reason, ...] = get_args(Reason)
    bases: tuple[Literal["integer", "continuous"], ...] = ("integer", "continuous")
    return ReportCell(
        table=cell["table"].text(),
        also_in=tuple(table.text() for table in cell["also_in"].entries()),
        measure=cell["measure"].text(),
        cell=cell["cell"].pairs(),
        status=cell["status"].text(),
        truth=cell["truth"].number(),
        lower=cell["lower"].number(),
        upper=cell["upper"].number(),
        attained=cell["attained"].ends(),
        exact=cell["exact"].truth(),
        lp=cell["lp"].ends(),
        possible=Possible(possible["at_least"].count(), possible["at_most"].count()),
        entropy_bits=cell["entropy_bits"].floating(),
        risk=cell["risk"].floating(),
        required=None if required is None else (required[0].exact(), required[1].exact()),
        sensitive=None if cell["sensitive"].value is None else cell["sensitive"].truth(),
        rule=cell["rule"].optional_text(),
        verdict=cell["verdict"].choice(*verdicts),
        basis=None if cell["basis"].value is None else cell["basis"].choice(*bases),
        reason=None if cell["reason"].value is None else cell["reason"].choice(*reasons),
        reveals=None if cell["reveals"].value is None else _reveals(cell["reveals"]),
        insider=None if cell["insider"].value is None else _insider(cell["insider"]),
        steps=tuple(_step(step) for step in cell["steps"].entries()) if "steps" in cell else (),
        over_tables=_over_tables(cell["over_tables"]) if "over_tables" in cell else None,
        rank=_rank(cell["rank"]) if "rank" in cell else None,
    )


def _over_tables(at: _At) -> OverTables:
    found = at.keys(["entropy_bits", "method", "tables", "ci", "ess", "rhat"])
    low, high = found["ci"].two()
    return OverTables(
        entropy_bits=float(found["entropy_bits"].exact()),
        method=found["method"].choice("exact", "sampled"),
        tables=found["tables"].count(),
        ci=(float(low.exact()), float(high.exact())),
        ess=found["ess"].floating(),
        rhat=found["rhat"].floating(),
    )


def _rank(at: _At) -> CellRank:
    found = at.keys(["alone", "recomputable"])
    return CellRank(found["alone"].truth(), found["recomputable"].truth())


def _entry(at: _At) -> PanelEntry:
    entry = at.keys(["measure", "title", "figures", "tells", "does_not_tell", "public"])
    return PanelEntry(
        measure=entry["measure"].text(),
        title=entry["title"].text(),
        figures=tuple(_figure(figure) for figure in entry["figures"].entries()),
        tells=entry["tells"].text(),
        does_not_tell=entry["does_not_tell"].text(),
        public=entry["public"].truth(),
    )


def _figure(at: _At) -> Figure:
    figure = at.keys(["name", "label", "value"])
    value = figure["value"]
    whole = isinstance(value.value, int)
    return Figure(figure["name"].text(), figure["label"].text(), value.count() if whole else value.floating())


def _reveals(at: _At) -> Reveals:
    reveals = at.keys(["kind", "terms", "text"], optional=frozenset({"at_least"}))
    return Reveals(
        kind=reveals["kind"].choice("equation", "bounds", "integer"),
        terms=tuple(_term(term) for term in reveals["terms"].entries()),
        text=reveals["text"].text(),
        at_least=tuple(_term(term) for term in reveals["at_least"].entries()) if "at_least" in reveals else (),
    )


def _term(at: _At) -> Term:
    coefficient, place = at.two()
    if isinstance(place.value, dict) and "link" in place.value:
        return Term(coefficient.exact(), None, (), link=place.keys(["link"])["link"].whole())
    named = place.keys(["table", "cell"], optional=frozenset({"measure"}))
    return Term(
        coefficient=coefficient.exact(),
        table=named["table"].optional_text(),
        cell=named["cell"].pairs(),
        measure=named["measure"].text() if "measure" in named else None,
    )


def _insider(at: _At) -> InsiderFinding:
    insider = at.keys(["who", "whose", "estimates"])
    low, high = insider["estimates"].two()
    whose: tuple[Whose, ...] = get_args(Whose)
    return InsiderFinding(insider["who"].text(), (low.number(), high.number()), insider["whose"].choice(*whose))


def _beyond_help(at: _At) -> BeyondHelp:
    found = at.keys(["table", "measure", "cell", "insiders", "accepted"])
    accepted = None if found["accepted"].value is None else found["accepted"].keys(["reason", "by", "until"])
    return BeyondHelp(
        found["table"].text(),
        found["measure"].text(),
        found["cell"].pairs(),
        tuple(map(_insider, found["insiders"].entries())),
        None
        if accepted is None
        else Accepted(accepted["reason"].text(), accepted["by"].text(), accepted["until"].optional_text()),
    )


def _step(at: _At) -> Step:
    step = at.keys(["table", "lower", "upper", "risk"])
    return Step(step["table"].text(), step["lower"].number(), step["upper"].number(), step["risk"].floating())
