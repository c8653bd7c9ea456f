"""Two threads call one cached function."""

# package: boltons
# include: boltons
# expect: correct

from boltons.cacheutils import LRI, cached
from together import run


def test():
    @cached(LRI(max_size=4))
    def double(number):
        return 2 * number

    seen = []
    run(lambda: seen.append(double(1)), lambda: seen.append(double(2)))
    assert sorted(seen) == [2, 4]
