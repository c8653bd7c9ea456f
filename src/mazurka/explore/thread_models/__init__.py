"""What runs have shown of each thread, and what follows from that alone (for `mcr` and `se-mcr`)."""
