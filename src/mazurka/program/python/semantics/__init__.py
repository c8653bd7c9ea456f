"""The locations that operations of Python read and write, and the hooks that report them."""
