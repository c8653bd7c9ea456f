"""Compiled kernels, and their compilation ahead of use."""
