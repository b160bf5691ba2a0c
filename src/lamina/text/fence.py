"""The characters around recalled memory, which no recalled text may keep."""

OPEN, CLOSE = "⟦", "⟧"
