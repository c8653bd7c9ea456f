"""Readers of files given files that nobody would write."""
