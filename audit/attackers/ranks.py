"""Contributors to one cell, who know their ranks and subtract what they gave from what outsiders are left with."""

from collections.abc import Iterator
from fractions import Fraction

from tableseal.audit.attackers.answer import Whose
from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.estimates import Estimate, largest_seen_by, second_seen_by_largest
from tableseal.audit.attackers.question import Question
from tableseal.audit.linear.naming import cell_name


def rank_questions(contributors: Contributors, k: int, p: Fraction) -> Iterator[Question]:
    """What the largest, the second largest, and together the next largest contributors of a magnitude (open cell k)
    ask, as far as the release asks about them."""
    cell, intruder = int(contributors.open_cells[k]), contributors.release.intruder
    count = int(contributors.number[cell])
    first, second = contributors.contribution(0, cell), contributors.contribution(1, cell)
    if contributors.is_count[cell] or not contributors.nonnegative or count < 2 or first is None or second is None:
        return
    name = cell_name(contributors.release, contributors.cells, cell)

    def asks(who: str, own: list[int], whose: Whose, target: int, estimate: Estimate) -> Question:
        attacker = Attacker(who, shares=((k, sum(own)),), members=len(own))
        return Question(attacker, k, p, whose, target, estimate, computes=False)

    if "largest" in intruder.kinds:
        yield asks(f"largest of {name}", [first], "second_largest", second, second_seen_by_largest(first, count))
    if "second" in intruder.kinds:
        yield asks(f"second largest of {name}", [second], "largest", first, largest_seen_by([second], count))
    group = [second]
    for rank in range(2, min(intruder.coalition, count - 1) + 1):
        amount = contributors.contribution(rank, cell)
        if amount is None:
            break
        group.append(amount)
    if len(group) > 1:
        yield asks(
            f"{len(group)} next largest of {name} together", group, "largest", first, largest_seen_by(group, count)
        )


def required_by_ranks(contributors: Contributors, k: int, p: Fraction) -> tuple[tuple[int, int] | None, bool]:
    """(values that a magnitude must be able to fall and rise to, so that none of its own contributors is too close;
    None: none is asked about. Whether one is too close whatever is withheld, because of what ranks alone say)."""
    asked = list(rank_questions(contributors, k, p))
    ends = [q.estimate.reach(q.target, p) for q in asked if q.target is not None and q.finding((None, None)) is None]
    needed = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
    return needed, len(ends) < len(asked)
