"""Readers of files, with damaged files as input."""
