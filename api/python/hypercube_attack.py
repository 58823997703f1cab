"""`ts.hypercube_attack`: what comes back of one's own table generator."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tableseal.api.generating.attacking import attacked
from tableseal.api.options.generator_attack import GeneratorAttackOptions
from tableseal.api.options.option import Option, declared
from tableseal.api.python.keywords import AS_GIVEN, Running, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling
from tableseal.api.python.tables import EXPECTED
from tableseal.api.python.to_frame import Column, Texts, Whole
from tableseal.audit.codec.documents import json_of
from tableseal.audit.errors import InputError
from tableseal.audit.progress import silent
from tableseal.audit.wording import a_kind
from tableseal.suppression.generator.attacks.document import GeneratorAttack, generator_attack_text

_PROGRESS: Option = {one.name: one.option for one in declared(Running)}["progress"]


@dataclass(frozen=True, kw_only=True)
class HypercubeAttackKeywords(GeneratorAttackOptions):
    """Keywords of `hypercube_attack`."""

    progress: Annotated[Any, AS_GIVEN, _PROGRESS] = None


@dataclass(frozen=True, repr=False, eq=False)
class HypercubeAttackResult(Result):
    """Which counts come back, attack by attack, without the memory and with it. Confidential.

    Examples
    --------
    >>> from pathlib import Path
    >>> policy = '{"tableseal-generator": 1, "protection": {"cell_key": {"range": 1, "variance": "1/2"}}}'
    >>> _ = Path("policy.json").write_text(policy)
    >>> _ = Path("secret.txt").write_text("no secret, but long enough")
    >>> town = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}, "age": {"total": "T", "codes": ["0", "1", "2"]}},
    ...     "tables": [{"name": "persons", "cells": {
    ...         "sex": ["F", "F", "F", "M", "M", "M"], "age": ["0", "1", "2"] * 2, "value": [30, 27, 1, 20, 24, 18]}}],
    ... }, secret_file="secret.txt")
    >>> _ = town.save("town.cube")
    >>> found = ts.hypercube_attack("town.cube", policy="policy.json", secret_file="secret.txt", attacks="nested")
    >>> found.to_frame("polars").select("attack", "remembered", "recovered").rows()
    [('nested', 'no', 1), ('nested', 'yes', 0)]
    """

    found: GeneratorAttack

    @property
    def recovered(self) -> bool:
        """Whether some small count comes back of the generator with its memory."""
        return self.found.recovered

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/generator-attack/1."""
        return json_of(self.found)

    def text(self) -> str:
        """The result in words."""
        return generator_attack_text(self.found)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        return {"attacks": len({one.attack for one in self.found.attacks}), "recovered": self.recovered}

    def columns(self) -> Mapping[str, Column]:
        """A row for each attack without the memory, and one with it (`remembered`)."""
        rows = self.found.attacks
        return {
            "attack": Texts(one.attack for one in rows),
            "remembered": Texts("yes" if one.remembered else "no" for one in rows),
            **{
                name: Whole([getattr(one, name) for one in rows])
                for name in ("asked", "refused", "targets", "small", "claimed", "right", "recovered")
            },
        }


@takes(HypercubeAttackKeywords)
def hypercube_attack(data: object, keywords: HypercubeAttackKeywords) -> HypercubeAttackResult:
    """Attack your own table generator: which counts come back of all that a user may ask, with its memory and without.

    Each attack is a user of its own, who asks for tables with groups of codes and claims counts in the end; nothing is
    kept of that.

    Parameters
    ----------
    data: path of a hypercube (NAME.cube), as `hypercube` makes it.
    {keywords}

    Raises
    ------
    InputError: no policy or secret; what cannot be read or used; a hypercube that is not kept in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> policy = '{"tableseal-generator": 1, "protection": {"cell_key": {"range": 1, "variance": "1/2"}}}'
    >>> _ = Path("policy.json").write_text(policy)
    >>> _ = Path("secret.txt").write_text("no secret, but long enough")
    >>> town = ts.hypercube({
    ...     "tableseal": 1,
    ...     "kind": "count",
    ...     "variables": {"sex": {"total": "T", "codes": ["F", "M"]}, "age": {"total": "T", "codes": ["0", "1", "2"]}},
    ...     "tables": [{"name": "persons", "cells": {
    ...         "sex": ["F", "F", "F", "M", "M", "M"], "age": ["0", "1", "2"] * 2, "value": [30, 27, 1, 20, 24, 18]}}],
    ... }, secret_file="secret.txt")
    >>> _ = town.save("town.cube")
    >>> found = ts.hypercube_attack("town.cube", policy="policy.json", secret_file="secret.txt", attacks="nested")
    >>> found.recovered
    False
    """
    if not isinstance(data, str | os.PathLike):
        raise InputError(found=a_kind(data), expected=EXPECTED)
    cube = Path(data).expanduser()
    with telling(keywords) as progress:
        found = attacked(cube, keywords, progress or silent)
    return HypercubeAttackResult(Origin(inputs=(cube,)), found)
