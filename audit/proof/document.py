"""A proof as JSON, schema tableseal/proof/1."""

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tableseal.audit.proof.model import Argument, Cases, Cell, Claim, Proof, ProvedEnd, Records
from tableseal.audit.version import engine_version

SCHEMA = "tableseal/proof/1"

ABOUT = (
    "Confidential as the report is: the intervals are the agency's own. Numbers are units of the measures. The tables "
    "are witnesses that something is possible, not the truth. Check it with: tableseal verify PROOF RELEASE.json"
)


def proof_json(proof: Proof) -> str:
    """The proof as JSON text, one claim and one table a line; same proof, same text."""
    parts = [f"{_dumps(key)}:{_dumps(value)}" for key, value in _head(proof).items()]
    texts = _Texts()
    lists: list[tuple[str, Iterable[str]]] = [
        ("statements", map(_dumps, proof.statements)),
        ("reference", map(_record, proof.reference)),
        ("tables", map(_records, proof.tables)),
        ("rays", map(_records, proof.rays)),
        ("claims", map(texts.claim, proof.claims)),
    ]
    for key, lines in lists:
        text = ",\n".join(lines)
        parts.append(f"{_dumps(key)}:[\n{text}\n]" if text else f"{_dumps(key)}:[]")
    return "{" + ",\n".join(parts) + "}\n"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _head(proof: Proof) -> dict[str, Any]:
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
    }


def _number(value: Fraction | int) -> str:
    """A whole number, any other as text such as "1/3"."""
    return str(value) if value.denominator == 1 else f'"{value}"'


def _records(records: Records) -> str:
    return f"[{','.join(map(_record, records))}]"


def _record(record: tuple[Cell, Fraction]) -> str:
    leaf, value = record
    return f"[{_codes(leaf)},{_number(value)}]"


@lru_cache(maxsize=2**16)  # tables have the same leaves again and again
def _codes(codes: tuple[str | tuple[str, ...], ...]) -> str:
    return _dumps(codes)[1:-1]


class _Texts:
    """Claims as JSON; an argument that many ends share is written once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._shared: dict[int, str] = {}

    def claim(self, claim: Claim) -> str:
        lower, upper = self._end(claim.lower), self._end(claim.upper)
        return f'{{"cell":{_dumps(claim.cell)},"lower":{lower},"upper":{upper}}}'

    def _end(self, end: ProvedEnd) -> str:
        found = []
        if end.outer is not None:
            found.append(f'"outer":{end.outer[0]},"proof":{self._argument(end.outer[1])}')
        if end.attained is not None:
            found.append(f'"attained":[{end.attained[0]},{end.attained[1]}]')
        if end.continuous is not None:
            found.append(f'"continuous":[{_number(end.continuous[0])},{end.continuous[1]}]')
        if end.ray is not None:
            found.append(f'"ray":{end.ray}')
        return f"{{{','.join(found)}}}"

    def _argument(self, argument: Argument) -> str:
        if isinstance(argument, Cases):
            split = _dumps([(measure, *codes) for measure, codes in argument.parts])
            low, high = self._argument(argument.low), self._argument(argument.high)
            return f'{{"split":{split},"at":{argument.at},"low":{low},"high":{high}}}'
        shared = self._shared.get(id(argument))
        if shared is None:
            terms = ",".join([f"[{n},{_number(y)}]" for n, y in argument.terms])
            shared = f'{{"empty":{_dumps(argument.empty)},"y":[{terms}]}}'
            if id(argument) in self._seen:
                self._shared[id(argument)] = shared
            self._seen.add(id(argument))
        return shared
