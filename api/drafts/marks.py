"""What a person says of a plain table: what its columns are, what is added up, and which rules apply."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tableseal.api.options.rules import document_of_rule, form_fields, said_rules
from tableseal.audit.io.records_document import new_total
from tableseal.audit.io.statuses.column import NONE


class Role(StrEnum):
    """What a column holds."""

    CLASSIFICATION = "classification"
    """Codes of a classification."""
    VALUE = "value"
    """What is (to be) published; one column."""
    TRUTH = "truth"
    """True values of withheld cells; one column."""
    STATUS = "status"
    """Which cells are withheld; one column."""
    FREQUENCY = "frequency"
    """Number of contributors; one column."""
    CONTRIBUTOR = "contributor"
    """A largest contribution; several columns, the largest first."""
    COST = "cost"
    """What withholding the cell costs; one column."""
    IDENTIFIER = "identifier"
    """Which unit a record is of; one column, of records alone."""
    HOLDING = "holding"
    """Which holding the unit of a record belongs to; one column, of records alone."""
    WEIGHT = "weight"
    """Sampling weight of a record; one column, of records alone."""
    IGNORE = "ignore"
    """Nothing that matters here."""


OF_RECORDS = {Role.IDENTIFIER: "id", Role.HOLDING: "holding", Role.WEIGHT: "weight"}
"""Roles of records alone, and what `microdata` calls them."""

SINGLE = (Role.VALUE, Role.TRUTH, Role.STATUS, Role.FREQUENCY, Role.COST, *OF_RECORDS)
"""Roles that one column has."""


class Marks(BaseModel):
    """All that is said of a plain table.

    each: "record": a row is no cell of a table but the record of a unit (microdata), of which the table is made.
    roles: by column. totals: code of the total by classification; left out: its codes are not added up.
    scheme: of status flags. decimal, thousands: how numbers are written ("": as they show). texts: what marks in the
    value column mean, one `MARK = MEANING` a line (`parse_texts`). absent: what a combination without a row means.
    Numbers of rules are kept as written.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    each: Literal["", "record"] = ""
    kind: Literal["count", "magnitude"] = "count"
    unit: str = ""
    roles: Mapping[str, Role] = {}
    totals: Mapping[str, str] = {}
    scheme: str = "words"
    decimal: Literal["", ".", ","] = ""
    thousands: Literal["", ".", ",", "blank", "'"] = ""
    texts: str = ""
    absent: Literal["zero", "not_released", "error"] = "zero"
    knows_rule: Annotated[Literal["", "yes"], Field(description="yes: readers know the threshold")] = ""
    rules: Annotated[Mapping[str, str], Field(description="number of a rule by field of the form: dominance_n")] = {}
    risk: Annotated[str, Field(description="largest disclosure risk allowed")] = ""

    @model_validator(mode="before")
    @classmethod
    def _rules_together(cls, given: Any) -> Any:
        """Fields of rules stand by themselves in a form."""
        names = [name for name, *_ in form_fields()]
        if not isinstance(given, Mapping) or not any(name in given for name in names):
            return given
        alone = {name: given[name] for name in names if name in given}
        rest = {name: value for name, value in given.items() if name not in alone}
        return {**rest, "rules": {**alone, **rest.get("rules", {})}}

    def columns(self, role: Role) -> list[str]:
        """Columns with this role, in their order."""
        return [name for name, found in self.roles.items() if found is role]


def texts_of(marks: Mapping[str, Any]) -> str:
    """Marks of a table, in its document's form, as lines `MARK = MEANING`; a range is `1 to 9`, an open mark has no
    meaning yet."""

    def words(meaning: Any) -> str:
        if isinstance(meaning, str):
            return meaning
        return " to ".join("" if end is None else str(end) for end in meaning).strip()

    return "\n".join(f"{mark} = {words(meaning)}".rstrip() for mark, meaning in marks.items())


def parse_texts(texts: str) -> dict[str, Any]:
    """The marks that such lines say, in the form of a table's document; what has no meaning gets an empty word."""
    found: dict[str, Any] = {}
    for line in texts.splitlines():
        mark, _, meaning = line.rpartition("=")
        if line.strip():
            low, to, high = f" {meaning.strip()} ".partition(" to ")
            found[mark.strip()] = [low.strip() or None, high.strip() or None] if to else meaning.strip()
    return found


def document_of(marks: Marks, file: str, name: str, codes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The release document that says the same.

    Parameters
    ----------
    file: of the table; name: of the table. codes: of each classification, in their order.
    """
    if marks.each == "record":
        return _of_records(marks, file, name, codes)
    table: dict[str, Any] = {"name": name, "file": file}
    for role in SINGLE:
        named = marks.columns(role)
        if named:
            table[role.value] = named[0]
    table["status"] = {"column": table["status"], "scheme": marks.scheme} if "status" in table else NONE
    if contributors := marks.columns(Role.CONTRIBUTOR):
        table["contributors"] = contributors
    table |= _signs(marks)
    if texts := parse_texts(marks.texts):
        table["marks"] = texts
    table["absent"] = {"leaves": marks.absent}
    return {
        **_head(marks),
        "variables": {
            column: _variable(marks.totals.get(column), codes[column]) for column in marks.columns(Role.CLASSIFICATION)
        },
        "tables": [table],
        **({"intruder": {"knows_rule": True}} if marks.knows_rule else {}),
        "policy": _policy(marks),
    }


def _of_records(marks: Marks, file: str, name: str, codes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The release whose table is made of records: all classifications by each other, with totals."""
    by = marks.columns(Role.CLASSIFICATION)
    values = marks.columns(Role.VALUE)
    return {
        **_head(marks),
        "variables": {column: {"total": new_total(codes[column]), "codes": list(codes[column])} for column in by},
        "microdata": {
            "file": file,
            **({"values": {"value": values[0]}} if values else {}),
            **{key: column for role, key in OF_RECORDS.items() for column in marks.columns(role)},
            **_signs(marks),
        },
        "tables": [{"name": name, "by": by}],
        "policy": _policy(marks),
    }


def _head(marks: Marks) -> dict[str, Any]:
    """What a release says of itself."""
    unit = {"unit": marks.unit} if marks.unit else {}
    return {"tableseal": 1, "title": marks.title, "kind": marks.kind, **unit}


def _signs(marks: Marks) -> dict[str, str]:
    """How numbers are written."""
    thousands = " " if marks.thousands == "blank" else marks.thousands
    return {key: sign for key, sign in (("decimal", marks.decimal), ("thousands", thousands)) if sign}


def _variable(total: str | None, codes: Sequence[str]) -> dict[str, Any]:
    if total is None:
        return {"codes": list(codes)}
    return {"total": total, "codes": [code for code in codes if code != total]}


def _policy(marks: Marks) -> dict[str, Any]:
    fields = [(key, marks.rules.get(name, "")) for name, key, _ in form_fields()]
    rules = []
    for one, rule in said_rules():
        numbers = [number for key, number in fields if key == one.name]
        if any(numbers):
            rules.append(document_of_rule(one.name, rule, numbers))
    return {"primary": rules, **({"require": {"risk": marks.risk}} if marks.risk else {})}
