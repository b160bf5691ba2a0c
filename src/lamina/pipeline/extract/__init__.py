"""Extraction: what of a conversation is worth keeping, by rule and by model."""
