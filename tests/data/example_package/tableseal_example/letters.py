"""A status scheme: what the letters of an office mean, in status words."""

LETTERS = {"": "published", "g": "published", "k": "primary", "m": "secondary", "u": "missing"}
