"""Elided executions: those derived from the steps that threads have made in earlier ones."""
