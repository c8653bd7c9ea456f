"""A limiter is used and closed while its leaker starts."""

# package: pyrate-limiter
# include: pyrate_limiter
# expect: bug
# shows: sync_buckets.clear()

from pyrate_limiter import Duration, InMemoryBucket, Limiter, Rate


def test():
    with Limiter(InMemoryBucket([Rate(1, Duration.MINUTE)])) as limiter:
        assert limiter.try_acquire("user", blocking=False)
