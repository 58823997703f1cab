"""The verifier itself: short, alone, and right about what a release says."""

import ast
import itertools
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import proofs
import pytest
from dense_proof import Dense
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import variables_of
from random_releases import Maker
from small import document, table

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import canonical_json, release_digest, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json, proof_schema, verify
from tableseal.audit.proof.verify import RefusedError, Release, check

SOURCE = Path(verify.__file__)


def proved(*tables: dict[str, Any], **changes: Any) -> tuple[dict[str, Any], bytes]:
    """(proof, canonical release) of tables of one variable."""
    release = release_from_document(document(*tables, **changes))
    result = audit(release, prove=True)
    assert result.proof is not None
    return json.loads(proof_json(result.proof)), canonical_json(release)


def ends(proof: dict[str, Any], code: str) -> tuple[Any, Any]:
    """Outer ends of a cell; None: no limit."""
    claim = next(c for c in proof["claims"] if c["cell"][1] == code)
    return claim["lower"].get("outer"), claim["upper"].get("outer")


def verdict(proof: dict[str, Any], release: bytes) -> dict[str, int]:
    """What the verifier says; the proof is also of the shape that its schema describes."""
    jsonschema.validate(proof, proof_schema())
    return check(json.dumps(proof).encode(), release)


def test_it_is_short_and_needs_nothing() -> None:
    """CONVENTION 300."""
    text = SOURCE.read_text("utf-8")
    assert len(text.splitlines()) < 250
    modules = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            modules.add(str(node.module).split(".")[0])
    assert modules <= sys.stdlib_module_names


WITHHELD = table("Tklm", [9, None, None, 3], status=["published", "primary", "secondary", "published"])


def test_multipliers_name_what_is_released() -> None:
    """CONVENTION 302: only cells that the table lists; one of the leaves l and m, which it does not tell apart."""
    silent = {"leaves": "not_released", "totals": "not_released"}
    rows = table("Tk", [9, None], status=["published", "missing"], upper=[None, 4], absent=silent)
    proof, _ = proved(rows)
    assert {tuple(said) for said in proof["statements"]} <= {("value", "T"), ("value", "k")}
    records = [r for t in (proof["reference"], *proof["tables"]) for r in t]
    assert {code for _, code, _ in records} == {"k", "l"}


def test_it_runs_alone(tmp_path: Path) -> None:
    """CONVENTION 300: exit codes 0, 1 and 2."""
    (tmp_path / "verify.py").write_bytes(SOURCE.read_bytes())
    proof, release = proved(WITHHELD)
    (tmp_path / "release.json").write_bytes(release)
    (tmp_path / "good.json").write_text(json.dumps(proof))
    proof["claims"][0]["lower"]["outer"] += 1
    (tmp_path / "bad.json").write_text(json.dumps(proof))
    (tmp_path / "no.json").write_text("[1]")

    def run(*files: str) -> tuple[int, str]:
        command = [sys.executable, "-I", "verify.py", *files]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert run("good.json", "release.json") == (0, "Accepted: 4 of 4 ends proved, 4 attained.\n")
    assert run("bad.json", "release.json") == (1, "Refused: the multipliers prove less.\n")
    assert run("no.json", "release.json")[0] == 2
    assert run("missing.json", "release.json")[0] == 2
    assert run("good.json")[0] == 2
    assert "Traceback" not in run("no.json", "release.json")[1]


