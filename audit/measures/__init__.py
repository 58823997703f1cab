"""Measures of risk: of cells from their intervals, of whole tables from their counts."""
