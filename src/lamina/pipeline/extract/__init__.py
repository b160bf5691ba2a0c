"""From a conversation to candidates for memories."""
