"""One search in several processes."""
