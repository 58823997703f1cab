"""Controlled tabular adjustment: the parts of a release that hang together, their programs, and the search."""
