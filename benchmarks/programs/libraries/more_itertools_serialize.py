"""Two threads take from one generator."""

# package: more-itertools
# include: more_itertools
# expect: correct

from more_itertools import serialize
from together import run


def numbers():
    yield 1
    yield 2


def test():
    shared = serialize(numbers())
    taken = []
    run(lambda: taken.append(next(shared)), lambda: taken.append(next(shared)))
    assert sorted(taken) == [1, 2]
