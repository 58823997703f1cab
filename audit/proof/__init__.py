"""Proofs of an audit: writing them (`write`), and checking them with nothing but the standard library (`verify`)."""
