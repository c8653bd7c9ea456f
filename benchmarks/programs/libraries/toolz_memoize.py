"""Two threads call one memoized function."""

# package: toolz
# include: toolz
# expect: correct

import toolz
from together import run


@toolz.memoize
def double(number):
    return 2 * number


def test():
    seen = []
    run(lambda: seen.append(double(2)), lambda: seen.append(double(2)))
    assert seen == [4, 4]
