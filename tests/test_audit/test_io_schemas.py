"""The JSON Schemas agree with the code and with the files that are read."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tableseal.audit import io
from tableseal.audit.io import policy_schema, release_schema
from tableseal.audit.io.yaml_text import parse_document

REPORTS = [
    path
    for path in sorted((Path(__file__).parents[1] / "data" / "reports").glob("*/*.yaml"))
    if "decisions:" not in path.read_text()
]


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_release_files_are_valid_as_text_and_as_yaml_readers_type_them(path: Path) -> None:
    validator = jsonschema.Draft202012Validator(release_schema())
    validator.validate(parse_document(path.read_text(), path.name))
    if path.name != "release_norway.yaml":  # other YAML readers take its unquoted NO for false
        validator.validate(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"primary": [{"threshold": 3}, {"pq": {"p": 10, "q": "60"}}, {"request": True}, {"request": {"percent": 10}}]},
        {"require": {"risk": None}, "insider": {"p_percent": 10}},
    ],
)
def test_policies_are_valid(policy: dict[str, Any]) -> None:
    jsonschema.validate(policy, policy_schema())


@pytest.mark.parametrize("policy", [{"primary": [{"treshold": 3}]}, {"primary": [{"threshold": 0}]}, {"require": 1}])
def test_bad_policies_are_not(policy: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(policy, policy_schema())


def test_every_property_of_a_table_is_described() -> None:
    table = release_schema()["$defs"]["TableDocument"]["properties"]
    undescribed = {name for name, schema in table.items() if "description" not in schema and "$ref" not in str(schema)}
    assert undescribed <= {"name"}


def test_the_door_lists_what_it_has() -> None:
    assert sorted(io.__all__) == list(io.__all__)
    assert all(hasattr(io, name) for name in io.__all__)
