"""Random changes to proofs: claims, multipliers, splits, tables, rays."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

Proof = dict[str, Any]
Change = Callable[[Random, Proof], bool]
"""Changes the proof in place; False if there is nothing of that kind to change."""


def ends_of(proof: Proof) -> Iterator[dict[str, Any]]:
    """Every end of every claim."""
    for claim in proof["claims"]:
        yield claim["lower"]
        yield claim["upper"]


def nodes_of(proof: Proof) -> Iterator[dict[str, Any]]:
    """Every node of every argument."""
    stack = [end["proof"] for end in ends_of(proof) if "proof" in end]
    while stack:
        node = stack.pop()
        yield node
        stack += [node["low"], node["high"]] if "split" in node else []


def _pick(random: Random, items: Any) -> Any:
    found = list(items)
    return random.choice(found) if found else None


def move_outer(random: Random, proof: Proof) -> bool:
    """Mostly narrows; a wider claim is true, too."""
    claim = _pick(random, proof["claims"])
    side, sign = random.choice([("lower", 1), ("upper", -1)])
    if claim is None or "outer" not in claim[side]:
        return False
    claim[side]["outer"] += sign * random.choice([1, 1, 2, -1])
    return True


def move_attained(random: Random, proof: Proof) -> bool:
    end = _pick(random, (e for e in ends_of(proof) if "attained" in e))
    if end is None:
        return False
    if random.random() < 0.5:
        end["attained"][0] += random.choice([-1, 1])
    else:
        end["attained"][1] = random.randrange(len(proof["tables"]))
    return True


def change_multiplier(random: Random, proof: Proof) -> bool:
    node = _pick(random, (n for n in nodes_of(proof) if n.get("y")))
    if node is None:
        return False
    term = random.choice(node["y"])
    kind = random.randrange(4)
    if kind == 0:
        term[1] = str(Fraction(term[1]) + random.choice([-1, 1, Fraction(1, 2), Fraction(-1, 2)]))
    elif kind == 1:
        term[1] = str(-Fraction(term[1]))
    elif kind == 2:
        term[0] = random.randrange(-2, len(proof["statements"]))
    else:
        node["y"].remove(term)
    return True


def add_multiplier(random: Random, proof: Proof) -> bool:
    node = _pick(random, (n for n in nodes_of(proof) if "y" in n))
    if node is None or not proof["statements"]:
        return False
    node["y"].append([random.randrange(len(proof["statements"])), random.choice([-1, 1])])
    return True


def change_statement(random: Random, proof: Proof) -> bool:
    if len(proof["statements"]) < 2:
        return False
    a, b = random.sample(range(len(proof["statements"])), 2)
    proof["statements"][a] = deepcopy(proof["statements"][b])
    return True


def change_split(random: Random, proof: Proof) -> bool:
    node = _pick(random, (n for n in nodes_of(proof) if "split" in n))
    if node is None:
        return False
    kind = random.randrange(3)
    if kind == 0:
        node["at"] += random.choice([-1, 1])
    elif kind == 1:
        node["low"], node["high"] = node["high"], node["low"]
    else:
        part = random.choice(node["split"])
        at = random.randrange(1, len(part))
        part[at] = part[at][1:] if len(part[at]) > 1 else [part[at]]
    return True


def toggle_empty(random: Random, proof: Proof) -> bool:
    node = _pick(random, (n for n in nodes_of(proof) if "y" in n))
    if node is None:
        return False
    node["empty"] = not node["empty"]
    return True


def change_table(random: Random, proof: Proof) -> bool:
    """A record of the reference, of a table or of a ray: another value, another leaf, or gone."""
    records = _pick(random, (t for t in (proof["reference"], *proof["tables"], *proof["rays"]) if t))
    if records is None:
        return False
    record = random.choice(records)
    kind = random.randrange(3)
    if kind == 0:
        record[-1] = str(Fraction(record[-1]) + random.choice([-1, 1, Fraction(1, 2)]))
    elif kind == 1:
        record[:-1] = random.choice(records)[:-1]
    else:
        records.remove(record)
    return True


def leave_out(random: Random, proof: Proof) -> bool:
    """A claim, or one half of an end."""
    if random.random() < 0.5 and proof["claims"]:
        proof["claims"].pop(random.randrange(len(proof["claims"])))
        return True
    end = _pick(random, (e for e in ends_of(proof) if e))
    if end is None:
        return False
    end.pop(random.choice(list(end)))
    return True


def move_ray(random: Random, proof: Proof) -> bool:
    """A claim of no limit for an end that has one."""
    end = _pick(random, (e for e in ends_of(proof) if "ray" not in e))
    if end is None:
        return False
    end.clear()
    end["ray"] = random.randrange(len(proof["rays"])) if proof["rays"] else 0
    return True


CHANGES: tuple[Change, ...] = (
    move_outer,
    move_attained,
    change_multiplier,
    add_multiplier,
    change_statement,
    change_split,
    toggle_empty,
    change_table,
    leave_out,
    move_ray,
)


def falsified(random: Random, proof: Proof, change: Change) -> Proof | None:
    """A changed copy, None if there is nothing to change."""
    copy = deepcopy(proof)
    return copy if change(random, copy) else None
