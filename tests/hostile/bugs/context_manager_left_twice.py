"""A context manager made of a generator is left by two threads: one may come while the other runs the generator."""

import contextlib
import threading

left = []


@contextlib.contextmanager
def region():
    yield
    left.append(1)


shared = region()
shared.__enter__()


def leave():
    shared.__exit__(None, None, None)


def test():
    errors = []

    def guarded():
        try:
            leave()
        except ValueError:
            errors.append(1)

    threads = [threading.Thread(target=guarded) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors


test()
