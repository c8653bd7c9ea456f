"""The front end for programs in Python."""
