"""What a search for secondary cells is given: which cells must be withheld, which may be, and at what cost."""
