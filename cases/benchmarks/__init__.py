"""The benchmark of the project: instance families, competitors, measurements; `python3 do.py bench`."""
