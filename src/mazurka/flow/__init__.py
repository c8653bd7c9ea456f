"""Control flow of C programs, recorded while they run natively, and decoded afterwards."""
