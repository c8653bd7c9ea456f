"""Unknown inputs: terms over them, conditions on paths, and the search for inputs that take other paths."""
