"""Draws small Python programs whose threads call shared objects, beside locks and attributes: for the commands."""

from __future__ import annotations

import random

_HEAD = """\
import threading
import mazurka


@mazurka.linearizable("concurrent_set", "add", "remove", "contains", "size")
class Bag:
    def __init__(self):
        self.items, self.lock = set(), threading.Lock()

    def add(self, v):
        with self.lock:
            if v in self.items:
                return False
            self.items.add(v)
            return True

    def remove(self, v):
        with self.lock:
            if v not in self.items:
                return False
            self.items.discard(v)
            return True

    def contains(self, v):
        with self.lock:
            return v in self.items

    def size(self):
        with self.lock:
            return len(self.items)


@mazurka.linearizable("stack", "push", "pop")
class Stack:
    def __init__(self):
        self.items, self.lock = [], threading.Lock()

    def push(self, v):
        with self.lock:
            self.items.append(v)

    def pop(self):
        with self.lock:
            return self.items.pop() if self.items else None


class Box:
    pass


def main():
    bag, stack, done, box = Bag(), Stack(), threading.Event(), Box()
    m, n = threading.Lock(), threading.Lock()
    box.x = box.y = 0
"""

_CALLS = (
    *("bag.add(0)", "bag.add(1)", "bag.remove(0)", "bag.remove(1)", "bag.contains(0)", "bag.contains(1)", "bag.size()"),
    *("stack.push(1)", "stack.push(2)", "stack.pop()", "done.is_set()", "done.set()", "done.clear()"),
)


def random_program(seed: int) -> str:
    """The source of one; all it does is done by two or three threads."""
    rng = random.Random(seed)
    threads = rng.choice((2, 2, 3))
    workers = [f"    def work{number}():\n" + _block(rng, 2, 8) for number in range(threads)]
    names = ", ".join(f"work{number}" for number in range(threads))
    starts = f"    threads = [threading.Thread(target=each) for each in ({names})]\n"
    loops = [f"    for thread in threads:\n        thread.{does}()\n" for does in ("start", "join")]
    return "".join((_HEAD, *workers, starts, *loops, "\n\nmain()\n"))


def _block(rng: random.Random, depth: int, indentation: int) -> str:
    return "".join(_statement(rng, depth, indentation) for _ in range(rng.randrange(1, 4)))


def _statement(rng: random.Random, depth: int, indentation: int) -> str:
    margin, chance = " " * indentation, rng.random()
    if chance < 0.15:
        return f"{margin}box.{rng.choice('xy')} = {rng.randrange(2)}\n"
    if chance < 0.25:
        return f"{margin}box.{rng.choice('xy')} += 1\n"
    if chance < 0.45 and depth:
        lock = rng.choice("mn") if depth == 2 else "m"
        return f"{margin}with {lock}:\n" + _block(rng, 0, indentation + 4)
    if chance < 0.65 and depth:
        condition = rng.choice((rng.choice(_CALLS), f"box.{rng.choice('xy')}"))
        return f"{margin}if {condition}:\n" + _block(rng, 0, indentation + 4)
    return f"{margin}{rng.choice(_CALLS)}\n"
