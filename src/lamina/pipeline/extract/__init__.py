"""Extraction: what of a conversation is worth keeping."""

BLANK = "\ufffc"  # stands for each character of a quotation: no value may hold it
