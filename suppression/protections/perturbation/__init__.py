"""Perturbation by transition matrices: of counts in cells, and of categories in records."""
