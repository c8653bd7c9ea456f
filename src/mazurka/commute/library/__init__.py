"""The specifications that come with Mazurka: what Python programs share, and the data structures of the literature.

A specification holds for objects of which no other methods are called than it has: others may see, or change, what its
abstract state leaves out (a set's iteration order, a dictionary's). Each file is a family of types, each type a class;
all conditions are checked exhaustively by ``tests/unit/test_commute_library.py``, the fine ones for being exact, too.
"""
