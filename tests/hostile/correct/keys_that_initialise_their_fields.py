"""Keys of frozen data classes, which initialise their fields past the class."""

import queue
import threading
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Name:
    text: str
    shown: str = field(default="", compare=False)

    def __post_init__(self):
        object.__setattr__(self, "text", self.text.lower())

    def show(self):
        if not self.shown:
            object.__setattr__(self, "shown", self.text.title())
        return self.shown


lock = threading.Lock()
seen = {}
names = queue.Queue()


def make():
    for text in ("A", "B"):
        names.put(Name(text))


def use():
    for _ in "ab":
        name = names.get()
        name.show()
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
