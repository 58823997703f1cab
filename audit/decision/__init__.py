"""Is this pattern safe? The same question about thousands of nearly equal patterns, answered with tables in hand."""
