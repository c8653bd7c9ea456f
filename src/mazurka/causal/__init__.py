"""Which other executions one execution proves possible: the causal model of a trace, and solvers that query it."""
