"""Dialogues with known facts, and the summaries that ours is held against."""
