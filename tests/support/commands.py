"""The command, run in this process."""

from typing import Any

from typer.testing import CliRunner

from tableseal.api.cli.verbs import command


def run(*arguments: object) -> Any:
    """What comes of `tableseal ARGUMENTS`: `exit_code`, `stdout`, `stderr`, `output`."""
    return CliRunner().invoke(command(), [str(argument) for argument in arguments], prog_name="tableseal")
