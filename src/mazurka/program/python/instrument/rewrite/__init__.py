"""Rewriting of syntax trees: one module per group of nodes, each with functions from a node to its replacement."""
