"""Frozen objects are made past their constructor by functions of their classes; each is a key only afterwards."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    text: str
    number: int

    @classmethod
    def parse(cls, text):
        made = object.__new__(cls)
        object.__setattr__(made, "text", text)
        object.__setattr__(made, "number", len(text))
        return made


@dataclass(frozen=True, slots=True)
class Slotted:
    text: str

    def renamed(self, text):
        made = object.__new__(Slotted)
        object.__setattr__(made, "text", text)
        return made


seen = {Name("a", 1): 0, Slotted("b"): 0}


def use(key):
    seen[key()] += 1


threads = [
    threading.Thread(target=use, args=(lambda: Name.parse("a"),)),
    threading.Thread(target=use, args=(lambda: Slotted("a").renamed("b"),)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert (seen[Name("a", 1)], seen[Slotted("b")]) == (1, 1)
