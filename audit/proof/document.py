"""A proof as JSON, schema tableseal/proof/1."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tableseal.audit.proof.model import Argument, Cases, Proof, ProvedEnd, Records
from tableseal.audit.version import engine_version

SCHEMA = "tableseal/proof/1"

ABOUT = (
    "Confidential as the report is: the intervals are the agency's own. Numbers are units of the measures. The tables "
    "are witnesses that something is possible, not the truth. Check it with: tableseal verify PROOF RELEASE.json"
)


def proof_json(proof: Proof) -> str:
    """The proof as JSON text, one claim and one table a line; same proof, same text."""
    parts = []
    for key, value in proof_document(proof).items():
        lines = isinstance(value, list) and value
        text = "[\n" + ",\n".join(_dumps(item) for item in value) + "\n]" if lines else _dumps(value)
        parts.append(f"{_dumps(key)}:{text}")
    return "{" + ",\n".join(parts) + "}\n"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def proof_document(proof: Proof) -> dict[str, Any]:
    """The proof as plain values: whole numbers, other numbers as text such as "1/3"."""
    ends = [end for claim in proof.claims for end in (claim.lower, claim.upper)]
    return {
        "schema": SCHEMA,
        "confidential": True,
        "about": ABOUT,
        "release": {"sha256": proof.release_sha256},
        "engine": {"version": engine_version()},
        "counts": {
            "ends": len(ends),
            "proved": sum(end.outer is not None or end.ray is not None for end in ends),
            "attained": sum(end.attained is not None or end.ray is not None for end in ends),
        },
        "statements": [said if isinstance(said, int) else list(said) for said in proof.statements],
        "reference": _records(proof.reference),
        "tables": [_records(table) for table in proof.tables],
        "rays": [_records(ray) for ray in proof.rays],
        "claims": [
            {
                "cell": [code if isinstance(code, str) else list(code) for code in claim.cell],
                "lower": _end(claim.lower),
                "upper": _end(claim.upper),
            }
            for claim in proof.claims
        ],
    }


def _number(value: Fraction | int) -> int | str:
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else str(exact)


def _records(records: Records) -> list[Sequence[str | int]]:
    return [[*leaf, _number(value)] for leaf, value in records]


def _end(end: ProvedEnd) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if end.outer is not None:
        found |= {"outer": end.outer[0], "proof": _argument(end.outer[1])}
    if end.attained is not None:
        found["attained"] = list(end.attained)
    if end.continuous is not None:
        found["continuous"] = [_number(end.continuous[0]), end.continuous[1]]
    if end.ray is not None:
        found["ray"] = end.ray
    return found


def _argument(argument: Argument) -> dict[str, Any]:
    if isinstance(argument, Cases):
        halves = {"low": _argument(argument.low), "high": _argument(argument.high)}
        return {
            "split": [
                [measure, *(code if isinstance(code, str) else list(code) for code in codes)]
                for measure, codes in argument.parts
            ],
            "at": argument.at,
            **halves,
        }
    return {"empty": argument.empty, "y": [[n, _number(y)] for n, y in argument.terms]}
