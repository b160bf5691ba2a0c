"""Pure functions on text: words, token counts, chunks, masks. Nothing here reads a clock or a store."""
