"""Two threads get one singleton."""

# package: injector
# include: injector
# expect: correct

from injector import Injector, singleton
from together import run


@singleton
class Service:
    pass


def test():
    injector = Injector()
    seen = []
    run(lambda: seen.append(injector.get(Service)), lambda: seen.append(injector.get(Service)))
    assert seen[0] is seen[1]
