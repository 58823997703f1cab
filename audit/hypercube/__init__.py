"""Hypercubes: one large table by the finest codes of all variables, from which any table is made at once."""
