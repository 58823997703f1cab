"""A terminal says how long compiling took; a pipe does not (CONVENTION 957)."""

import sys
from collections.abc import Callable

import pytest
import typer

from tableseal.api.cli import guard
from tableseal.api.cli.exit_codes import Code


@pytest.mark.parametrize(
    ("seconds", "terminal", "told"), [(30.0, True, True), (30.0, False, False), (0.5, True, False)]
)
def test_a_terminal_is_told_of_compiling(
    seconds: float,
    terminal: bool,
    told: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """CONVENTION 957."""

    class Watch:
        seconds = 7.0

    def verb() -> Code:
        Watch.seconds += seconds
        return Code.DONE

    monkeypatch.setattr(guard, "compiling", Watch)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    run: Callable[[], None] = guard.guarded(verb)
    with pytest.raises(typer.Exit):
        run()
    assert capsys.readouterr().err == (
        "Preparing the program for this machine took 30 s, once; no time limit counts it.\n" if told else ""
    )
