"""What attacks on a table generator bring back of its own hypercube: as a document, and as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from tableseal.audit.linear.naming import plural
from tableseal.suppression.generator.attacks.replay import Replay


@dataclass(frozen=True)
class GeneratorAttack:
    """Attacks on a table generator, with its memory and without. Confidential: it says how many claims are true."""

    schema: ClassVar[Literal["tableseal/generator-attack/1"]] = "tableseal/generator-attack/1"

    hypercube: Annotated[str, "Its name."]
    threshold: Annotated[int, "Counts from 1 to below it are small."]
    seed: Annotated[int, "Of what attackers draw, and of which base cells are aimed at."]
    attacks: Annotated[tuple[Replay, ...], "Each without the memory, and with it."]

    @property
    def recovered(self) -> bool:
        """Whether some small count comes back, of the generator as the policy has it."""
        return any(one.recovered for one in self.attacks if one.remembered)


def generator_attack_text(found: GeneratorAttack) -> str:
    """A line for each attack."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: GeneratorAttack) -> Iterator[str]:
    aimed = max((one.targets for one in found.attacks), default=0)
    small = max((one.small for one in found.attacks), default=0)
    yield f"{found.hypercube}: {plural(aimed, 'base cell')} aimed at, {small:,} with a count below {found.threshold}"
    for one in found.attacks:
        memory = "with memory" if one.remembered else "without memory"
        yield (
            f"{one.attack}, {memory}: {one.asked:,} asked, {one.refused:,} refused; "
            f"counts {_share(one.right, one.targets)}, "
            f"below the threshold {_share(one.recovered, one.small)}{_wrong(one)}"
        )
    for one in found.attacks:
        if one.reach is not None and not one.remembered:
            yield f"changes of up to {one.reach:,} are found by sums of one count"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.0f}%)" if whole else "none to find"


def _wrong(one: Replay) -> str:
    wrong = one.claimed - one.right
    return f"; {wrong:,} claimed wrongly" if wrong else ""
