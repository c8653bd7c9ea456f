"""Keys of frozen data classes, which initialise their fields past the class."""

import queue
import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    text: str

    def __post_init__(self):
        object.__setattr__(self, "text", self.text.lower())


lock = threading.Lock()
seen = {}
names = queue.Queue()


def make():
    for text in ("A", "B"):
        names.put(Name(text))


def use():
    for _ in "ab":
        name = names.get()
        with lock:
            seen[name] = seen.get(name, 0) + 1


threads = [threading.Thread(target=each) for each in (make, use)]
for each in threads:
    each.start()
with lock:
    seen[Name("c")] = 1
for each in threads:
    each.join()
assert seen == {Name("a"): 1, Name("b"): 1, Name("c"): 1}
