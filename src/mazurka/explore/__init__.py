"""Which execution comes next: the strategies, one per file, and the loop that runs them."""
