"""Two requests ask for entries of a moving window."""

# package: limits
# include: limits
# expect: bug
# shows: self.timer.start()

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from together import run


def test():
    storage = MemoryStorage()
    storage.timer.join()
    limiter = MovingWindowRateLimiter(storage)
    two = RateLimitItemPerMinute(2)
    allowed = []
    run(lambda: allowed.append(limiter.hit(two, "a")), lambda: allowed.append(limiter.hit(two, "b")))
    assert allowed == [True, True], allowed
