"""The numbers that stand for values in thread automata (see automata.py)."""

from __future__ import annotations

from typing import Final

#: Never written (also: a lock that is free), a held lock, an ended thread, a daemon; other values have higher numbers.
FIRST: Final = 0
HELD: Final = 1
ENDED: Final = 2
DAEMON: Final = 3
RESERVED: Final = 4

#: The reads of a step: (place, value) pairs in the order of its accesses.
Seen = tuple[tuple[int, int], ...]
