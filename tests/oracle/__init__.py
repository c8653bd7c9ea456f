"""The slowest possible implementation of everything: all engines are compared with it."""
