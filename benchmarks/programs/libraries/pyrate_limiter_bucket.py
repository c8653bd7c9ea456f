"""A bucket of one item takes one of two."""

# package: pyrate-limiter
# include: pyrate_limiter
# expect: correct

from pyrate_limiter import Duration, InMemoryBucket, Rate, RateItem
from together import run


def test():
    bucket = InMemoryBucket([Rate(1, Duration.MINUTE)])
    taken = []

    def put():
        taken.append(bucket.put(RateItem("item", bucket.now())))

    run(put, put)
    assert sorted(taken) == [False, True]
    assert bucket.count() == 1
