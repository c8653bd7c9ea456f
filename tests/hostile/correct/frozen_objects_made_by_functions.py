"""Frozen objects are made past their constructor by a function of the class; each is a key only afterwards."""

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


lock = threading.Lock()
seen = {}


def use(text):
    keys = Name.parse(text), Slotted("b").renamed(text)
    with lock:
        for key in keys:
            seen[key] = seen.get(key, 0) + 1


threads = [threading.Thread(target=use, args=("a",)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == {Name("a", 1): 2, Slotted("a"): 2}
