"""Intervals of withheld cells."""
