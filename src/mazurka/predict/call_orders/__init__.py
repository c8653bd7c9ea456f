"""Calls that do not commute and may come in the other order: candidates, and their vindication."""
