"""Keys of frozen data classes, which initialise their fields past the class."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    text: str

    def __post_init__(self):
        object.__setattr__(self, "text", self.text.lower())


seen = {Name("a"): 0, Name("b"): 0}


def use(text):
    seen[Name(text)] += 1


threads = [threading.Thread(target=use, args=(text,)) for text in ("A", "B")]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert (seen[Name("a")], seen[Name("b")]) == (1, 1)
