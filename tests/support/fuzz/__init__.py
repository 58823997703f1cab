"""Broken files for every reader: what comes of them is read, or an error for users, in bounded time and memory."""
