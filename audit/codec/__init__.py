"""One codec for results: a frozen dataclass or NamedTuple says of each field what it is (`declared`), and from that
follow its JSON and its JSON Schema (`documents`), its columns (`layout`) and what of it is public (`public`)."""
