"""Automata of threads, learnt from runs, and the executions that follow from these alone (for `mcr` and `se-mcr`)."""
