"""The specifications that come with Mazurka: objects that Python programs share, and data structures of the literature.

A specification holds for objects of which only the methods in it are called: others may read, or change, data that is
not in its abstract state (the iteration order of a set, or of a dictionary). Each file is a family of types, each type
a class. ``tests/unit/test_commute_library.py`` checks all conditions exhaustively, and that the fine ones are exact.
"""
