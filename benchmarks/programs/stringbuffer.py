"""JM-StringBuffer: append reads the length and then the characters of its argument. The bug: it shrinks in between."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class StringBuffer:
    def __init__(self, text):
        self.chars = list(text)
        self.lock = threading.Lock()

    def append(self, other):
        with self.lock:
            with other.lock:
                n = len(other.chars)
            with other.lock:
                if n > len(other.chars):
                    raise IndexError(n)
                self.chars.extend(other.chars[:n])

    def delete(self):
        with self.lock:
            self.chars.clear()


def program():
    a, b = StringBuffer("H"), StringBuffer("W")
    failed = []

    def append():
        try:
            b.append(a)
        except IndexError:
            failed.append(True)

    run(append, a.delete)
    return "".join(b.chars), bool(failed)


def bug():
    assert not program()[1]


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