@pytest.mark.parametrize(
    ("tables", "changes", "code", "expected"),
    [
        ([WITHHELD], {}, "k", (0, 6)),
        ([WITHHELD], {"intruder": {"nonempty": True}}, "k", (1, 5)),
        ([WITHHELD], {"intruder": {"nonnegative": False}}, "k", (None, None)),
        ([table("Tklm", [10, 5, 0, 5], rounding={"base": 5, "method": "conventional"})], {}, "m", (3, 7)),
        ([table("Tklm", [10, 5, 0, 5], rounding={"base": 5, "method": "up"})], {}, "m", (1, 5)),
        ([table("Tklm", [10, 5, 0, 5], rounding={"base": 5, "method": "random"})], {}, "k", (1, 9)),
        (
            [table("Tkl", [9, None, None], status=["published", "primary", "secondary"], upper=[None, 4, None])],
            {},
            "l",
            (5, 9),
        ),
        ([table("Tk", [9, None], status=["published", "primary"])], {}, "k", (9, 9)),
        (
            [
                table(
                    "kl",
                    [None, 4],
                    status=["primary", "published"],
                    truth=[2, 4],
                    absent={"leaves": "zero", "totals": "compute"},
                )
            ],
            {},
            "k",
            (2, 2),
        ),
        (
            [WITHHELD],
            {"links": [{"terms": [[2, {"a": "k"}], [-1, {"a": "l"}]], "lower": "1/2"}]},
            "k",
            (3, 6),
        ),
    ],
    ids=["sum", "nonempty", "negative", "conventional", "up", "random", "upper", "absent", "computed", "link"],
)
def test_it_reads_what_is_released(
    tables: list[dict[str, Any]], changes: dict[str, Any], code: str, expected: tuple[int | None, int | None]
) -> None:
    """Intervals worked out by hand; one unit less is refused."""
    proof, release = proved(*tables, **changes)
    count = verdict(proof, release)
    assert count["ends"] == count["proved"] == count["attained"]
    assert ends(proof, code) == expected
    for side, step in (("lower", 1), ("upper", -1)):
        claim = next(c for c in proof["claims"] if c["cell"][1] == code)
        if "outer" in claim[side]:
            claim[side]["outer"] += step
            with pytest.raises(RefusedError, match="multipliers prove less"):
                verdict(proof, release)
            claim[side]["outer"] -= step


def emptied(**end: Any) -> dict[str, Any]:
    """An end whose proof says that there is no table at all, for no reason."""
    return {**end, "proof": {"empty": True, "y": []}}


DAMAGES: list[tuple[Any, str]] = [
    (lambda p: p.update(schema="tableseal/report/1"), "another kind of file"),
    (lambda p: p["claims"].pop(), "no claim of"),
    (lambda p: p["release"].update(sha256="0" * 64), "of another release"),
    (lambda p: p["claims"][0]["lower"].pop("attained"), "more or less than it states"),
    (lambda p: p["claims"][0]["lower"].update(outer=1), "multipliers prove less"),
    (lambda p: p["claims"][0]["upper"]["proof"]["y"].clear(), "negative coefficient"),
    (lambda p: p["claims"][0]["lower"].update(emptied(outer=1000)), "do not show that a case is empty"),
    (lambda p: p["claims"][0]["upper"].update(emptied(outer=-1000)), "do not show that a case is empty"),
    (
        lambda p: p["statements"].append(["value", "k"]) or p["claims"][0]["upper"]["proof"]["y"].append([2, -1]),
        "uses an end that its statement does not have",
    ),
    (lambda p: p["claims"][0]["lower"]["attained"].__setitem__(0, 7), "does not reach it"),
    (
        lambda p: (
            p["tables"].append([["value", "k", "1/2"], ["value", "l", "11/2"]])
            or p["claims"][0]["lower"].update(attained=["1/2", len(p["tables"]) - 1])
        ),
        "the table is not of whole units",
    ),
    (lambda p: p["reference"][0].__setitem__(2, 8), "does not fit what is said of"),
    (lambda p: p["reference"][0].__setitem__(1, "T"), "has codes of sums"),
    (lambda p: p["reference"][0].__setitem__(2, -1), "is negative"),
    (lambda p: p["claims"][0]["lower"].update(ray=0) or p["rays"].append([["value", "k", 1]]), "does not fit"),
    (lambda p: p["claims"][0]["lower"].update(ray=0) or p["rays"].append([]), "does not lead there"),
    (
        lambda p: (
            p["rays"].append([])
            or p.update(reference=[["value", c, x] for c, x in (("k", "1/2"), ("l", "11/2"), ("m", 3))])
        ),
        "the reference table is not of whole units",
    ),
]


