"""Measures of risk computed from intervals."""
