"""Two hits of one key in a window count as two."""

# package: limits
# include: limits
# expect: bug
# shows: self.storage.pop(key, None)

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from together import run


class Counted(MemoryStorage):
    """Without the thread that removes expired entries, which another program has."""

    def _MemoryStorage__schedule_expiry(self):
        pass


def test():
    limiter = FixedWindowRateLimiter(Counted())
    one = RateLimitItemPerMinute(1)
    allowed = []
    run(lambda: allowed.append(limiter.hit(one, "user")), lambda: allowed.append(limiter.hit(one, "user")))
    assert sorted(allowed) == [False, True], allowed
