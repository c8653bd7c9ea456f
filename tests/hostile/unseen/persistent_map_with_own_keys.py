"""A persistent map in C compares keys by a method of the program, made from a text, whose attribute changes."""

import threading
from dataclasses import dataclass

import rpds


@dataclass
class Key:
    n: int

    def __hash__(self):
        return 1


key = Key(1)
found = rpds.HashTrieMap({key: 1})


def use():
    assert found.get(Key(1)) == found.get(Key(1))


def change():
    key.n = 2


threads = [threading.Thread(target=each) for each in (use, change)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
