"""Formats whose files say themselves what they hold: one file a format, listed in `registry`."""
