"""Two threads save in one cache in memory."""

# package: requests-cache
# include: requests_cache
# expect: correct

from requests_cache.backends.base import DictStorage
from together import run


def test():
    responses = DictStorage()

    def save(key):
        responses[key] = key.upper()

    run(lambda: save("a"), lambda: save("b"))
    assert sorted(responses.items()) == [("a", "A"), ("b", "B")]
