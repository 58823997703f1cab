"""Searches for secondary patterns; all of them ask the same oracle."""
