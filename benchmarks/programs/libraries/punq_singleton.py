"""Two threads resolve one singleton for the first time."""

# package: punq
# include: punq
# expect: bug
# shows: resolve

import punq
from together import run


class Service:
    pass


def test():
    container = punq.Container()
    container.register(Service, scope=punq.Scope.singleton)
    seen = []
    run(lambda: seen.append(container.resolve(Service)), lambda: seen.append(container.resolve(Service)))
    assert seen[0] is seen[1]
