"""Two writers exclude each other."""

# package: readerwriterlock
# include: readerwriterlock
# expect: correct

from readerwriterlock import rwlock
from together import run


def test():
    lock = rwlock.RWLockWrite()
    count = 0

    def add():
        nonlocal count
        with lock.gen_wlock():
            count += 1

    run(add, add)
    with lock.gen_rlock():
        assert count == 2
