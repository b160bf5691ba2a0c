"""The stages of memory: plain functions, all they need in their arguments."""
