"""Findings as programs in C that need no Mazurka: the program's IR as C, and its interleaving as semaphores."""
