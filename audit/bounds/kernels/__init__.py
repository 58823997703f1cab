"""Loops over the exact dictionary, over flows and over sparse rows, run as they stand or compiled (`compiling.py`)."""
