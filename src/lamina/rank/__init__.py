"""Pure functions that put passages in order; they know arrays and numbers, no stores."""
