"""Unfolding semantics: prime event structures of programs, and their exploration."""
