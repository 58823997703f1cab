"""What a package may add to tableseal: one file each."""
