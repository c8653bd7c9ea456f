"""A scoped registry keeps one object for each thread."""

# package: SQLAlchemy
# include: sqlalchemy.util, sqlalchemy.orm.scoping
# expect: correct

from sqlalchemy.util import ThreadLocalRegistry
from together import run


def test():
    registry = ThreadLocalRegistry(list)
    seen = []

    def use(value):
        registry().append(value)
        seen.append(tuple(registry()))

    run(lambda: use(1), lambda: use(2))
    assert sorted(seen) == [(1,), (2,)]
