"""Traces: operations, targets, events, their columns, well-formedness, and the formats of other tools."""
