"""Bounds row by row and in closed form: they prove, and show nothing."""
