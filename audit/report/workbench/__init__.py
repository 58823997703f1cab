"""A finished report kept so that any part of it is at hand: every cell of the release in columns, and what is known of
each open one in small blocks that are read alone.

`make.py` writes the file once, `opened.py` reads parts of it, `selection.py` filters, sorts and pages cells, `maps.py`
cuts a window out of a table. None of them holds more than the columns it needs (CONVENTION 795).
"""
