"""What is wrong with a design: cells that may not be published, then what the audit finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.measures.feasible_tables import Effort
from tableseal.audit.model import Policy, Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.rules import completed
from tableseal.audit.rules.assess import assess
from tableseal.audit.rules.attribute import Attribute
from tableseal.audit.rules.registry import RULES
from tableseal.suppression.protections.redesign.design import Design, Space
from tableseal.suppression.protections.redesign.loss import Loss
from tableseal.suppression.protections.redesign.recoded import Recodings, recoded, recodings, spelled_out
from tableseal.suppression.protections.subject import Subject

NO_ENTROPY = Effort(transitions=0)
"""Nothing hangs on entropies over tables: they were a fifth of the time of an audit."""

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Wrong:
    """Why a design is not safe.

    Attributes
    ----------
    codes: int64 (n x variables): published cells of which at least one is in the way; codes beyond those of a variable
        are new ones, by the position of their group in the design.
    sure: no coarser design that still publishes one of them, whichever, is safe; else they are but near what is wrong.
    """

    codes: Ints
    sure: bool


@dataclass(frozen=True)
class Judge:
    """Says what is wrong with designs of a release.

    Attributes
    ----------
    policy: the rules. space: of the designs. release: spelled out. primary: of each table bool (rows), sensitive ones.
    """

    subject: Subject
    policy: Policy
    space: Space
    release: Release
    primary: tuple[Bools, ...]

    @staticmethod
    def of(subject: Subject, policy: Policy, space: Space) -> "Judge":
        """Of a release with true values."""
        release = spelled_out(subject)
        sensitive = subject.sensitivity(policy).sensitive | subject.cells.sensitive_status
        primary = []
        for table, cell in zip(release.tables, subject.rows, strict=True):
            primary.append(np.pad(sensitive[cell], (0, len(table.codes) - len(cell))))
        return Judge(subject, policy, space, release, tuple(primary))

    def made(self, design: Design) -> Release:
        """The release that a design makes."""
        return recoded(self.release, recodings(self.space, design), self.primary)

    def loss(self, name: str) -> Loss:
        """Of designs."""
        return Loss(self.release, "entropy" if name == "entropy" else "cells")

    @cached_property
    def local(self) -> bool:
        """Rules judge a cell by what is in it, and by nothing else of the design."""
        own = tuple(rule for rule in RULES if rule is not Attribute)
        return all(isinstance(rule, own) for rule in self.policy.primary)

    def hides_duty(self, by: Recodings) -> bool:
        """A cell that must be published is not."""
        for table in self.release.tables:
            codes = table.codes[table.status == Status.MUST_PUBLISH]
            if any(bool(one.hidden[codes[:, v]].any()) for v, one in enumerate(by)):
                return True
        return False

    def wrong(self, design: Design, seconds: float | None = None) -> Wrong | None:
        """The first that is wrong; None: the audit says safe. seconds: after which it says no more."""
        made = self.made(design)
        marked = [table.codes[own] for table, own in zip(self.release.tables, self.primary, strict=True)]
        hidden = [tree.hidden(design, v) for v, tree in enumerate(self.space.trees)]
        shown = np.concatenate(marked).astype(np.int64)
        shown = shown[~np.any([own[shown[:, v]] for v, own in enumerate(hidden)], axis=0)]
        if not len(shown):
            shown = self._sums(made)
        if len(shown):
            return Wrong(self._named(design, np.unique(shown, axis=0)), self.local)
        report = audit(made, policy=self.policy, time_limit=seconds, entropy=NO_ENTROPY).report
        if report.verdict == "safe":
            return None
        bad = [dict(cell.cell) for cell in report.cells if cell.verdict in ("exposed", "underprotected", "undecided")]
        return Wrong(self._near(design, made, bad), sure=False)

    def _sums(self, made: Release) -> Ints:
        """Published cells that are sensitive."""
        cells = completed(made, merge_cells(made)[0])
        found = assess(made, cells, self.policy).sensitive & (cells.status <= Status.FROZEN)
        return cells.codes[found].astype(np.int64)

    def _named(self, design: Design, codes: Ints) -> Ints:
        """Codes of the release that a design makes -> old ones, and new ones by the position of their group."""
        found = codes.copy()
        for v, one in enumerate(recodings(self.space, design)):
            old = len(one.to)
            for group, code in one.groups:
                found[codes[:, v] == code, v] = code if code < old else old + design.index(group)
        return found

    def _near(self, design: Design, made: Release, cells: Sequence[Mapping[str, str]]) -> Ints:
        """The published cells of which these are parts."""
        by = recodings(self.space, design)
        found = np.zeros((len(cells), len(by)), np.int64)
        for v, (name, hierarchy) in enumerate(made.variables.items()):
            for k, cell in enumerate(cells):
                code = hierarchy.index[cell[name]]
                found[k, v] = by[v].to[code] if code < len(by[v].to) else code
        return np.unique(self._named(design, found), axis=0)
