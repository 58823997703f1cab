"""A plan made safe: every cluster tabulated, protected, audited and written."""
