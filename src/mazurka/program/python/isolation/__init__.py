"""Each execution starts from the same state, and leaves nothing behind."""
