"""Two threads derive from one frozen object."""

# package: attrs
# include: attr
# expect: correct

import attrs
from together import run


@attrs.frozen
class Point:
    x: int = attrs.field(validator=attrs.validators.instance_of(int))
    y: int = 0


def test():
    origin = Point(0)
    seen = []
    run(lambda: seen.append(attrs.evolve(origin, x=1)), lambda: seen.append(attrs.evolve(origin, y=1)))
    assert {(point.x, point.y) for point in seen} == {(0, 1), (1, 0)}
