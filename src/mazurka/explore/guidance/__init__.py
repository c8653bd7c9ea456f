"""Heuristics that prioritise queued executions of `mcr`, at no extra execution."""
