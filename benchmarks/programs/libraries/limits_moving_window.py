"""Without the timer, one of two requests gets the one entry."""

# package: limits
# include: limits
# expect: correct

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from together import run


class Counted(MemoryStorage):
    def _MemoryStorage__schedule_expiry(self):
        pass


def test():
    limiter = MovingWindowRateLimiter(Counted())
    one = RateLimitItemPerMinute(1)
    allowed = []
    run(lambda: allowed.append(limiter.hit(one, "user")), lambda: allowed.append(limiter.hit(one, "user")))
    assert sorted(allowed) == [False, True], allowed
