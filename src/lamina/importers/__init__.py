"""Other people's data formats to messages: one file a format."""
