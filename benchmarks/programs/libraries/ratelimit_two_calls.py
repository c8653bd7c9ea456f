"""Of three calls in a period two are allowed."""

# package: ratelimit
# include: ratelimit
# expect: correct

import ratelimit
from together import run


def test():
    @ratelimit.limits(calls=2, period=60, raise_on_limit=False)
    def hit():
        return True

    allowed = []
    run(*[lambda: allowed.append(hit())] * 3)
    assert allowed.count(True) == 2
