"""What work is at is told as it begins."""

from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.web.pages import STAGES
from tableseal.audit import audit, release_from_document
from tableseal.audit.progress import Phases, silent
from tableseal.suppression.comparison.compare import compare
from tableseal.suppression.protections.controlled_rounding import ControlledRounding
from tableseal.suppression.protections.protect import protect
from tableseal.suppression.suppress import suppress


class Told:
    """Stages that were told, each once where it was told several times in a row."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self.stages[-1:] != [stage]:
            self.stages.append(stage)


def test_a_phase_that_is_interrupted_goes_on() -> None:
    told = Told()
    phases = Phases(told)
    with phases.at("search"):
        with phases.at("audit"):
            pass
        phases.end()
    assert told.stages == ["search", "audit", "search"]
    assert [name for name, _ in phases.seconds] == ["search", "audit"]
    quiet = Phases(silent)
    quiet.end()
    assert quiet.seconds == ()


def test_an_audit_tells_every_phase_before_it_begins() -> None:
    """CONVENTION 960."""
    told = Told()
    found = audit(release_from_document(UNPROTECTED), withhold_primaries=True, cumulative=True, progress=told)
    assert told.stages == [name for name, _ in found.explain.seconds]
    assert told.stages[0] == "cells and rules"
    assert "bounds" in told.stages


def test_whatever_is_told_has_words_on_pages() -> None:
    """CONVENTION 960."""
    release, told = release_from_document(UNPROTECTED), Told()
    suppress(release, progress=told)
    assert {"rules, relations and costs", "search", "audit"} <= set(told.stages)
    compare(release, ("optimal", "heuristic"), progress=told)
    protect(release, ControlledRounding(base=3), progress=told)
    assert set(told.stages) <= {*STAGES, "controlled-rounding"}
