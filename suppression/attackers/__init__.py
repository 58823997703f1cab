"""Insiders as attackers of a pattern: what must stay possible for a cell, and who knows what besides."""
