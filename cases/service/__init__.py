"""Load and faults: the service as real processes, hit hard, with figures. `python3 do.py faults` runs all of it."""
