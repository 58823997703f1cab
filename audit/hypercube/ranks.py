"""How many of the largest contributions of a cell a hypercube keeps."""

RANKS = 3
"""Unless something else is said."""

MOST_RANKS = 20
"""At most."""
