"""The ways in: the command line, the HTTP service with its pages, and clients of it."""
