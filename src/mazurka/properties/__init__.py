"""Properties that users state: the language, its automata, and the properties that are ready for use."""
