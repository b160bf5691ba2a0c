"""Words and vectors of a partition, in process, built from a store's changes and kept fresh."""
