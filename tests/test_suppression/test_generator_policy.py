"""The policy of a table generator: reading it, and its schema."""

from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

import tableseal.suppression.generator as generator
from tableseal.audit.errors import InputError
from tableseal.audit.io.files import Folder
from tableseal.suppression.generator.policy import ByCellKey, ByRounding, GeneratorPolicy, Limit, MemoryRule
from tableseal.suppression.generator.policy_document import generator_policy, generator_schema, read_generator_policy
from tableseal.suppression.generator.protection import protection_of

USUAL = Path(generator.__file__).parent / "usual.yaml"


def read(text: str, folder: Path | None = None) -> GeneratorPolicy:
    return generator_policy(text.encode(), "policy.yaml", Folder(folder))


def test_the_usual_policy_is_read_and_fits_its_schema() -> None:
    """CONVENTION 1060."""
    policy = read_generator_policy(USUAL)
    jsonschema.Draft202012Validator(generator_schema()).validate(yaml.safe_load(USUAL.read_text("utf-8")))
    assert policy.rules.population == Limit(Fraction(1000), Fraction(50))
    assert policy.protection == ByCellKey(5, Fraction(2))
    assert policy.memory == MemoryRule("user", 1, Fraction(7, 10))
    assert policy.sha256 is not None


def test_what_is_left_out_does_not_limit() -> None:
    """CONVENTION 1060."""
    policy = read("tableseal-generator: 1\nprotection: {rounding: {base: 3}}\nmemory: false\n")
    assert policy.rules.variables is None
    assert policy.rules.small == Limit()
    assert (policy.risk.most, policy.memory, policy.protection) == (None, None, ByRounding(3))
    assert read("tableseal-generator: 1\nprotection: {rounding: {base: 3}}\n").memory == MemoryRule()


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        ("protection: {rounding: {base: 3}}", "tableseal-generator", "no such key"),
        ("tableseal-generator: 2\nprotection: {rounding: {base: 3}}", "tableseal-generator", '"2"'),
        ("tableseal-generator: 1", "protection", "is missing"),
        ("tableseal-generator: 1\nprotection: {}", "protection", "found none"),
        (
            "tableseal-generator: 1\nprotection: {rounding: {base: 3}, cell_key: {range: 2, variance: 1}}",
            "protection",
            "found both",
        ),
        ("tableseal-generator: 1\nprotection: {cell_key: {range: 2}}", "cell_key", "variance"),
        ("tableseal-generator: 1\nprotection: {rounding: {base: 1}}", "base", "at least 2"),
        ("tableseal-generator: 1\nprotection: {rounding: {base: 3}}\nrules: {zeros: {table: 2}}", "zeros", "at most 1"),
        ("tableseal-generator: 1\nprotection: {rounding: {base: 3}}\nrules: {zero: {}}", "rules", "zeros"),
        ("tableseal-generator: 1\nprotection: {rounding: {base: 3}}\nmemory: true", "memory", "false, or a mapping"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert where in str(error.value)
    assert told in str(error.value)


def test_a_perturbation_table_lies_beside_the_policy(tmp_path: Path) -> None:
    rows = [(count, key, (1, -1)[key] if count else 0) for count in range(3) for key in range(2)]
    lines = [f"{count},{key},{change}" for count, key, change in rows]
    (tmp_path / "own.csv").write_text("\n".join(["pcv,ckey,pvalue", *lines]), "utf-8")
    policy = read("tableseal-generator: 1\nprotection: {cell_key: {ptable: own.csv}}", tmp_path)
    assert isinstance(policy.protection, ByCellKey)
    shown = protection_of(policy.protection, 2, secret=1).shown(np.arange(9), np.arange(9) % 2)
    assert (np.abs(shown - np.arange(9)) == (np.arange(9) > 0)).all()
    with pytest.raises(InputError, match="other"):
        read("tableseal-generator: 1\nprotection: {cell_key: {ptable: other.csv}}", tmp_path)
