"""The tree of decisions that a search by reads-from goes down (for `mcr` and its kin)."""
