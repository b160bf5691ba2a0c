"""Text as values: words, tokens, chunks, secrets. Pure functions that know no store."""
