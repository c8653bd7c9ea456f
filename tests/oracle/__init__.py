"""The slowest possible implementation of everything: what all engines are held to."""
