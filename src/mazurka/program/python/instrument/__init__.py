"""Instruments modules of the program: rewrites their source when they are imported."""
