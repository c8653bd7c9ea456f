"""Two threads get an object each, by Cython."""

# package: dependency-injector
# include: dependency_injector
# expect: correct

from dependency_injector import providers
from together import run


def test():
    factory = providers.Factory(dict, a=1)
    seen = []
    run(lambda: seen.append(factory()), lambda: seen.append(factory(b=2)))
    assert sorted(seen, key=len) == [{"a": 1}, {"a": 1, "b": 2}]
