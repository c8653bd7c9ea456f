"""What the source of the instrumented modules shows before anything is run."""
