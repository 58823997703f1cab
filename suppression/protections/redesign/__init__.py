"""Redesign: categories are published only together, so that nothing sensitive is left in the tables."""