@pytest.mark.parametrize(("damage", "reason"), DAMAGES)
def test_the_reason_is_said(damage: Any, reason: str) -> None:
    proof, release = proved(WITHHELD)
    damage(proof)
    with pytest.raises(RefusedError, match=reason):
        check(json.dumps(proof).encode(), release)


def test_intervals_that_rest_on_true_values_are_refused() -> None:
    """CONVENTION 303: whatever a proof says."""
    proof, _ = proved(WITHHELD)
    release = release_from_document(document(WITHHELD, intruder={"prior": "0.5"}))
    proof["release"]["sha256"] = release_digest(release)
    with pytest.raises(RefusedError, match=PRIOR):
        check(json.dumps(proof).encode(), canonical_json(release))


PRIOR = "prior rests on true values"


def test_every_reason_to_refuse_is_met_above() -> None:
    told = [reason for _, reason in DAMAGES] + [PRIOR]
    for node in ast.walk(ast.parse(SOURCE.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "demand":
            said = "".join(str(part.value) for part in ast.walk(node.args[1]) if isinstance(part, ast.Constant))
            assert any(reason in said for reason in told), said


def by_cases() -> dict[str, Any]:
    """A proof with splits, fractions and a link."""
    files = proofs.proved(proofs.BY_CASES)
    assert files is not None
    return dict(json.loads(files[0]))


@pytest.mark.parametrize(
    "damage",
    [
        lambda p: p.update(extra=1),
        lambda p: p.pop("rays"),
        lambda p: p.update(confidential=False),
        lambda p: p.update(release={"sha256": "x" * 64}),
        lambda p: p["statements"].append(0),
        lambda p: p["statements"].append(["n"]),
        lambda p: p["statements"].append(["n", ["1", "2"]]),
        lambda p: p["reference"].append(["n", 1]),
        lambda p: p["reference"].append(["n", "1", 1.5]),
        lambda p: p["tables"].append([["n", "1", None]]),
        lambda p: p["rays"].append([["n", 1]]),
        lambda p: p["claims"].append({"cell": ["n", "1"], "lower": {}}),
        lambda p: p["claims"].append({"cell": ["n"], "lower": {}, "upper": {}}),
        lambda p: p["claims"][0]["lower"].update(inner=1),
        lambda p: p["claims"][0]["lower"].pop("outer"),
        lambda p: p["claims"][0]["lower"].pop("proof"),
        lambda p: p["claims"][0]["lower"].update(outer="1/2"),
        lambda p: p["claims"][0]["lower"].update(ray=-1),
        lambda p: p["claims"][0]["lower"].update(attained=[1]),
        lambda p: p["claims"][0]["lower"].update(attained=[1, 0, 0]),
        lambda p: p["claims"][0]["lower"].update(attained=[1, -1]),
        lambda p: p["claims"][0]["lower"].update(attained=["1/2", 0]),
        lambda p: p["claims"][0]["lower"].update(continuous=["1/0", 0]),
        lambda p: p["claims"][0]["lower"].update(continuous=[0.5, 0]),
        lambda p: p["claims"][0]["lower"]["proof"].update(empty=False),
        lambda p: p["claims"][0]["lower"]["proof"].pop("at"),
        lambda p: p["claims"][0]["lower"]["proof"]["split"].append(["n"]),
        lambda p: p["claims"][0]["lower"]["proof"]["low"]["y"].append([0]),
        lambda p: p["claims"][0]["lower"]["proof"]["low"]["y"].append([0, 1, 2]),
        lambda p: p["claims"][0]["lower"]["proof"]["low"]["y"].append([0, "half"]),
        lambda p: p["claims"][0]["lower"]["proof"]["low"].pop("empty"),
    ],
)
def test_what_is_not_of_the_shape_does_not_fit_the_schema(damage: Any) -> None:
    proof = by_cases()
    assert "split" in proof["claims"][0]["lower"]["proof"]
    proof["claims"][0]["lower"]["continuous"] = ["-1/2", 0]
    proof["claims"].append({"cell": ["n", ["1", "2"]], "lower": {"ray": 0}, "upper": {}})
    jsonschema.validate(proof, proof_schema())
    damage(proof)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(proof, proof_schema())


def test_one_claim_and_one_table_a_line() -> None:
    """In the letters of the release, with nothing beside them."""
    rows = table("Tkl", [9, None, None], status=["published", "primary", "secondary"])
    rows["cells"]["a"][1] = "ä"
    release = release_from_document(document(rows, variables={"a": {"total": "T", "codes": ["ä", "l"]}}))
    result = audit(release, prove=True)
    assert result.proof is not None
    text = proof_json(result.proof)
    lines = text.split("\n")
    whole = json.loads(text)
    for key in ("claims", "tables", "reference", "statements"):
        assert whole[key]
        for item in whole[key]:
            assert json.dumps(item, ensure_ascii=False, separators=(",", ":")) in [line.rstrip(",") for line in lines]
    assert '"rays":[],' in lines


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"{", b"null", b'{"schema": "tableseal/proof/1"}'])
def test_what_is_no_proof_is_an_error(text: bytes) -> None:
    _, release = proved(WITHHELD)
    with pytest.raises((ValueError, RefusedError)):
        check(text, release)


