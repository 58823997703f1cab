"""Loops of searches over small tables: linear programs of moves and of cuts as dense dictionaries, and the two
together."""
