"""A release after protection: a pattern put into it, values changed, or stripped for publication."""
