"""Reconstruction of small areas: which tables of inner cells fit several published tables of counts."""
