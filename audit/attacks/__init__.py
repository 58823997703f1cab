"""Attacks on releases whose counts were changed, one a file, measured by the true counts; `replay.py` runs them."""
