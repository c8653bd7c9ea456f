"""A region makes a value once, for the first thread that asks."""

# package: dogpile.cache
# include: dogpile, decorator
# expect: correct

from dogpile.cache import make_region
from together import run


def test():
    region = make_region().configure("dogpile.cache.memory", expiration_time=3600)
    made = []

    @region.cache_on_arguments()
    def price(article):
        made.append(article)
        return len(article)

    seen = []
    run(lambda: seen.append(price("pen")), lambda: seen.append(price("pen")))
    assert seen == [3, 3]
    assert made == ["pen"]
