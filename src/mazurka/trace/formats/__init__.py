"""Traces in files: one module per format, each with ``read`` and ``write`` (see ``format.py``)."""
