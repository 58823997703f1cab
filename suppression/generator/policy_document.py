"""Shape of a generator's policy file, the source of its JSON Schema; and reading it."""

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document_types import (
    TAG,
    Flag,
    Model,
    NonNegative,
    Positive,
    Rank,
    Share,
    Tally,
    Text,
    shape,
    validate,
)
from tableseal.audit.io.files import Folder, decode, read_bytes
from tableseal.audit.io.rule_document import AnyRule
from tableseal.audit.io.schemas import file_schema
from tableseal.audit.io.sources import read_columns
from tableseal.audit.io.yaml_text import parse_document
from tableseal.audit.model import Ptable
from tableseal.audit.rules.largest import OfLargest
from tableseal.audit.rules.rule import Rule
from tableseal.audit.wording import quoted
from tableseal.suppression.generator import policy
from tableseal.suppression.generator.policy import GeneratorPolicy, Limit
from tableseal.suppression.generator.sums import refuse_measures

VERSION_KEY = "tableseal-generator"
"""Key that makes a document a generator's policy; its value is the version of the format, 1."""


class LeastDocument(Model):
    """At least so many."""

    table: NonNegative | None = Field(default=None, description="in the whole table")
    area: NonNegative | None = Field(default=None, description="in each area")


class MostDocument(Model):
    """At most such a share of the cells."""

    table: Share | None = Field(default=None, description="of the whole table")
    area: Share | None = Field(default=None, description="of each area")


class RulesDocument(Model):
    """Rules that are judged before anything is measured; one that is left out does not limit."""

    variables: Rank | None = Field(default=None, description="that span a table, at most")
    filters: Annotated[Rank | None, Field(description="variables that choose its population, at most")] = None
    codes: Tally | None = Field(default=None, description="groups of one variable, at most")
    cells: Tally | None = Field(default=None, description="of a table, at most")
    custom_groups: Flag = Field(default=True, description="users may make groups of their own")
    population: LeastDocument = Field(default_factory=LeastDocument, description="units, at least")
    mean_cell: LeastDocument = Field(default_factory=LeastDocument, description="units a cell, at least")
    small: MostDocument = Field(default_factory=MostDocument, description="share of cells with a small count")
    zeros: MostDocument = Field(default_factory=MostDocument, description="share of empty cells")
    blocked: Literal["left_out", "refused"] = Field(
        default="left_out", description="areas that a rule blocks are left out, or the whole table is refused"
    )


class RiskDocument(Model):
    """Limits on the risk of a whole table (S15, split entropy)."""

    most: Share | None = Field(default=None, description="after protection")
    most_before: Share | None = Field(default=None, description="of the true table")


class CellKeyDocument(Model):
    """A perturbation table of maximum entropy, or the agency's own."""

    range: Rank | None = Field(default=None, description="no count changes by more")
    variance: Positive | None = Field(default=None, description="of the change")
    never: Rank | None = Field(default=None, description="no count from 1 to this is shown")
    unchanged: Share | None = Field(default=None, description="share of counts that stay")
    ptable: Text | None = Field(default=None, description="file of the agency's own perturbation table")


class RoundingDocument(Model):
    """Unbiased random rounding by the cell's key."""

    base: Rank


class ProtectionDocument(Model):
    """What becomes of every count: one of the two."""

    cell_key: CellKeyDocument | None = None
    rounding: RoundingDocument | None = None


class MeasuresDocument(Model):
    """Sums and means of measures: which are given, and how they are changed."""

    share: Share = Field(description="of the largest contribution to a sum, which is a unit of change")
    range: Rank = Field(description="no sum changes by more units of change, and half a step of a half")
    variance: Positive = Field(description="of the change, in units of change")
    rules: list[Annotated[Rule | None, AnyRule]] = Field(
        default=[], description="dominance, p_percent, pq: sums of cells that they make sensitive are not given"
    )
    respondents: Rank = Field(default=3, description="contributors of a cell that is not empty, at least")
    error: Positive | None = Field(
        default_factory=lambda: Fraction(1, 10),
        description="what a contributor gives is known with no smaller standard error, as a share of it, by means of "
        "many sums; left out: 0.1; null: no limit",
    )
    width: Positive = Field(
        default_factory=lambda: Fraction(1, 10),
        description="values of a contribution that stay possible with all sums span so much, as a share of it",
    )


class MemoryDocument(Model):
    """What is kept out of reach of somebody who holds all earlier answers."""

    scope: Literal["user", "group", "public"] = Field(default="user", description="whose answers are taken together")
    width: Rank = Field(default=1, description="further counts that stay possible for every small set, at least")
    error: Positive | None = Field(
        default_factory=lambda: Fraction(7, 10),
        description="no small set of units is known with a standard error below it, by means of many changed counts; "
        "left out: 0.7; null: no limit",
    )


