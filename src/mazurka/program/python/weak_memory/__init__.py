"""Python under TSO and PSO: stores that reach other threads late."""
