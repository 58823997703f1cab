"""`ts.attack`: what a release with changed counts still gives away."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Annotated, Any

from tableseal.api.attacking import side_by_side
from tableseal.api.options.attack import AttackOptions
from tableseal.api.options.option import Option, declared
from tableseal.api.python.keywords import AS_GIVEN, Reading, Running, takes
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling
from tableseal.api.python.source import given
from tableseal.api.python.to_frame import Column, Floats, Texts, numbers
from tableseal.audit.attacks.replay import replay
from tableseal.audit.attacks.result import AttackReport, Tallies
from tableseal.audit.errors import InputError
from tableseal.audit.progress import silent
from tableseal.audit.report.attack import attack_json, attack_text

_PROGRESS: Option = {one.name: one.option for one in declared(Running)}["progress"]


@dataclass(frozen=True, kw_only=True)
class AttackKeywords(AttackOptions, Reading):
    """Keywords of `attack`."""

    progress: Annotated[Any, AS_GIVEN, _PROGRESS] = None


@dataclass(frozen=True, repr=False, eq=False)
class AttackResult(Result):
    """How many true counts come back, attack by attack. Confidential.

    Examples
    --------
    >>> cells = {"sex": ["F", "M", "T"], "value": [1, 1, 5], "truth": [2, 2, 4]}
    >>> table = {"name": "persons", "cells": cells, "truth": "truth", "rounding": {"method": "cell_key", "range": 1}}
    >>> sexes = {"sex": {"total": "T", "codes": ["F", "M"]}}
    >>> release = {"tableseal": 1, "kind": "count", "variables": sexes, "tables": [table]}
    >>> ts.attack(release, attacks="sums", curve=False).to_frame().select("attack", "exact", "within_one").rows()
    [('as published', 0, 3), ('sums', 3, 3), ('sums, proved', 3, 3)]
    """

    found: AttackReport

    @property
    def stopped_by(self) -> str | None:
        """`time`: the limit cut bounds or curves; None: nothing was cut."""
        return self.found.stopped_by

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/attack/1."""
        return attack_json(self.found)

    def text(self) -> str:
        """The result in words."""
        return attack_text(self.found, title=self.origin.title)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        proved = {
            f"{one.attack}_proved": one.proved.all.exact
            for one in self.found.attacks
            if one.proved is not None and one.proved.all.counts
        }
        return {"counts": self.found.as_published.all.counts, **proved}

    def columns(self) -> Mapping[str, Column]:
        """A row for guesses and one for proofs of each attack, behind one for the published values as they stand."""
        rows: list[tuple[str, Tallies]] = [("as published", self.found.as_published)]
        for one in self.found.attacks:
            rows.append((one.attack, one.guessed))
            rows += [] if one.proved is None else [(f"{one.attack}, proved", one.proved)]
        every = {
            f"{group}{figure}": numbers([getattr(getattr(tallies, key), figure) for _, tallies in rows])
            for group, key in (("", "all"), ("zeros_", "zeros"), ("small_", "small"))
            for figure in ("counts", "exact", "within_one")
        }
        shares = Floats(tallies.all.exact / tallies.all.counts if tallies.all.counts else None for _, tallies in rows)
        return {"attack": Texts(name for name, _ in rows), **every, "share": shares}


@takes(AttackKeywords)
def attack(data: object, keywords: AttackKeywords) -> AttackResult:
    """Attack a release whose counts were changed, and say which true counts come back.

    Parameters
    ----------
    data: release with changed counts and their true values: path (str or Path), release document (dict) or Release; a
        list of several: they are attacked together, as readers do who have all of them.
    {keywords}

    Raises
    ------
    InputError: no count is changed, or one has no true value; an unknown attack. LimitError: too large a release.

    Examples
    --------
    >>> cells = {"sex": ["F", "M", "T"], "value": [1, 1, 5], "truth": [2, 2, 4]}
    >>> table = {"name": "persons", "cells": cells, "truth": "truth", "rounding": {"method": "cell_key", "range": 1}}
    >>> sexes = {"sex": {"total": "T", "codes": ["F", "M"]}}
    >>> release = {"tableseal": 1, "kind": "count", "variables": sexes, "tables": [table]}
    >>> found = ts.attack(release, attacks="sums", curve=False)
    >>> print(found.document["attacks"][0]["proved"]["all"]["exact"])
    3
    """
    settings = keywords.settings()
    reading = Reading(**{one.name: getattr(keywords, one.name) for one in declared(Reading)})
    several = data if isinstance(data, list | tuple) else [data]
    if not several:
        raise InputError(found="an empty list", expected="a release, or a list of some")
    each = [given(one, reading) for one in several]
    labels = [str(one) if isinstance(one, str | PathLike) else f"release {k}" for k, one in enumerate(several, 1)]
    release = side_by_side([(label, about.release) for label, about in zip(labels, each, strict=True)])
    with telling(keywords) as progress:
        found = replay(release, settings, progress=progress or silent)
    origin = each[0].origin
    inputs = tuple(dict.fromkeys(path for about in each for path in about.origin.inputs))
    return AttackResult(origin if len(each) == 1 else replace(origin, inputs=inputs, title=release.title), found)
