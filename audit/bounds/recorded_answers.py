"""Answers as text, under a key that says to which question they are the answer."""

import hashlib
import json
from fractions import Fraction
from typing import Any

import numpy as np

from tableseal.audit.bounds.component import Answer, Component, End, Limits, Multipliers, Proof, Split, TargetBounds
from tableseal.audit.bounds.method import Method
from tableseal.audit.errors import InputError


def key_of(component: Component, method: Method, limits: Limits) -> str:
    """A digest of a component and of what is asked about it; the time limit is no part of the question."""
    digest = hashlib.sha256(f"{method.name} {limits.integer} {limits.prove} {limits.values}".encode())
    for array in (
        *(part for m in (component.matrix, component.targets) for part in (m.indptr, m.indices, m.data)),
        component.lower,
        component.upper,
        component.column_lower,
        component.column_upper,
    ):
        digest.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def to_text(answer: Answer) -> str:
    """An answer, without what it cost."""
    return json.dumps(
        {
            "targets": [[_end(t.lower), _end(t.upper), t.convex, t.seen] for t in answer.targets],
            "tables": [t.tolist() for t in answer.tables],
            "complete": answer.complete,
        },
        separators=(",", ":"),
    )


def from_text(text: str) -> Answer:
    """The answer that `to_text` wrote.

    Raises
    ------
    InputError: it is damaged.
    """
    try:
        found = json.loads(text)
        targets = [TargetBounds(_to_end(a), _to_end(b), convex, seen) for a, b, convex, seen in found["targets"]]
        tables = [np.array(t, dtype=np.int64) for t in found["tables"]]
        return Answer(tuple(targets), tuple(tables), (), found["complete"])
    except (ValueError, TypeError, KeyError):
        raise InputError("The state file is damaged; delete it and run again without it.") from None


def _end(end: End) -> list[Any]:
    proof = None if end.proof is None else _proof(end.proof)
    point = None if end.point is None else [end.point[0].tolist(), end.point[1]]
    real = _fraction(end.continuous)
    return [_fraction(end.lp), end.outer, end.attained, real, end.unlimited, proof, end.table, point]


def _to_end(found: list[Any]) -> End:
    lp, outer, attained, continuous, unlimited, proof, table, point = found
    return End(
        None if lp is None else Fraction(lp),
        outer,
        attained,
        None if continuous is None else Fraction(continuous),
        unlimited,
        None if proof is None else _to_proof(proof),
        table,
        None if point is None else (np.array(point[0], dtype=np.int64), point[1]),
    )


def _fraction(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _proof(proof: Proof) -> list[Any]:
    if isinstance(proof, Split):
        return [proof.column, proof.at, _proof(proof.low), _proof(proof.high)]
    return [proof.rows.tolist(), proof.numerator.tolist(), proof.denominator, proof.empty]


def _to_proof(found: list[Any]) -> Proof:
    first, second, third, fourth = found
    if isinstance(first, list):
        return Multipliers(np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), third, fourth)
    return Split(first, second, _to_proof(third), _to_proof(fourth))
