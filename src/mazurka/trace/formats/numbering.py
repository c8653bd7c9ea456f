"""Numbers for names, for formats in which threads, variables or values are numbers.

A name that consists of the reader's prefix and a number keeps that number, since it is then read as the same name;
others get a number that no name has. Injective: no two names have one number. Cost: a look-up per name.
"""

from __future__ import annotations

import re


class NameNumbering:
    """The numbers written for names: ``prefix`` is the reader's prefix, ``largest`` the largest number that fits.

    Names that consist of ``kin`` and a number get that number, too, where it is free; others get a number from
    ``first`` on. ``renumbered``: whether any name will be read as another one.
    """

    def __init__(self, prefix: str, largest: int, kin: str = "", first: int = 0) -> None:
        self._prefix, self._largest = prefix, largest
        self._form = re.compile(f"(?:{prefix}|{kin or prefix})(0|[1-9][0-9]*)")
        self._given: dict[str, int] = {}
        self._used: set[int] = set()
        self._free = first
        self.renumbered = False

    @property
    def count(self) -> int:
        """One more than the largest number given."""
        return max(self._used, default=-1) + 1

    def of(self, name: str) -> int:
        """The number of a name; above ``largest`` if all others are taken."""
        if name not in self._given:
            found = self._form.fullmatch(name)
            number = int(found[1]) if found and len(found[1]) < 20 else self._largest + 1
            if number in self._used or number > self._largest:
                while self._free in self._used:
                    self._free += 1
                number = self._free
            self.renumbered |= name != f"{self._prefix}{number}"
            self._given[name] = number
            self._used.add(number)
        return self._given[name]
