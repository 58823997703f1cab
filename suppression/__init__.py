"""What to withhold or change so that an intruder cannot work out too much."""
