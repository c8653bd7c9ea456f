"""Which locations an operation of Python reads and writes, and the hooks that report it."""
