"""A hypercube with its policy, where tables are asked for: a request becomes an answer or a reasoned refusal."""

from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np

from tableseal.api.generating.document import TableAnswer
from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.ask import ask
from tableseal.audit.hypercube.model import Cells, HeldCells, Hypercube
from tableseal.audit.hypercube.request import TableRequest
from tableseal.audit.hypercube.store import HELD, open_cube
from tableseal.audit.io.files import Folder
from tableseal.audit.io.record_keys import read_secret
from tableseal.suppression.generator.memory.ground import Ground
from tableseal.suppression.generator.memory.memory import Memory
from tableseal.suppression.generator.policy import GeneratorPolicy
from tableseal.suppression.generator.policy_document import read_generator_policy
from tableseal.suppression.generator.protection import protection_of
from tableseal.suppression.generator.result import Refusal
from tableseal.suppression.generator.steps import Generator, answered, refused_as_asked
from tableseal.suppression.generator.sums import Sums
from tableseal.suppression.generator.table import as_table, only


@dataclass(frozen=True, repr=False)
class Counter:
    """Where tables of one hypercube are asked for.

    Attributes
    ----------
    name: of the hypercube. ground: what a memory knows of it; None: nothing is remembered.
    identity: what all answers depend on that are remembered together: the data, the method and its secret, as a digest.
    """

    name: str
    cells: Cells
    generator: Generator
    ground: Ground | None
    identity: str

    @property
    def modulus(self) -> int:
        """Of the hypercube's keys."""
        found = self.cells.about.modulus
        assert found is not None
        return found

    def judged(self, request: TableRequest, memory: Memory | None) -> "Told":
        """What is told of a request by whoever holds the answers of a memory, and the memory after it."""
        say = partial(TableAnswer, self.name, request.title, request.statistic)
        refusal = refused_as_asked(request.question, self.generator)
        if refusal is not None:
            return Told(say(refusal=refusal), memory)
        found = ask(request, self.cells)
        asked = as_table(request.question, found.whole, self.modulus)
        question = request.of_part
        if question is not None and found.part is not None:
            beside = as_table(question, found.part, self.modulus)
        elif request.statistic == "mean":  # the whole are the units of which it is one
            beside = asked
            asked = replace(asked, question=replace(asked.question, measure=None), total=None, contributions=None)
        else:
            answer, after = answered(asked, self.generator, memory)
            told = say(refusal=answer) if isinstance(answer, Refusal) else say(answer)
            return Told(told, memory if isinstance(answer, Refusal) else after)
        whole, after = answered(asked, self.generator, memory)
        if isinstance(whole, Refusal):
            return Told(say(refusal=whole), memory)
        # Areas that are left out of the whole have no share and no mean.
        for at, (mine, codes) in enumerate(zip(beside.question.axes, whole.codes, strict=True)):
            if mine.codes != codes:
                beside = only(beside, at, np.isin(mine.codes, codes))
        part, after = answered(beside, self.generator, after)
        if isinstance(part, Refusal):
            return Told(say(refusal=part), memory)
        return Told(say(part, whole), after)


@dataclass(frozen=True, repr=False)
class Told:
    """An answer with the agency's part. memory: after it; None: there is none."""

    answer: TableAnswer
    memory: Memory | None


def opened_counter(cube: Path, policy: Path, secret: Path) -> Counter:
    """The counter of a hypercube in a folder, with a policy and a secret in files.

    Raises
    ------
    InputError: a file that cannot be read; a hypercube without keys; one too large for a memory under a policy that has
        one, or with fewer of the largest contributions than its rules look at.
    """
    stored = open_cube(cube)
    rules = read_generator_policy(policy)
    if stored.about.modulus is None:
        text = "has no keys, by which counts are changed; build it of records with keys, or with a secret."
        raise InputError(text, at=cube.name)
    if rules.memory is not None and stored.about.cells > HELD:
        text = (
            f"a memory is kept for hypercubes of at most {HELD:,} cells, and this one has {stored.about.cells:,}; "
            "say `memory: false`, or build it with coarser codes."
        )
        raise InputError(text, at=policy.name)
    words = read_secret(secret.name, Folder(secret.parent), Place(secret.name))
    number = int.from_bytes(blake2b(words.encode(), digest_size=8, person=b"generator").digest())
    protection = protection_of(rules.protection, stored.about.modulus, number)
    sums = _sums(stored.about, rules, number, policy.name)
    cells: Cells = stored.held() if stored.about.cells <= HELD else stored
    ground = None
    if rules.memory is not None:
        assert isinstance(cells, HeldCells)
        ground = Ground.of(cells.held, protection, rules)
    seen = f"{stored.manifest.sha256} {rules.protection!r} {number}"
    units = {name: measure.unit for name, measure in stored.about.measures.items()}
    return Counter(
        cube.stem,
        cells,
        Generator(stored.about.variables, rules, protection, sums, units),
        ground,
        sha256(seen.encode()).hexdigest(),
    )


def _sums(about: Hypercube, policy: GeneratorPolicy, secret: int, source: str) -> Sums | None:
    """How sums are changed; None: none are given."""
    if policy.measures is None or about.ranks is None:
        return None
    for rule in policy.measures.rules:
        if rule.ranks > about.ranks:
            text = (
                f"{rule.text} looks at {rule.ranks} largest contributions, and the hypercube keeps {about.ranks}; "
                f"build it with `--largest {rule.ranks}`."
            )
            raise InputError(text, at=source)
    return Sums.of(policy.measures, secret)
