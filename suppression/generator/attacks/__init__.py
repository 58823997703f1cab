"""Attacks on a table generator by name: users who ask on, and claim small counts."""