class GeneratorDocument(Model):
    """What a table generator answers."""

    threshold: Annotated[Rank, Field(description="counts from 1 to below it are small")] = 3
    rules: RulesDocument = Field(default_factory=RulesDocument)
    risk: RiskDocument = Field(default_factory=RiskDocument)
    protection: ProtectionDocument
    measures: MeasuresDocument | None = Field(default=None, description="left out: counts alone are given")
    memory: Annotated[
        Annotated[MemoryDocument, Tag(TAG + "mapping")] | Annotated[Flag, Tag(TAG + "text")],
        Discriminator(shape),
        Field(description="false: every table is judged by itself"),
    ] = Field(default_factory=MemoryDocument)


def generator_schema() -> dict[str, Any]:
    """JSON Schema of a generator's policy (`tableseal schema generator-policy`)."""
    schema = file_schema(GeneratorDocument, "generator-policy")
    version = {VERSION_KEY: {"enum": [1, "1"], "description": "version of the format"}}
    return {
        **schema,
        "properties": {**version, **schema["properties"]},
        "required": [VERSION_KEY, *schema["required"]],
    }


def read_generator_policy(path: Path) -> GeneratorPolicy:
    """The policy in a YAML or JSON file; its sha256 is that of the file. A perturbation table lies beside it.

    Raises
    ------
    InputError: where, what was found and expected: syntax, version, unknown keys, values out of range, other than one
        method of protection.
    """
    return generator_policy(read_bytes(path, source=path.name), path.name, Folder(path.parent))


def generator_policy(content: bytes, source: str, folder: Folder) -> GeneratorPolicy:
    """The policy in the content of a file; source: its name. folder: where a perturbation table lies.

    Raises
    ------
    InputError: as `read_generator_policy`.
    """
    top = Place(source)
    parsed = parse_document(decode(content, source)[0], source, json_only=source.lower().endswith(".json"))
    if not isinstance(parsed, Mapping) or parsed.get(VERSION_KEY) != "1":
        version = parsed.get(VERSION_KEY) if isinstance(parsed, Mapping) else None
        shown = quoted(version) if isinstance(version, str) else "no such key"
        expected = f"`{VERSION_KEY}: 1` at the top of a generator's policy"
        raise InputError(found=shown, expected=expected, at=top / VERSION_KEY)
    document = validate(GeneratorDocument, {k: v for k, v in parsed.items() if k != VERSION_KEY}, top)
    return GeneratorPolicy(
        protection=_method(document.protection, top / "protection", folder),
        threshold=document.threshold,
        rules=_rules(document.rules),
        risk=policy.RiskLimit(document.risk.most, document.risk.most_before),
        memory=_memory(document.memory, top / "memory"),
        measures=None if document.measures is None else _measures(document.measures, top / "measures"),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _rules(given: RulesDocument) -> policy.Rules:
    return policy.Rules(
        given.variables,
        given.filters,
        given.codes,
        given.cells,
        given.custom_groups,
        _limit(given.population),
        _limit(given.mean_cell),
        _limit(given.small),
        _limit(given.zeros),
        given.blocked,
    )


def _limit(limit: LeastDocument | MostDocument) -> Limit:
    return Limit(limit.table, limit.area)


def _memory(memory: MemoryDocument | bool, at: Place) -> policy.MemoryRule | None:
    if isinstance(memory, MemoryDocument):
        return policy.MemoryRule(memory.scope, memory.width, memory.error)
    if memory:
        raise InputError(found="true", expected="false, or a mapping such as {scope: user}", at=at)
    return None


def _measures(given: MeasuresDocument, at: Place) -> policy.MeasureRule:
    rules = []
    for number, rule in enumerate(given.rules):
        if rule is None:
            continue
        if not isinstance(rule, OfLargest):
            raise InputError(found=rule.text, expected="dominance, p_percent or pq", at=at / "rules" / number)
        if rule.level != "holding":
            text = "a hypercube knows holdings as contributors, and not their units."
            raise InputError(text, at=at / "rules" / number)
        rules.append(rule)
    found = policy.MeasureRule(
        given.share, given.range, given.variance, tuple(rules), given.respondents, given.error, given.width
    )
    refuse_measures(found, at)
    return found


def _method(given: ProtectionDocument, at: Place, folder: Folder) -> policy.Method:
    if (given.cell_key is None) == (given.rounding is None):
        found = "none" if given.cell_key is None else "both"
        raise InputError(found=found, expected="one of `cell_key` and `rounding`", at=at)
    if given.rounding is not None:
        if given.rounding.base < 2:
            raise InputError(found="1", expected="a base of at least 2", at=at / "rounding" / "base")
        return policy.ByRounding(given.rounding.base)
    assert given.cell_key is not None
    one, table = given.cell_key, None
    if one.ptable is not None:
        where = at / "cell_key" / "ptable"
        columns = read_columns(folder, one.ptable, where)
        table = Ptable({name: tuple(entries) for name, entries in columns.data.items()}, columns.source)
    elif one.range is None or one.variance is None:
        expected = "`range` and `variance`, or `ptable`"
        raise InputError(found="neither a range and a variance nor a table", expected=expected, at=at / "cell_key")
    return policy.ByCellKey(one.range, one.variance, one.never, one.unchanged, table)
