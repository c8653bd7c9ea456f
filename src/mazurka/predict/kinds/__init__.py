"""The kinds of bugs that `mazurka predict` reports, one per file, and their registry."""
