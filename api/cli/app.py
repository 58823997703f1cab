"""The command with all its verbs, for those who call it from Python."""

from tableseal.api.cli.verbs import command

app = command()
