"""Static analysis of the instrumented modules."""
