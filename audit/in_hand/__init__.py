"""Tables of base cells in hand: the true one, that of the records, and others that fit the release. They show what is
possible."""
