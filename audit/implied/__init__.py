"""Cells that no row lists and that a release gives away all the same: combinations of codes, and of parts of codes that
released groups tell apart (atoms), whose value follows from what is released."""
