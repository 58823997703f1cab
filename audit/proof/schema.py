"""The JSON Schema of a proof."""

from typing import Any


def proof_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of tableseal/proof/1."""
    whole = {"type": "integer"}
    number = {"description": "a whole number, or a fraction as text", "anyOf": [whole, {"$ref": "#/$defs/fraction"}]}
    code = {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "tableseal/proof/1",
        "description": "Why the intervals of a report hold. Everything is in units of the measures.",
        **_record(
            {
                "schema": {"const": "tableseal/proof/1"},
                "confidential": {"const": True},
                "about": {"type": "string"},
                "release": _record({"sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
                "engine": _record({"version": {"type": "string"}}),
                "counts": _record({"ends": whole, "proved": whole, "attained": whole}),
                "statements": {
                    "description": "what multipliers refer to by position: a cell, or a link by its number from 1 on",
                    "type": "array",
                    "items": {"anyOf": [{"$ref": "#/$defs/cell"}, {"type": "integer", "minimum": 1}]},
                },
                "reference": {"description": "one table that fits", "$ref": "#/$defs/records"},
                "tables": {
                    "description": "further tables, each as the leaves that differ from the reference",
                    "type": "array",
                    "items": {"$ref": "#/$defs/records"},
                },
                "rays": {
                    "description": "directions that can be added to the reference for ever",
                    "type": "array",
                    "items": {"$ref": "#/$defs/records"},
                },
                "claims": {
                    "type": "array",
                    "items": _record(
                        {
                            "cell": {
                                "description": "measure, and of every variable a code or (of a cell that no row lists) "
                                "leaf codes",
                                "type": "array",
                                "items": {"anyOf": [code, {"type": "array", "items": code}]},
                                "minItems": 2,
                            },
                            "lower": {"$ref": "#/$defs/end"},
                            "upper": {"$ref": "#/$defs/end"},
                        }
                    ),
                },
            }
        ),
        "$defs": {
            "fraction": {"type": "string", "pattern": "^-?[0-9]+/[1-9][0-9]*$"},
            "cell": {"description": "measure, code of every variable", "type": "array", "items": code, "minItems": 2},
            "records": {
                "description": "measure, leaf code of every variable, value; leaves that are not listed are 0",
                "type": "array",
                "items": {"type": "array", "minItems": 3, "items": {"anyOf": [code, number]}},
            },
            "end": {
                "description": "what is not there is not claimed",
                "type": "object",
                "additionalProperties": False,
                "dependentRequired": {"outer": ["proof"], "proof": ["outer"]},
                "properties": {
                    "outer": {"description": "no value lies beyond", **whole},
                    "proof": {"$ref": "#/$defs/argument"},
                    "attained": {"description": "value, and the table (by position) that has it", **_pair(whole)},
                    "continuous": {"description": "likewise, of a table of fractions", **_pair(number)},
                    "ray": {"description": "no limit: the direction (by position)", "type": "integer", "minimum": 0},
                },
            },
            "argument": {
                "anyOf": [
                    _record(
                        {
                            "empty": {"description": "shows that no table is left in these cases", "type": "boolean"},
                            "y": {
                                "description": "statement (-1: the outermost case above, -2 the next), multiplier",
                                "type": "array",
                                "items": {
                                    "type": "array",
                                    "prefixItems": [whole, number],
                                    "items": False,
                                    "minItems": 2,
                                },
                            },
                        }
                    ),
                    _record(
                        {
                            "split": {
                                "description": "sums of leaves that are added up: measure, and of every variable a "
                                "code or leaf codes",
                                "type": "array",
                                "items": {
                                    "type": "array",
                                    "items": {"anyOf": [code, {"type": "array", "items": code}]},
                                    "minItems": 2,
                                },
                            },
                            "at": {"description": "low: the sum is at most this; high: it is more", **whole},
                            "low": {"$ref": "#/$defs/argument"},
                            "high": {"$ref": "#/$defs/argument"},
                        }
                    ),
                ]
            },
        },
    }


def _record(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these keys."""
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


def _pair(value: dict[str, Any]) -> dict[str, Any]:
    position = {"type": "integer", "minimum": 0}
    return {"type": "array", "prefixItems": [value, position], "items": False, "minItems": 2}
