"""The ways in: command line (and, later, HTTP)."""
