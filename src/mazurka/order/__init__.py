"""Partial orders of a trace, one per file, as compiled streams over its events."""
