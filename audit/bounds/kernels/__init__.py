"""Inner loops on plain arrays: compiled for large components, run as they stand for small ones."""
