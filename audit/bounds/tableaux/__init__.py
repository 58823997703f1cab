"""The exact dictionary of a component in whole numbers: real ends of all targets at once, then whole ones."""