ROUNDED = table("Tklm", [10, 5, 0, 5], rounding={"base": 5, "method": "conventional"})


@pytest.mark.parametrize("code", ["T", "k", "l", "m"])
def test_every_published_cell_that_is_rounded_needs_a_claim(code: str) -> None:
    """CONVENTION 301: its value is open as that of a withheld one."""
    proof, release = proved(ROUNDED)
    assert [claim["cell"][1] for claim in proof["claims"]] == ["T", "k", "l", "m"]
    proof["claims"] = [claim for claim in proof["claims"] if claim["cell"][1] != code]
    ends = [claim[side] for claim in proof["claims"] for side in ("lower", "upper")]
    proof["counts"] = {"ends": len(ends), "proved": len(ends), "attained": len(ends)}
    with pytest.raises(RefusedError, match=f"no claim of .*'{code}'"):
        verdict(proof, release)


def test_a_published_cell_with_one_value_needs_none() -> None:
    """CONVENTION 301: 0 rounded up is 0, and a total that another table computes is released."""
    proof, _ = proved(table("kl", [0, 5], rounding={"base": 5, "method": "up"}))
    assert {"k", "l"} >= {claim["cell"][1] for claim in proof["claims"]} >= {"l"}
    parts = table("klm", [1, 2, 3], absent={"totals": "compute"})
    withheld = {**table("T", [None], status=["primary"]), "name": "u"}
    proof, release = proved(parts, withheld)
    assert proof["claims"] == []
    assert verdict(proof, release) == {"ends": 0, "proved": 0, "attained": 0}


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_of_every_combination_of_codes_it_reads_what_the_release_says(seed: int) -> None:
    """Of cells that have no row, too: what is wrongly taken as a zero would let false proofs pass. A second reading of
    the document as a user writes it says the same."""
    # CONVENTION 301
    written = Maker(Random(seed), base=8, damaged=0, rounded=50, linked=50).document()
    try:
        release = Release(json.loads(canonical_json(release_from_document(written))))
    except TablesealError:
        assume(False)
    dense, variables = Dense(written), variables_of(written)
    assert list(release.covers) == [variable.covers for variable in variables.values()]
    for measure, *codes in itertools.product(release.units, *release.covers):
        assert release.bounds((measure, *codes)) == dense.bounds([measure, *codes])
    for (terms, ends), (form, *limits) in zip(release.links, dense.links, strict=True):
        each = [[weight * x for x in dense.sum_of(list(cell))] for cell, weight in terms]
        assert ([sum(weights) for weights in zip(*each, strict=True)], [*ends]) == (form, limits)
    if all(known.low <= known.high for known in dense.oracle.cells.values()):
        needed = {cell for cell, known in dense.oracle.cells.items() if known.open and dense._is_open(cell)}
        assert {(measure, tuple(codes)) for measure, *codes in release.open} == needed
