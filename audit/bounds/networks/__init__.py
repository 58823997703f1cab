"""Components that are networks: maximum flows, with whole values in between for nothing."""
