"""Native code for the parts of a C program between its visible operations."""
