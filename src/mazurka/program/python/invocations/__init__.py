"""Calls of marked objects as single steps of a run, for strategies that explore calls like that."""
