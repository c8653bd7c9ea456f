"""Which bugs other orders of a recorded trace would show: predictors, engines and the registry of bug kinds."""
