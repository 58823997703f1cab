"""A release after protection: a pattern put into it, rounded, or stripped for publication."""
